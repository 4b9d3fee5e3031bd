#include "diag/explain.h"

namespace carry {

namespace {

struct Row {
  DiagId id;
  Explanation explanation;
};

/// Sorted by nothing: `carry explain` is the only reader.
constexpr Row kRows[] = {
#define EXPLAIN(name, rule, clause, options, example, mend) {DiagId::name, {rule, clause, options, example, mend}},
#include "diag/explain_check.def"
#include "diag/explain_preprocess.def"
#include "diag/explain_syntax.def"
#include "diag/explain_target.def"
#undef EXPLAIN
};

constexpr Explanation kNone{};

}  // namespace

const Explanation& explanation(DiagId id) {
  for (const Row& row : kRows) {
    if (row.id == id) return row.explanation;
  }
  return kNone;
}

}  // namespace carry
