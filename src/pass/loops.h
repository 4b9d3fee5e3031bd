// Loops as the text form has them: without values, with a bare continuing region.
#pragma once

#include "ir/builder.h"

namespace carry::pass {

/// What is emitted after the constructor is the loop's body, until `close`.
class OpenLoop {
 public:
  explicit OpenLoop(ir::Builder& b) : b_(b), body_(b.open_region()) {}
  /// if (done) break;
  void leave_if(ir::ValueId done);
  /// if (go_on) {} else break;
  void leave_unless(ir::ValueId go_on);
  /// Goes round once more; what follows stands behind the loop.
  void close();

 private:
  ir::RegionId region_of(Op terminator);

  ir::Builder& b_;
  ir::RegionId body_;
};

/// for (round = 0; round < count; ++round). All active lanes go round together, so that operations between lanes in the body
/// see every one of them.
class CountedLoop {
 public:
  CountedLoop(ir::Builder& b, ir::ValueId count);
  /// Number of the round, from 0.
  [[nodiscard]] ir::ValueId round() const { return round_; }
  void close();

 private:
  ir::Builder& b_;
  ir::ValueId counter_;
  OpenLoop loop_;
  ir::ValueId round_;
};

}  // namespace carry::pass
