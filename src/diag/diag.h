// Diagnostics: one row in diags.def each; the row makes the enum, the typed constant and the catalogue page.
//
//   diags.emit(loc, diag::no_matching_overload, name, arg_types).note(decl_loc, diag::candidate_here, why);
//
// Arguments are turned to text by `DiagArg` constructors when the message is emitted; the template text is filled in
// by the renderers. A wrong number of arguments does not compile. Not thread-safe: one Emitter per Compilation.
// What leads to a message is cold: compilers move it away from the code that runs for every shader.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "source/loc.h"

namespace carry {

enum class Severity : uint8_t { note, remark, warning, error, fatal };

/// One per row of diags.def.
enum class DiagId : uint16_t {
#define DIAG(name, severity, code, arg_count, default_on, text) name,
#include "diag/diags.def"
#undef DIAG
  count_
};

/// The row of a diagnostic. `name` uses hyphens ("no-matching-overload"): the public name of warnings and JSON.
struct DiagRow {
  const char* name;
  Severity severity;
  uint16_t code;  // printed as CY3012
  uint8_t arg_count;
  bool default_on;   // for warnings: on without -W
  const char* text;  // {0}, {1} ... are the arguments
};

[[nodiscard]] const DiagRow& diag_row(DiagId id);
/// By public name ("literal-changes-sign") or by code ("CY3012"); DiagId::count_ when there is none.
[[nodiscard]] DiagId find_diag(std::string_view name_or_code);

/// Typed constant: the number of arguments is part of the type.
template <int ArgCount>
struct DiagConstant {
  DiagId id;
};

namespace diag {
#define DIAG(name, severity, code, arg_count, default_on, text) \
  inline constexpr ::carry::DiagConstant<arg_count> name{::carry::DiagId::name};
#include "diag/diags.def"
#undef DIAG
}  // namespace diag

/// Text of one argument.
struct DiagArg {
  std::string text;
  DiagArg(std::string_view t) : text(t) {}        // NOLINT(google-explicit-constructor)
  DiagArg(const char* t) : text(t) {}             // NOLINT(google-explicit-constructor)
  DiagArg(std::string t) : text(std::move(t)) {}  // NOLINT(google-explicit-constructor)
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  DiagArg(T v) : text(std::to_string(v)) {}  // NOLINT(google-explicit-constructor)
};

/// Replace `range` by `text`; an empty range inserts.
struct FixIt {
  LocRange range;
  std::string text;
};

struct Diagnostic {
  DiagId id{};
  Severity severity = Severity::error;  // after -Werror and friends
  LocRange range;
  std::vector<std::string> args;
  std::vector<FixIt> fixes;
  std::vector<Diagnostic> notes;
  std::string target;  // "wgsl" when it concerns one target only
};

/// -W options and limits. `state` is indexed by DiagId.
struct DiagOptions {
  enum class State : uint8_t { by_row, off, on, error };
  std::array<State, static_cast<size_t>(DiagId::count_)> state{};
  bool all_warnings = false;         // -Wall
  bool warnings_are_errors = false;  // -Werror
  bool no_warnings = false;          // -w
  uint32_t error_limit = 20;         // 0: no limit
};

class Emitter;

/// Adds notes and fix-its to the message just emitted; harmless when that message was suppressed.
class DiagHandle {
 public:
  template <int N, class... Args>
  [[gnu::cold]] DiagHandle& note(LocRange range, DiagConstant<N> row, Args&&... args) {
    static_assert(N == sizeof...(Args), "wrong number of arguments for this diagnostic");
    add_note(range, row.id, {DiagArg(std::forward<Args>(args)).text...});
    return *this;
  }
  template <int N, class... Args>
  [[gnu::cold]] DiagHandle& note(Loc loc, DiagConstant<N> row, Args&&... args) {
    return note(LocRange{loc, {}}, row, std::forward<Args>(args)...);
  }
  [[gnu::cold]] DiagHandle& fix(LocRange range, std::string text);
  [[gnu::cold]] DiagHandle& target(std::string_view name);

 private:
  friend class Emitter;
  DiagHandle(Emitter* emitter, uint32_t index) : emitter_(emitter), index_(index) {}
  [[gnu::cold]] void add_note(LocRange range, DiagId id, std::vector<std::string> args);
  Emitter* emitter_;
  uint32_t index_;  // all ones: suppressed
};

class Emitter {
 public:
  explicit Emitter(DiagOptions options = {}) : options_(options) {}

  template <int N, class... Args>
  [[gnu::cold]] DiagHandle emit(LocRange range, DiagConstant<N> row, Args&&... args) {
    static_assert(N == sizeof...(Args), "wrong number of arguments for this diagnostic");
    return add(range, row.id, {DiagArg(std::forward<Args>(args)).text...});
  }
  template <int N, class... Args>
  [[gnu::cold]] DiagHandle emit(Loc loc, DiagConstant<N> row, Args&&... args) {
    return emit(LocRange{loc, {}}, row, std::forward<Args>(args)...);
  }

  [[nodiscard]] bool has_errors() const { return error_count_ != 0; }
  [[nodiscard]] uint32_t error_count() const { return error_count_; }
  /// True once the error limit is reached: stages may stop early.
  [[nodiscard]] bool at_limit() const { return options_.error_limit != 0 && error_count_ >= options_.error_limit; }
  /// Whether a warning would be shown: lets callers skip costly checks.
  [[nodiscard]] bool enabled(DiagId id) const;
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] const DiagOptions& options() const { return options_; }
  void set_options(const DiagOptions& options) { options_ = options; }
  /// Number of diagnostics now; `rewind(n)` drops later ones (speculative parsing, per-target runs).
  [[nodiscard]] uint32_t mark() const { return static_cast<uint32_t>(diagnostics_.size()); }
  void rewind(uint32_t mark);

 private:
  friend class DiagHandle;
  [[gnu::cold]] DiagHandle add(LocRange range, DiagId id, std::vector<std::string> args);
  DiagOptions options_;
  std::vector<Diagnostic> diagnostics_;
  uint32_t error_count_ = 0;
};

/// Fills `{0}` ... of the row's text.
[[nodiscard]] std::string message_text(const Diagnostic& diagnostic);

}  // namespace carry
