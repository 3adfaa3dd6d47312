// The sites that the compiler pass put into a program (RaddleSite in protocol/hooks_abi.h), read
// from the program's file: what a site's address in the running process stands for. The file is as
// hostile as any other input: every offset is checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/symbols/maps.hpp"
#include "host/symbols/site.hpp"

namespace raddle {

class DescribedSites {
 public:
  DescribedSites() = default;
  ~DescribedSites();
  DescribedSites(const DescribedSites&) = delete;
  DescribedSites& operator=(const DescribedSites&) = delete;

  // The objects of the process from now on.
  void set_objects(std::vector<LoadedObject> objects);

  // The site at an address; nothing if the address is code, or in no file, or the bytes there make
  // no sense.
  std::optional<Site> at(std::uint64_t address);

  // Whether the object at this address has sites at all: its code has hooks.
  bool instrumented(std::uint64_t address);

 private:
  struct Image;
  Image* image_of(const LoadedObject& object);

  std::vector<LoadedObject> objects_;
  std::map<std::string, Image*> images_;  // by path and identity; null: cannot be read
};

}  // namespace raddle
