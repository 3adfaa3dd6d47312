// Stands in for raddle::enforce: prints each event, so that a test sees what was woven.
#include <cstdio>

#include <raddle/mop.hpp>

namespace raddle::enforce {

class Property {
 public:
  const Specification* specification;
  const void* known[100] = {};  // objects, which are printed as numbers
  unsigned count = 0;
};

Property* begin(const Specification& specification) { return new Property{&specification, {}, 0}; }

bool happens(Property* property, unsigned event, const void* const* objects, void* context,
             const char* location) {
  const Specification& all = *property->specification;
  const EventInfo& info = all.events[event];
  alignas(std::max_align_t) static char variables[4096];
  static bool made = false;
  if (all.variables_size > 0 && !made) all.make(variables);
  made = true;
  if (info.when != nullptr && !info.when(variables, context)) return false;
  const char* place = location;
  for (const char* at = location; *at != 0; ++at)
    if (*at == '/') place = at + 1;
  std::printf("%s.%s", all.name, info.name);
  for (unsigned i = 0; i < all.parameter_count; ++i) {
    if ((info.parameters >> i & 1U) == 0) continue;
    unsigned number = 0;
    while (number < property->count && property->known[number] != objects[i]) ++number;
    if (number == property->count) property->known[property->count++] = objects[i];
    std::printf(" %s%u", all.parameters[i], number);
  }
  std::printf(" at %s\n", place);
  if (info.body != nullptr) info.body(variables, context);
  Handling handling{variables, context, location};
  for (unsigned i = 0; i < all.category_count; ++i)
    if (all.handlers[i] != nullptr) all.handlers[i](handling);
  return handling.skip;
}

void destroyed(Property* property, unsigned parameter, const void*) {
  std::printf("%s: %s is new or gone\n", property->specification->name,
              property->specification->parameters[parameter]);
}

}  // namespace raddle::enforce
