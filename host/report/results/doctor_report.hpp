// The result of `raddle doctor`.
#pragma once

#include <string>
#include <vector>

#include "host/process/program/doctor.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct DoctorReport {
  std::string subject = "this machine";  // or the program
  std::vector<Check> checks;
};

Document document_of(const DoctorReport& report);

}  // namespace raddle
