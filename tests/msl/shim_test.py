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


def _sum(shim, order):
    values = [(i * 2654435761) & 0xffffffff for i in range(256)]
    got, error = shim.run(KERNEL, 'sum', (4, 1, 1), (64, 1, 1), {0: struct.pack('<256I', *values), 1: bytes(4)}, order=order)
    if error:
        return error
    want = [((v * 0x80000001 >> 32) + bin(i).count('1')) & 0xffffffff for i, v in enumerate(values)]
    if got[1] != struct.pack('<I', sum(values) & 0xffffffff):
        return 'the sum differs'
    return '' if got[0] == struct.pack('<256I', *want) else 'the words differ'
