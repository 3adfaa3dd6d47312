// Where the sources of a document lie, for formats that name them to other programs. Called by the
// formats.
#pragma once

#include <string>

#include "host/report/document/document.hpp"

namespace raddle {

// The folder that Document::source_root names; else the nearest one from here upwards that is a
// checkout of git, else this one. Absolute, with a '/' at its end.
std::string source_root(const Document& document);

// A source file as a URI. `relative`: to the source root, which the file lies in.
struct SourceUri {
  std::string uri;
  bool relative = false;
};
SourceUri source_uri(const std::string& root, const std::string& file);

// "file:///home/you/bank/": every byte that a URI cannot have is escaped.
std::string file_uri(const std::string& absolute);

// The file as a path from the root, if it lies there; else as an absolute path.
std::string source_path(const std::string& root, const std::string& file);

}  // namespace raddle
