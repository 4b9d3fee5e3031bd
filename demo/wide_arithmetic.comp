#version 450
// 64- and 128-bit arithmetic on words, low word first: sums, differences and products from the carry built-ins.
layout(local_size_x = 32) in;

struct Result {
  uvec2 sum64, difference64, product64;  // of the first two words of a and b
  uvec2 pad;
  uvec4 sum128, difference128, product128;  // of all four words
  uvec4 lane_sums, lane_carries;            // word by word, without a carry from one to the next
};

layout(std430, set = 0, binding = 0) readonly buffer Operands { uvec4 pairs[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Results { Result results[]; };

uvec2 add64(uvec2 a, uvec2 b) {
  uint carry;
  uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 sub64(uvec2 a, uvec2 b) {
  uint borrow;
  uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}

uvec2 mul64(uvec2 a, uvec2 b) {
  uint high, low;
  umulExtended(a.x, b.x, high, low);
  return uvec2(low, high + a.x * b.y + a.y * b.x);
}

// Adds `carry` (0 or 1) as well, and hands on the carry out.
uint add_word(uint a, uint b, inout uint carry) {
  uint first, second;
  uint sum = uaddCarry(uaddCarry(a, b, first), carry, second);
  carry = first + second;
  return sum;
}

uvec4 add128(uvec4 a, uvec4 b) {
  uint carry = 0u;
  uvec4 sum;
  for (int i = 0; i < 4; ++i) sum[i] = add_word(a[i], b[i], carry);
  return sum;
}

uvec4 sub128(uvec4 a, uvec4 b) {
  uint borrow = 0u;
  uvec4 difference;
  for (int i = 0; i < 4; ++i) {
    uint first, second;
    difference[i] = usubBorrow(usubBorrow(a[i], b[i], first), borrow, second);
    borrow = first + second;
  }
  return difference;
}

uvec4 mul128(uvec4 a, uvec4 b) {
  uvec4 product = uvec4(0u);
  for (int i = 0; i < 4; ++i) {
    uint carry = 0u;
    for (int j = 0; i + j < 4; ++j) {
      uint high, low, c0, c1;
      umulExtended(a[i], b[j], high, low);
      uint sum = uaddCarry(product[i + j], low, c0);
      product[i + j] = uaddCarry(sum, carry, c1);
      carry = high + c0 + c1;
    }
  }
  return product;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= results.length()) return;
  uvec4 a = pairs[2u * i], b = pairs[2u * i + 1u];
  Result r;
  r.sum64 = add64(a.xy, b.xy);
  r.difference64 = sub64(a.xy, b.xy);
  r.product64 = mul64(a.xy, b.xy);
  r.pad = uvec2(0u);
  r.sum128 = add128(a, b);
  r.difference128 = sub128(a, b);
  r.product128 = mul128(a, b);
  r.lane_sums = uaddCarry(a, b, r.lane_carries);
  results[i] = r;
}
