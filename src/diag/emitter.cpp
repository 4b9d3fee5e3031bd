#include <charconv>
#include <cstring>
#include <utility>

#include "diag/diag.h"

namespace carry {

namespace {

constexpr DiagRow kRows[] = {
#define DIAG(name, severity, code, arg_count, default_on, text) {#name, Severity::severity, code, arg_count, default_on, text},
#include "diag/diags.def"
#undef DIAG
};
constexpr uint32_t kSuppressed = 0xffffffffu;
constexpr size_t kRowCount = static_cast<size_t>(DiagId::count_);
static_assert(std::size(kRows) == kRowCount);

constexpr size_t names_size() {
  size_t size = 0;
  for (const DiagRow& row : kRows) {
    for (const char* p = row.name; *p != '\0'; ++p) ++size;
    ++size;
  }
  return size;
}

/// The rows again, with names in the public spelling; made by the compiler, so that nothing runs at start-up.
struct PublicNames {
  char text[names_size()]{};
  uint32_t first[kRowCount]{};
};

constexpr PublicNames make_public_names() {
  PublicNames names;
  uint32_t at = 0;
  for (size_t i = 0; i < kRowCount; ++i) {
    names.first[i] = at;
    for (const char* p = kRows[i].name; *p != '\0'; ++p) names.text[at++] = *p == '_' ? '-' : *p;
    names.text[at++] = '\0';
  }
  return names;
}

constexpr PublicNames kNames = make_public_names();

struct PublicRows {
  DiagRow rows[kRowCount];
};

constexpr PublicRows make_public_rows() {
  PublicRows result{};
  for (size_t i = 0; i < kRowCount; ++i) {
    result.rows[i] = kRows[i];
    result.rows[i].name = kNames.text + kNames.first[i];
  }
  return result;
}

constexpr PublicRows kPublicRows = make_public_rows();

constexpr bool codes_are_unique() {
  for (size_t i = 0; i < kRowCount; ++i) {
    for (size_t j = i + 1; j < kRowCount; ++j) {
      if (kRows[i].code == kRows[j].code) return false;
    }
  }
  return true;
}
static_assert(codes_are_unique(), "two rows of diags.def have the same code");

DiagOptions::State state_of(const DiagOptions& options, DiagId id) { return options.state[static_cast<size_t>(id)]; }

/// Whether a diagnostic is shown, and as what.
bool resolve(const DiagOptions& options, DiagId id, Severity& severity) {
  const DiagRow& row = diag_row(id);
  severity = row.severity;
  if (severity != Severity::warning && severity != Severity::remark) return true;
  const DiagOptions::State state = state_of(options, id);
  if (state == DiagOptions::State::off) return false;
  if (state == DiagOptions::State::error) {
    severity = Severity::error;
    return true;
  }
  if (severity == Severity::remark) return row.default_on || state == DiagOptions::State::on;
  if (options.no_warnings) return false;
  if (!row.default_on && !options.all_warnings && state != DiagOptions::State::on) return false;
  if (options.warnings_are_errors) severity = Severity::error;
  return true;
}

bool counts_as_error(Severity severity) { return severity == Severity::error || severity == Severity::fatal; }

}  // namespace

const DiagRow& diag_row(DiagId id) { return kPublicRows.rows[static_cast<size_t>(id)]; }

DiagId find_diag(std::string_view name_or_code) {
  std::string_view digits = name_or_code;
  if (digits.size() > 2 && (digits[0] | 0x20) == 'c' && (digits[1] | 0x20) == 'y') digits.remove_prefix(2);
  uint32_t code = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), code);
  const bool is_code = !digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  for (size_t i = 0; i < kRowCount; ++i) {
    const DiagRow& row = kPublicRows.rows[i];
    if (is_code ? row.code == code : name_or_code == row.name) return static_cast<DiagId>(i);
  }
  return DiagId::count_;
}

DiagHandle& DiagHandle::fix(LocRange range, std::string text) {
  if (index_ != kSuppressed) emitter_->diagnostics_[index_].fixes.push_back({range, std::move(text)});
  return *this;
}

DiagHandle& DiagHandle::target(std::string_view name) {
  if (index_ != kSuppressed) emitter_->diagnostics_[index_].target = std::string(name);
  return *this;
}

void DiagHandle::add_note(LocRange range, DiagId id, std::vector<std::string> args) {
  if (index_ == kSuppressed) return;
  Diagnostic note;
  note.id = id;
  note.severity = Severity::note;
  note.range = range;
  note.args = std::move(args);
  emitter_->diagnostics_[index_].notes.push_back(std::move(note));
}

bool Emitter::enabled(DiagId id) const {
  Severity severity{};
  return resolve(options_, id, severity);
}

DiagHandle Emitter::add(LocRange range, DiagId id, std::vector<std::string> args) {
  Diagnostic diagnostic;
  if (!resolve(options_, id, diagnostic.severity)) return {this, kSuppressed};
  if (counts_as_error(diagnostic.severity)) {
    if (at_limit()) {
      const bool said = !diagnostics_.empty() && diagnostics_.back().id == DiagId::too_many_errors;
      if (!said) {
        Diagnostic stop;
        stop.id = DiagId::too_many_errors;
        stop.severity = Severity::fatal;
        stop.range = range;
        stop.args.push_back(std::to_string(options_.error_limit));
        diagnostics_.push_back(std::move(stop));
        ++error_count_;
      }
      return {this, kSuppressed};
    }
    ++error_count_;
  }
  diagnostic.id = id;
  diagnostic.range = range;
  diagnostic.args = std::move(args);
  diagnostics_.push_back(std::move(diagnostic));
  return {this, static_cast<uint32_t>(diagnostics_.size() - 1)};
}

void Emitter::rewind(uint32_t mark) {
  while (diagnostics_.size() > mark) {
    if (counts_as_error(diagnostics_.back().severity)) --error_count_;
    diagnostics_.pop_back();
  }
}

namespace {

/// What the user wrote may be megabytes long: a name, a literal.
void append_argument(std::string& out, const std::string& argument) {
  constexpr size_t kLongest = 1000;
  if (argument.size() <= kLongest) {
    out += argument;
    return;
  }
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(argument[end]) & 0xc0u) == 0x80u) --end;  // not within a character
  out.append(argument, 0, end);
  out += "...";
}

}  // namespace

std::string message_text(const Diagnostic& diagnostic) {
  std::string out;
  for (const char* p = diag_row(diagnostic.id).text; *p != '\0'; ++p) {
    if (*p == '{' && p[1] >= '0' && p[1] <= '9' && p[2] == '}') {
      const auto index = static_cast<size_t>(p[1] - '0');
      if (index < diagnostic.args.size()) append_argument(out, diagnostic.args[index]);
      p += 2;
    } else {
      out.push_back(*p);
    }
  }
  return out;
}

}  // namespace carry
