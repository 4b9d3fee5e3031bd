"""What a compiled module binds, read from the module itself, so that reflection is not its own judge."""
import re
import struct

# kind letters of executor jobs: s storage, r read-only storage, u uniform, t texture, m sampler, i storage image,
# x texture and sampler


class Interface:
    def __init__(self):
        self.bindings = {}      # (set, binding) -> kind
        self.names = {}         # (set, binding) -> name in the module
        self.entries = []       # (execution model of SPIR-V, name)
        self.size = (1, 1, 1)
        self.size_specs = (None, None, None)     # ids of the specialization constants that size the workgroup

    def merge(self, other):
        self.bindings.update(other.bindings)
        self.entries += other.entries


def read_spirv(data):
    """Interface of a SPIR-V binary."""
    if len(data) < 20 or len(data) % 4 or struct.unpack_from('<I', data)[0] != 0x07230203:
        raise ValueError('not a SPIR-V module')
    words = struct.unpack(f'<{len(data) // 4}I', data)
    out = Interface()
    decorations, types, constants, variables, blocks, size_ids = {}, {}, {}, [], set(), None
    at = 5
    while at < len(words):
        count, op = words[at] >> 16, words[at] & 0xffff
        if count == 0:
            raise ValueError('broken SPIR-V module')
        arg = words[at + 1:at + count]
        if op == 15:
            text = struct.pack(f'<{len(arg) - 2}I', *arg[2:]).split(b'\0')[0]
            out.entries.append((arg[0], text.decode()))
        elif op == 16 and arg[1] == 17:
            out.size = tuple(arg[2:5])
        elif op == 331 and arg[1] == 38:
            size_ids = arg[2:5]
        elif op == 71 and arg[1] in (1, 33, 34):
            decorations.setdefault(arg[0], {})[arg[1]] = arg[2]
        elif op == 71 and arg[1] == 3:
            blocks.add(arg[0])
        elif op in (25, 26, 27, 28, 29, 32):
            types[arg[0]] = (op, arg[1:])
        elif op in (43, 50):
            constants[arg[1]] = arg[2]
        elif op in (44, 51):
            constants[arg[1]] = arg[2:]
        elif op == 71 and arg[1:3] == (11, 25):
            decorations.setdefault(arg[0], {})['size'] = True
        elif op == 59:
            variables.append((arg[1], arg[0], arg[2]))
        at += count
    for ident, facts in decorations.items():
        if facts.get('size') and isinstance(constants.get(ident), tuple):
            size_ids = constants[ident]
    if size_ids:
        out.size = tuple(constants.get(i, 1) for i in size_ids)
        out.size_specs = tuple(decorations.get(i, {}).get(1) for i in size_ids)
    for ident, pointer, storage in variables:
        d = decorations.get(ident, {})
        if 33 not in d:
            continue
        kind = _spirv_kind(types, blocks, storage, types[pointer][1][1])
        out.bindings[d.get(34, 0), d[33]] = kind
    return out


def _spirv_kind(types, blocks, storage, pointee):
    while pointee in types and types[pointee][0] in (28, 29):
        pointee = types[pointee][1][0]
    if storage == 12:
        return 's'
    if storage == 2:
        return 's' if pointee in blocks else 'u'
    op, arg = types.get(pointee, (0, ()))
    if op == 25:
        return 'i' if arg[5] == 2 else 't'
    return {26: 'm', 27: 'x'}.get(op, '?')


_WGSL_VARIABLE = re.compile(r'((?:@(?:group|binding)\s*\(\s*\d+u?\s*\)\s*){2})var\s*(<[^>]*>)?\s*(\w+)\s*:\s*([^;]+);')


def read_wgsl(text):
    out = Interface()
    for attributes, space, name, kind in _WGSL_VARIABLE.findall(text):
        where = tuple(int(re.search(word + r'\s*\(\s*(\d+)', attributes)[1]) for word in ('group', 'binding'))
        out.names[where] = name
        if 'storage' in space:
            out.bindings[where] = 's' if 'write' in space else 'r'
        elif 'uniform' in space:
            out.bindings[where] = 'u'
        elif kind.strip().startswith('sampler'):
            out.bindings[where] = 'm'
        else:
            out.bindings[where] = 'i' if kind.strip().startswith('texture_storage') else 't'
    for model, stage in ((0, 'vertex'), (4, 'fragment'), (5, 'compute')):
        out.entries += [(model, name) for name in re.findall(r'@%s\b[^;{]*?\bfn\s+(\w+)' % stage, text)]
    size = re.search(r'@workgroup_size\s*\(([^)]*)\)', text)
    if size:
        parts = [int(p.strip().rstrip('u')) if p.strip().rstrip('u').isdigit() else 1 for p in size[1].split(',') if p.strip()]
        out.size = tuple((parts + [1, 1])[:3])
    return out
