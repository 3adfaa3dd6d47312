// A document as the data of its page: what page/page.js reads. Called by the HTML writer.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/report/document/document.hpp"

namespace raddle {

nlohmann::ordered_json page_data(const Document& document);

}  // namespace raddle
