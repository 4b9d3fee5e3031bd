// The hot loops against ops/eval: every operation, kind and variant that has a loop, on all pairs of edge values.
#include "exec/arith.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "exec/machine.h"
#include "ops/eval/eval.h"

namespace carry::exec {
namespace {

constexpr ScalarKind kKinds[] = {ScalarKind::bool_, ScalarKind::i8,  ScalarKind::i16, ScalarKind::i32,
                                 ScalarKind::i64,   ScalarKind::u8,  ScalarKind::u16, ScalarKind::u32,
                                 ScalarKind::u64,   ScalarKind::f16, ScalarKind::f32, ScalarKind::f64};

uint64_t mask_of(ScalarKind k) {
  if (k == ScalarKind::bool_) return 1;
  const uint32_t bits = scalar_bits(k);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t bits_of(float v) {
  uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}
uint64_t bits_of(double v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

std::vector<uint64_t> edges(ScalarKind k) {
  if (k == ScalarKind::bool_) return {0, 1};
  if (k == ScalarKind::f32 || k == ScalarKind::f64) {
    // Zeros, subnormals, the ends, infinities, NaNs of both signs and with a payload, integers about each limit.
    std::vector<double> values = {0.0,           -0.0,         1.0,          -1.0,         0.5,
                                  -0.5,          1.5,          2.5,          3.4e38,       -3.4e38,
                                  1e-38,         1e-40,        -1e-40,       1e-45,        255.5,
                                  65504.0,       2147483520.0, 2147483647.0, 2147483648.0, -2147483648.0,
                                  -2147483649.0, 4294967040.0, 4294967295.0, 4294967296.0, 9007199254740993.0,
                                  9.3e18,        1.9e19,       16777217.0,   1.0000001,    0.99999994,
                                  1e300,         5e-324};
    std::vector<uint64_t> out;
    for (const double v : values) out.push_back(k == ScalarKind::f32 ? bits_of(static_cast<float>(v)) : bits_of(v));
    const int shift = k == ScalarKind::f32 ? 23 : 52;
    const uint64_t infinity = k == ScalarKind::f32 ? 0x7f800000u : 0x7ff0000000000000u;
    const uint64_t sign = uint64_t{1} << (scalar_bits(k) - 1);
    for (const uint64_t s : {uint64_t{0}, sign}) {
      for (const uint64_t low : {uint64_t{0}, uint64_t{1}, uint64_t{1} << (shift - 1), (uint64_t{1} << (shift - 1)) | 5}) {
        out.push_back(s | infinity | low);
      }
      out.push_back(s | (uint64_t{1} << shift));
      out.push_back(s | ((uint64_t{1} << shift) - 1));
    }
    return out;
  }
  const uint64_t mask = mask_of(k);
  const uint64_t sign = (mask >> 1) + 1;
  return {0,
          1,
          2,
          3,
          7,
          8,
          15,
          16,
          31,
          32,
          33,
          63,
          64,
          100,
          sign - 2,
          sign - 1,
          sign,
          sign + 1,
          mask - 1,
          mask,
          mask / 3,
          mask / 3 * 2,
          mask & 0x123456789abcdef0u,
          mask & 0xfedcba9876543210u};
}

/// A batch with rows for two operands and a result, one pair of values a lane.
class Rows {
 public:
  Rows(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b, ScalarKind ka, ScalarKind kb) {
    for (const uint64_t x : a) {
      for (const uint64_t y : b) pairs_.emplace_back(x, y);
    }
    machine.lanes = static_cast<uint32_t>(pairs_.size());
    machine.stride = (machine.lanes + 15) / 16 * 16;
    machine.lo = 0;
    machine.hi = machine.lanes;
    memory_.assign(size_t{machine.stride} * 3 + 8, 0);
    machine.regs = reinterpret_cast<uint32_t*>(memory_.data());
    code.dst = 0;
    code.a = machine.stride * 2;
    code.b = machine.stride * 4;
    for (uint32_t i = 0; i < machine.lanes; ++i) {
      write_row(machine, code.a, is_wide(ka), i, pairs_[i].first);
      write_row(machine, code.b, is_wide(kb), i, pairs_[i].second);
    }
  }
  [[nodiscard]] const std::vector<std::pair<uint64_t, uint64_t>>& pairs() const { return pairs_; }

  Machine machine;
  Code code;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> pairs_;
  std::vector<uint64_t> memory_;
};

uint32_t compare(Handler handler, Op op, ScalarKind from, ScalarKind to, uint32_t payload) {
  const int operands = op_row(op).operands;
  const bool shift = op == Op::shl || op == Op::lshr || op == Op::ashr;
  const ScalarKind second = shift ? ScalarKind::u32 : from;
  Rows rows(edges(from), operands == 2 ? edges(second) : std::vector<uint64_t>{0}, from, second);
  handler(rows.machine, rows.code);
  for (uint32_t i = 0; i < rows.machine.lanes; ++i) {
    const auto [x, y] = rows.pairs()[i];
    const uint64_t args[2] = {x, y};
    uint64_t want = 0;
    const bool known = eval::eval_scalar(op, from, to, payload, {args, static_cast<size_t>(operands)}, {&want, 1});
    EXPECT_TRUE(known) << op_row(op).name << " " << scalar_name(from);
    if (!known) return 1;
    const uint64_t got = read_row(rows.machine, rows.code.dst, is_wide(to), i);
    EXPECT_EQ(got, want) << op_row(op).name << " of " << scalar_name(from) << " to " << scalar_name(to) << ", variant "
                         << payload << ", operands " << std::hex << x << " " << y;
    if (got != want) return 1;
  }
  return 1;
}

TEST(Arith, LoopsAgreeWithEval) {
  uint32_t compared = 0;
  for (uint32_t n = 0; n < static_cast<uint32_t>(Op::count_); ++n) {
    const Op op = static_cast<Op>(n);
    if (op_row(op).operands != 1 && op_row(op).operands != 2) continue;
    const bool to_bool = op_row(op).rule == TypeRule::bool0;
    const bool division = op == Op::udiv || op == Op::sdiv || op == Op::urem || op == Op::srem;
    for (const ScalarKind kind : kKinds) {
      const ScalarKind to = to_bool ? ScalarKind::bool_ : kind;
      const bool is_number = kind != ScalarKind::bool_ && !is_float(kind);
      // The sign of an operation's type is part of the IR's rules: u32 never meets sdiv.
      if (is_number && has_trait(op, kSigned) && kind != to_signed(kind)) continue;
      if (is_number && has_trait(op, kUnsigned) && kind != to_unsigned(kind)) continue;
      for (const ArithmeticVariant variant : {ArithmeticVariant::total, ArithmeticVariant::x0, ArithmeticVariant::ones}) {
        const bool fits =
            has_trait(op, kVariant) && division ? variant != ArithmeticVariant::total : variant == ArithmeticVariant::total;
        if (!fits) continue;
        if (const Handler h = integer_handler(op, kind, variant))
          compared += compare(h, op, kind, to, static_cast<uint32_t>(variant));
      }
      if (const Handler h = float_handler(op, kind)) compared += compare(h, op, kind, to, 0);
      for (const ScalarKind result : kKinds) {
        if (const Handler h = convert_handler(op, kind, result)) compared += compare(h, op, kind, result, 0);
      }
    }
  }
  EXPECT_GT(compared, 150u);  // that the loops are found at all
}

TEST(Arith, SelectAndDynamicElementsKeepTheirLanes) {
  const std::vector<uint64_t> two = {0, 1};
  Rows rows(two, {5, 9, 12}, ScalarKind::bool_, ScalarKind::u32);
  Machine& m = rows.machine;
  std::vector<uint32_t> other(m.stride, 77);
  Code code = rows.code;
  code.c = rows.code.b;
  code.b = rows.code.b;
  select_handler(false)(m, code);
  for (uint32_t i = 0; i < m.lanes; ++i) EXPECT_EQ(m.regs[code.dst + i], rows.pairs()[i].second);
  // elem: two parts, the rows of a and b; an index past them gives zero.
  Code elem = rows.code;
  elem.n = 2;
  elem.aux = 2;
  std::vector<uint64_t> wide(size_t{m.stride} * 4, 0);
  std::memcpy(wide.data(), m.regs, size_t{m.stride} * 6 * sizeof(uint32_t));
  m.regs = reinterpret_cast<uint32_t*>(wide.data());
  elem.b = m.stride * 6;
  for (uint32_t i = 0; i < m.lanes; ++i) m.regs[elem.b + i] = i % 4 == 3 ? ~0u : i % 3;
  elem_dynamic_handler(false)(m, elem);
  for (uint32_t i = 0; i < m.lanes; ++i) {
    const uint32_t index = i % 4 == 3 ? ~0u : i % 3;
    const uint64_t want = index == 0 ? rows.pairs()[i].first : index == 1 ? rows.pairs()[i].second : 0;
    EXPECT_EQ(m.regs[elem.dst + i], want) << i;
  }
}

}  // namespace
}  // namespace carry::exec
