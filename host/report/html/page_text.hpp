// The page of a report: page/page.html with its style and its script, as one text. CMake makes the
// definition (page.cmake).
#pragma once

namespace raddle {

// Where the data belongs.
inline constexpr const char* kPageDataMark = "@PAGE_DATA@";

extern const char* const kReportPage;

}  // namespace raddle
