// The small types that must not be mixed up. Shared by host and runtime; plain data only.
#pragma once

#include <cstdint>

namespace raddle {

// Ordinal of a thread in one execution: 0 is the main thread, then in order of creation.
enum class ThreadId : std::uint16_t {};
inline constexpr ThreadId kNoThread{0xffff};
inline constexpr ThreadId kMainThread{0};

// Ordinal of a synchronisation object in one execution, in order of first use. 0 means "no object".
enum class ObjectId : std::uint32_t {};
inline constexpr ObjectId kNoObject{0};

// Index of a decision in the choice log.
enum class Step : std::uint64_t {};

constexpr std::uint16_t raw(ThreadId id) { return static_cast<std::uint16_t>(id); }
constexpr std::uint32_t raw(ObjectId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint64_t raw(Step step) { return static_cast<std::uint64_t>(step); }

}  // namespace raddle
