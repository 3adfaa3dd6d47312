// Names with which the two phases of the pass, and the user's code, speak to each other in the IR.
#pragma once

namespace raddle::pass {

// Attributes of functions.
inline constexpr char kMarked[] = "raddle-marked";  // value: MarkerText::number of its markers
inline constexpr char kIgnored[] = "raddle-ignored";

// Tags of the operand bundles that make a call a marker (markers.hpp).
inline constexpr char kEnterTag[] = "raddle-enter";
inline constexpr char kExitTag[] = "raddle-exit";

// Metadata of instructions: the early phase writes it, the late phase reads it.
inline constexpr char kAccessMetadata[] = "raddle.access";
inline constexpr char kAllocateMetadata[] = "raddle.allocate";
// Metadata of the module: which fields belong to which atomic set.
inline constexpr char kSetsMetadata[] = "raddle.sets";
inline constexpr char kGlobalSetMetadata[] = "raddle.set";  // of a global variable

// Metadata of the module: the phase has run. It must not run twice, though a driver and a build
// system may both load the plugin.
inline constexpr char kWeaveDone[] = "raddle.woven";
inline constexpr char kEarlyDone[] = "raddle.early";
inline constexpr char kLateDone[] = "raddle.late";

// Texts of annotate attributes (include/raddle/annotations.hpp and the drivers' macro).
inline constexpr char kIgnoreAnnotation[] = "raddle:ignore";
inline constexpr char kAtomicAnnotation[] = "raddle:atomic";
inline constexpr char kUnitAnnotation[] = "raddle:unit";
inline constexpr char kSetAnnotation[] = "raddle:set:";
inline constexpr char kNoSanitizeAnnotation[] = "raddle:no_sanitize";

inline constexpr char kStateName[] = "__raddle_state";
inline constexpr char kSitesSection[] = "raddle_sites";
inline constexpr char kFunctionsSection[] = "raddle_functions";
inline constexpr char kTellersSection[] = "raddle_tellers";
inline constexpr char kAssemblySection[] = "raddle_assembly";
inline constexpr char kCloneSuffix[] = ".raddle";
inline constexpr char kCheckedSuffix[] = ".raddle.checked";

}  // namespace raddle::pass
