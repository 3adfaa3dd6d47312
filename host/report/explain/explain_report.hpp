// The result of `raddle explain`: what a replay file says of itself.
#pragma once

#include <string>

#include "host/replay/replay_file.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct ExplainReport {
  std::string path;
  const ReplayFile& file;
};

// Its verdict is that of the recorded execution; inconclusive if the file does not explain it.
Document document_of(const ExplainReport& report);

}  // namespace raddle
