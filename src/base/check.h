// Local invariants. CARRY_CHECK is active in debug, fuzz and hardened builds and compiles to nothing in release;
// between stages the verifiers (architecture 7) do the same work in release and report a Bug.
#pragma once

namespace carry {

/// Prints the failed condition with its place and aborts. Never called in release builds.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace carry

#if defined(CARRY_HARDENED) || !defined(NDEBUG)
#define CARRY_CHECK(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::carry::check_failed(#condition, __FILE__, __LINE__))
#else
#define CARRY_CHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
