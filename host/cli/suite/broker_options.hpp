// How the commands name a broker.
#pragma once

#include "host/campaign/queue/broker.hpp"

namespace CLI {
class App;
}

namespace raddle {

// --credentials, --ca, --certificate, --key
void add_broker_options(CLI::App& app, BrokerOptions& options);

}  // namespace raddle
