"""Regression of the shim itself: refuses known mistakes, gives known bits in three thread orders."""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = '''#include <metal_stdlib>
using namespace metal;
struct Words { uint w[1]; };
kernel void sum(device Words& data [[buffer(0)]], device atomic_uint* total [[buffer(1)]],
                uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {
  threadgroup uint part[64];
  part[l] = data.w[i];
  for (uint step = 32u; step > 0u; step >>= 1u) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (l < step) part[l] = part[l] + part[l + step];
  }
  if (l == 0u) atomic_fetch_add_explicit(total, part[0], memory_order_relaxed);
  data.w[i] = mulhi(data.w[i], 0x80000001u) + popcount(i);
}
'''
# Lanes stand at the same call in different rounds of a loop, and leave it in different rounds.
ROUNDS = '''#include <metal_stdlib>
using namespace metal;
struct Words { uint w[128]; };
uint lanes_here(uint upto) {
  uint sum = 0u;
  uint i = 0u;
  do {
    if (i == upto) return sum + simd_sum(1u);
    i = i + 1u;
  } while (i < 4u);
  return sum;
}
kernel void rounds(device Words& out [[buffer(0)]], uint l [[thread_index_in_threadgroup]]) {
  uint a = 0u;
  for (uint i = 0u; i < 4u; i++)
    if ((l & 3u) == i) a += simd_sum(1u);
  uint b = 0u;
  uint k = 0u;
  while (true) {
    if (k > 0u) b = b + simd_sum(1u);
    if (k == l) {
      break;
    }
    k = k + 1u;
    continue;
  }
  uint c = 0u;
  for (;;) {
    if (simd_any(c < l)) c = c + 1u; else break;
    if (c == 5u) break;
  }
  out.w[l] = a;
  out.w[32u + l] = b;
  out.w[64u + l] = simd_sum(c);
  out.w[96u + l] = lanes_here(l & 1u);
}
'''
TEXTURES = '''#include <metal_stdlib>
using namespace metal;
struct Words { float4 w[3]; };
kernel void textures(device Words& out [[buffer(0)]], texture2d<float> image [[texture(0)]],
                     texture2d<int, access::read_write> signs [[texture(1)]], depth2d<float> depth [[texture(2)]]) {
  constexpr sampler s(compare_func::less);
  out.w[0] = image.gather(s, float2(0.5f), int2(1, 0), component::y);
  out.w[1] = image.gather(s, float2(0.5f));
  out.w[2] = depth.gather_compare(s, float2(0.5f), 8.0f);
  signs.atomic_fetch_min(uint2(0u, 0u), int4(-3));
  signs.atomic_fetch_max(uint2(1u, 0u), int4(-3));
  signs.atomic_fetch_min(uint2(2u, 0u), int4(3));
}
'''
# A thread that reads what it wrote needs a fence; what is out of bounds reads as 0, but for an alpha that the format lacks.
FENCES = '''#include <metal_stdlib>
using namespace metal;
struct Words { float w[4]; };
kernel void fences(device Words& out [[buffer(0)]], texture2d<float, access::read_write> image [[texture(0)]]) {
  image.write(float4(3.0f), uint2(0u, 0u));
  image.fence();
  out.w[0] = image.read(uint2(0u, 0u)).x;
  out.w[1] = image.read(uint2(0u, 0u), 1u).x;
  out.w[2] = image.read(uint2(0xffffffffu, 0u)).x;
  out.w[3] = image.read(uint2(0xffffffffu, 0u)).w;
}
'''


def cases():
    """(name, function of a Shim that gives an error text or '')."""
    base = (HERE / 'mutations.metal').read_text()
    yield 'msl/mutations unchanged', lambda shim: '; '.join(shim.check(base))
    for line in (HERE / 'mutations.txt').read_text().splitlines():
        if not line or line.startswith('#'):
            continue
        name, old, new = [part.strip(' ').replace('\\n', '\n') for part in line.split('|||')]
        if old not in base:
            yield f'msl/{name}', lambda shim: 'the text to change is gone'
            continue
        yield f'msl/{name}', lambda shim, t=base.replace(old, new): '' if shim.check(t) else 'accepted'
    for order in ('forward', 'reverse', '7'):
        yield f'msl/sum, order={order}', lambda shim, o=order: _sum(shim, o)
        yield f'msl/rounds, order={order}', lambda shim, o=order: _rounds(shim, o)
    yield 'msl/gather and signed texel atomics', _textures
    yield 'msl/fences and bounds of textures', _fences


def _sum(shim, order):
    values = [(i * 2654435761) & 0xffffffff for i in range(256)]
    got, error = shim.run(KERNEL, 'sum', (4, 1, 1), (64, 1, 1), {0: struct.pack('<256I', *values), 1: bytes(4)}, order=order)
    if error:
        return error
    want = [((v * 0x80000001 >> 32) + bin(i).count('1')) & 0xffffffff for i, v in enumerate(values)]
    if got[1] != struct.pack('<I', sum(values) & 0xffffffff):
        return 'the sum differs'
    return '' if got[0] == struct.pack('<256I', *want) else 'the words differ'


def _rounds(shim, order):
    got, error = shim.run(ROUNDS, 'rounds', (1, 1, 1), (32, 1, 1), {0: bytes(512)}, order=order)
    if error:
        return error
    parts = [list(struct.unpack_from('<32I', got[0], 128 * i)) for i in range(4)]
    want = [[8] * 32, [sum(32 - k for k in range(1, l + 1)) for l in range(32)], [5 * 32] * 32, [16] * 32]
    return '; '.join(f'{name}: {part}' for name, part, right in zip('abcd', parts, want) if part != right)


def _fences(shim):
    textures = {0: (1, 1, 1, bytes(16))}
    got, error = shim.run(FENCES, 'fences', (1, 1, 1), (1, 1, 1), {0: bytes(16)}, textures)
    if error or struct.unpack('<4f', got[0]) != (3, 0, 0, 1):
        return error or f'read {struct.unpack("<4f", got[0])}'
    for old, new in (('  image.fence();\n', ''), ('uint2(0u, 0u), 1u).x', 'uint2(image.get_width(1u), 0u)).x')):
        if not shim.run(FENCES.replace(old, new), 'fences', (1, 1, 1), (1, 1, 1), {0: bytes(16)}, textures)[1]:
            return f'accepted {new!r} for {old!r}'
    return ''


def _textures(shim):
    texels = struct.pack('<64f', *(part + i for i in range(16) for part in (0, 100, 200, 300)))
    signs = struct.pack('<16i', 5, 0, 0, 0, -5, 0, 0, 0, -5, 0, 0, 0, 0, 0, 0, 0)
    textures = {0: (4, 4, 4, texels), 1: (4, 1, 1, signs), 2: (4, 4, 1, texels)}
    got, error = shim.run(TEXTURES, 'textures', (1, 1, 1), (1, 1, 1), {0: bytes(48)}, textures)
    if error:
        return error
    if struct.unpack('<12f', got[0]) != (110, 111, 107, 106, 9, 10, 6, 5, 1, 1, 0, 0):
        return f'gathered {struct.unpack("<12f", got[0])}'
    kept = struct.unpack('<16i', got['texture', 1])[0::4]
    return '' if kept == (-3, -3, -5, 0) else f'texels {kept}'
