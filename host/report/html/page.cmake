# The page of --html becomes a string of the program: page/page.html with page.css and page.js in their places. Needs
# nothing but CMake.
set(page ${CMAKE_CURRENT_LIST_DIR}/page)
foreach(part css js)
  file(READ ${page}/page.${part} content)
  string(TOUPPER PAGE_${part} name)
  set(${name} "${content}")
endforeach()
set(PAGE_DATA "@PAGE_DATA@")
configure_file(${page}/page.html ${CMAKE_CURRENT_BINARY_DIR}/report_page/page.html @ONLY)
file(READ ${CMAKE_CURRENT_BINARY_DIR}/report_page/page.html PAGE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/page_text.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/report_page/page_text.cpp @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${page}/page.html ${page}/page.css ${page}/page.js ${CMAKE_CURRENT_LIST_DIR}/page_text.cpp.in)
target_sources(raddle_report PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/report_page/page_text.cpp)
