// Names for objects of a report that are no global variables: locals by the frame they lie in, heap
// objects by class and place of allocation. Used by ReportedObjects.
#pragma once

#include "host/describe/object_ref.hpp"
#include "host/symbols/symbolizer.hpp"
#include "protocol/report.hpp"

namespace raddle {

// Empty if nothing is known. The report is not trusted.
ObjectName placed_name(const Report& report, const ObjectReport& object, Symbolizer& symbols);

}  // namespace raddle
