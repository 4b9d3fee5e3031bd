"""MSL that execution tests cannot bind: arrays of buffers. Compiled by `carry`, run by the shim if there is one."""
import re
import shutil
import struct

import devices

ARRAYS = '''#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Part { uint scale; uint v[]; } parts[3];
layout(std140, binding = 1) uniform Shift { uint by; } shifts[2];
layout(std430, binding = 2) buffer Out { uint o[]; };
uint part(uint k) { return parts[k].v[1] * parts[k].scale + uint(parts[k].v.length()); }
void main() {
  uint i = gl_LocalInvocationIndex;
  o[i] = part(i % 3u) << shifts[i & 1u].by;
  atomicAdd(parts[2].v[i & 1u], 7u);
  parts[1].v[0] = uint(parts[0].v.length());
}
'''


def test_arrays_of_buffers(t):
    t.write('a.comp', ARRAYS)
    t.run('a.comp', '--target', 'msl3.2', '-o', 'a.metal', '--reflect', 'a.json').quiet()
    resources = t.run('reflect', 'a.comp', '--target', 'msl3.2').json()['targets'][0]['entries'][0]
    t.check([p['buffer'] for p in resources['resources']] == [0, 3, 5] and resources['buffer_sizes'] == 6, str(resources))
    text = (t.folder / 'a.metal').read_text()
    t.check([int(n) for n in re.findall(r'\[\[buffer\((\d)\)\]\]', text)] == list(range(7)), text)
    if not shutil.which('clang-19'):
        return
    shim = devices.make_shim()
    words = lambda *w: struct.pack(f'<{len(w)}I', *w)
    buffers = [words(2, 10, 20), words(3, 30, 40, 50), words(4, 0, 60, 0, 0), words(1, 0, 0, 0), words(2, 0, 0, 0), bytes(16)]
    buffers.append(words(*map(len, buffers)))
    got, error = shim.run(text, 'main0', (1, 1, 1), (4, 1, 1), dict(enumerate(buffers)), order='reverse')
    t.check(not error, error)
    t.check(struct.unpack('<4I', got[5])[::3] == (84, 168), str(struct.unpack('<4I', got[5])))
    t.check(got[1] == words(3, 2, 40, 50) and got[2] == words(4, 14, 74, 0, 0), str(got))


def test_array_of_unknown_length(t):
    t.write('a.comp', '#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 1) in;\n'
            'layout(binding = 0) buffer B { uint v; } b[];\nvoid main() { b[gl_WorkGroupID.x].v = 1u; }\n')
    t.run('a.comp', '--target', 'msl3.2', '-o', 'a.metal', status=1).has('an array of resources of unknown length')
