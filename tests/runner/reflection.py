"""Holds `--reflect` against what the outputs say themselves: decorations of SPIR-V, bindings of WGSL, indices of MSL."""
import json
import re
import struct

BINDING, SET, BUILTIN, ARRAY_STRIDE, MATRIX_STRIDE, OFFSET = 33, 34, 11, 6, 7, 35
ROW_MAJOR, COL_MAJOR, LOCATION, SPEC_ID = 4, 5, 30, 1
MODELS = {0: 'vertex', 1: 'tess_control', 2: 'tess_eval', 3: 'geometry', 4: 'fragment', 5: 'compute', 5364: 'task', 5365: 'mesh'}


class Spirv:
    """Names, types and decorations of a binary."""

    def __init__(self, data):
        words = struct.unpack(f'<{len(data) // 4}I', data)
        self.types, self.decorations, self.members, self.constants = {}, {}, {}, {}
        self.variables, self.entries, self.sizes = {}, [], {}
        at = 5
        while at < len(words):
            count, op = words[at] >> 16, words[at] & 0xffff
            self._inst(op, words[at + 1:at + count])
            at += count

    def _inst(self, op, a):
        if op == 15:
            name = struct.pack(f'<{len(a) - 2}I', *a[2:])
            text = name.split(b'\0')[0]
            self.entries.append((MODELS.get(a[0], a[0]), text.decode(), a[1], a[2 + len(text) // 4 + 1:]))
        elif op == 16 and a[1] == 17:
            self.sizes[a[0]] = list(a[2:5])
        elif op == 71:
            self.decorations.setdefault(a[0], {})[a[1]] = a[2] if len(a) > 2 else True
        elif op == 72:
            self.members.setdefault((a[0], a[1]), {})[a[2]] = a[3] if len(a) > 3 else True
        elif 19 <= op <= 33:
            self.types[a[0]] = (op, a[1:])
        elif op in (43, 50):
            self.constants[a[1]] = a[2]
        elif op == 59:
            self.variables[a[1]] = (a[0], a[2])

    def leaves(self, type_id, offset=0, facts=(), prefix=''):
        """(offset, bits, components, matrix facts, strides of the arrays around) of everything in a block."""
        op, a = self.types[type_id]
        if op == 30:
            for i, member in enumerate(a):
                d = self.members.get((type_id, i), {})
                yield from self.leaves(member, offset + d[OFFSET], (d.get(MATRIX_STRIDE), ROW_MAJOR in d, *facts[2:]), prefix)
        elif op in (28, 29):
            stride = self.decorations[type_id][ARRAY_STRIDE]
            count = self.constants.get(a[1], 0) if op == 28 else 0
            yield from self.leaves(a[0], offset, (*(facts or (None, False))[:2], *facts[2:], (count, stride)), prefix)
        elif op == 24:
            column, columns = self.types[a[0]], a[1]
            bits, rows = self.types[column[1][0]][1][0], column[1][1]
            yield (offset, bits, (columns, rows), facts[0], bool(facts[1]), tuple(facts[2:]))
        elif op == 23:
            yield (offset, self.types[a[0]][1][0], a[1], None, False, tuple(facts[2:]))
        else:
            yield (offset, a[0] if op in (21, 22) else 64, 1, None, False, tuple(facts[2:]))


BITS = {'bool': 32, 'i8': 8, 'u8': 8, 'i16': 16, 'u16': 16, 'f16': 16, 'i64': 64, 'u64': 64, 'f64': 64, 'pointer': 64}


def json_leaves(r, shape, offset=0, strides=()):
    kind = shape['type']
    if kind == 'struct':
        for m in r['structs'][shape['struct']]['members']:
            yield from json_leaves(r, m, offset + m['offset'], strides)
    elif kind == 'array':
        yield from json_leaves(r, shape['element'], offset, (*strides, (shape.get('count', -1), shape['stride'])))
    elif kind == 'matrix' and shape['scalar'] not in ('f16', 'f32', 'f64'):     # SPIR-V has an array of its columns
        lines = (shape['columns'], shape['matrix_stride'])
        yield (offset, BITS.get(shape['scalar'], 32), shape['rows'], None, False, (*strides, lines))
    elif kind == 'matrix':
        by_rows = r['language'] == 'hlsl'       # SPIR-V's columns are HLSL's rows
        size = (shape['rows'], shape['columns']) if by_rows else (shape['columns'], shape['rows'])
        row_major = (shape['majorness'] == 'row') != by_rows
        yield (offset, BITS.get(shape['scalar'], 32), size, shape['matrix_stride'], row_major, strides)
    else:
        yield (offset, BITS.get(shape['scalar'], 32), shape.get('components', 1), None, False, strides)


def _same_leaf(got, want):
    # A matrix in whose tail something lies is the array of its columns in the module.
    if isinstance(got[2], tuple) and not got[4] and not isinstance(want[2], tuple):
        columns, rows = got[2]
        got = (got[0], got[1], rows, None, False, tuple(got[5]) + ((columns, got[3]),))
    if got[:5] != want[:5] or len(got[5]) != len(want[5]):
        return False
    # A count of -1 is a specialization constant's.
    return all(g[1] == w[1] and (g[0] == w[0] or g[0] == -1) for g, w in zip(got[5], want[5]))


def against_spirv(r, target, data):
    """List of differences."""
    out, s = [], Spirv(data)
    by_place, push = {}, []
    for ident, (pointer, _) in s.variables.items():
        d = s.decorations.get(ident, {})
        storage, pointee = s.types[pointer][1][:2]
        if BINDING in d:
            by_place.setdefault((d.get(SET, 0), d[BINDING]), []).append(pointee)
        if storage == 9:
            push.append(pointee)
    listed = set()
    entries = {e['name']: e for e in r['entries']}
    for e in target['entries']:
        for p in e['resources']:
            resource = r['resources'][p['resource']]
            where = (p.get('group'), p.get('binding'))
            listed.add(where)
            blocks = push if p.get('push_constants') else by_place.get(where)
            if not blocks:
                out.append(f"reflection has {p['name']} at {where}, the module has nothing there")
            elif 'layout' in resource and not any(_same_block(r, resource, s, b, out, i == len(blocks) - 1)
                                                  for i, b in enumerate(blocks)):
                pass
    for where in set(by_place) - listed:
        out.append(f'the module binds {where}, reflection does not')
    for model, name, ident, interface in s.entries:
        e = entries.get(name)
        if e is None or e['stage'] != model:
            out.append(f'the module has the {model} entry {name}, reflection has {[(x["name"], x["stage"]) for x in r["entries"]]}')
            continue
        if ident in s.sizes and e['workgroup_size'] != s.sizes[ident]:
            out.append(f"{name}: workgroup {e['workgroup_size']}, the module has {s.sizes[ident]}")
        for storage, key in ((1, 'inputs'), (3, 'outputs')):
            want = sorted(s.decorations.get(v, {}).get(LOCATION) for v in interface if v in s.variables and
                          s.variables[v][1] == storage and LOCATION in s.decorations.get(v, {}))
            got = sorted(v['location'] for v in e[key] if 'location' in v)
            if got != want:
                out.append(f'{name}: {key} at {got}, the module has {want}')
    ids = sorted(d[SPEC_ID] for d in s.decorations.values() if SPEC_ID in d)
    got = sorted({c['id'] for c in r['constants'] if 'id' in c})
    if ids and got != sorted(set(ids)):
        out.append(f'constants {got}, the module has {ids}')
    return out


def _same_block(r, resource, s, type_id, out, say):
    shape = resource['layout']
    op, a = s.types[type_id]
    if op in (28, 29) and 'count' in resource:      # an array of buffers
        op, a = s.types[a[0]]
        type_id = s.types[type_id][1][0]
    if op == 30 and shape['type'] != 'struct' and len(a) == 1:
        type_id = a[0]      # the struct that SPIR-V wants around it
    got = list(json_leaves(r, shape))
    want = list(s.leaves(type_id, 0, (None, False)))
    if op == 30 and len(got) != len(want) and len(a) == 1:      # likewise around an array of structs
        want = list(s.leaves(a[0], 0, (None, False)))
    for g, w in zip(got, want):
        if not _same_leaf(g, w):
            if say:
                out.append(f"{resource['name']}: reflection lays out {g}, the module {w}")
            return False
    if len(got) != len(want):
        if say:
            out.append(f"{resource['name']}: reflection has {len(got)} members, the module {len(want)}")
        return False
    return True


def against_wgsl(r, target, text):
    out = []
    places = {(int(g), int(b)) for g, b in re.findall(r'@group\((\d+)\)\s*@binding\((\d+)\)', text)}
    listed = set()
    for e in target['entries']:
        for p in e['resources']:
            listed.add((p.get('group'), p.get('binding')))
            if 'sampler_binding' in p:
                listed.add((p['sampler_group'], p['sampler_binding']))
        if not re.search(rf"\bfn\s+{re.escape(e['name'])}\b", text):
            out.append(f"no function {e['name']}")
    if listed != places:
        out.append(f'reflection has {sorted(map(str, listed))}, the module {sorted(map(str, places))}')
    return out


def against_msl(r, target, text):
    out = []
    for e in target['entries']:
        head = re.search(rf"\b(?:kernel|vertex|fragment)\s[^\n{{]*\b{re.escape(e['name'])}\s*\((.*?)\)\s*\n?{{", text, re.S)
        if not head:
            out.append(f"no entry {e['name']}")
            continue
        want = {(k, int(n)) for k, n in re.findall(r'\[\[(buffer|texture|sampler)\((\d+)\)\]\]', head[1])}
        # An array of textures or samplers is one parameter, of buffers one for each.
        count = lambda k, p: r['resources'][p['resource']].get('count', 1) if k == 'buffer' else 1
        got = {(k, p[k] + i) for p in e['resources'] for k in ('buffer', 'texture', 'sampler') if k in p for i in range(count(k, p))}
        if 'buffer_sizes' in e:
            got.add(('buffer', e['buffer_sizes']))
        if got != want:
            out.append(f"{e['name']}: reflection has {sorted(got)}, the module {sorted(want)}")
    return out


def differences(path, family, output):
    """`path`: the JSON; `output`: bytes of the only target's module."""
    r = json.loads(path.read_text())
    target = r['targets'][0]
    if not target['ok']:
        return ['the target failed, says the reflection']
    if family == 'spirv':
        return against_spirv(r, target, output)
    return (against_wgsl if family == 'wgsl' else against_msl)(r, target, output.decode())
