#include "host/cli/suite/broker_options.hpp"

#include "host/cli/options/option_kinds.hpp"

namespace raddle {

void add_broker_options(CLI::App& app, BrokerOptions& options) {
  file(app, "--credentials", options.credentials, "Who we are for the broker: a .creds file");
  file(app, "--ca", options.ca, "Who signs the broker's certificate");
  CLI::Option* certificate =
      file(app, "--certificate", options.certificate, "Our own certificate, with --key");
  CLI::Option* key = file(app, "--key", options.key, "The key of --certificate");
  certificate->needs(key);
  key->needs(certificate);
}

}  // namespace raddle
