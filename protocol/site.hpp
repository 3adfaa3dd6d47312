// What the compiler pass says of a site beside its names: flags that the runtime and the tool read,
// too. host/symbols/site.hpp has the whole site.
#pragma once

#include <cstdint>

namespace raddle {

// Site::flags
inline constexpr std::uint8_t kSiteUnit = 1;         // enter: the function is a unit of work
inline constexpr std::uint8_t kSiteConstructor = 2;  // enter: of the object `this`
inline constexpr std::uint8_t kSiteDestructor = 4;
inline constexpr std::uint8_t kSiteAtomic = 8;     // enter: annotated as an atomic block
inline constexpr std::uint8_t kSiteWaits = 16;     // enter: the function waits on a condition
inline constexpr std::uint8_t kSiteDeclared = 32;  // enter: an annotation says that it is a unit
inline constexpr std::uint8_t kSiteOfSets = 64;    // enter: its class has annotated sets
inline constexpr std::uint8_t kSiteVolatile =
    1;  // access: volatile, of 1, 2, 4 or 8 bytes, aligned: the processor makes it in one step
inline constexpr std::uint8_t kSiteNoNumber =
    8;  // access, atomic operation: its bytes are no number that a person would know: several
        // members at once, part of one, a floating-point number
inline constexpr std::uint8_t kSiteConstField = 16;   // access: the field is declared const
inline constexpr std::uint8_t kSiteAtomicField = 32;  // access: ... std::atomic or _Atomic
inline constexpr std::uint8_t kSiteStatic =
    64;  // access: a static member or global, `field` names it
inline constexpr std::uint8_t kSiteLocal =
    128;  // access, local: a local variable, `field` names it

// Site::offset of an element of an array inside the object: the instance of `cls` is the one that
// contains the address.
inline constexpr std::uint32_t kUnknownOffset = 0xffff'ffff;

}  // namespace raddle
