"""Reads MSL at token level: lints entry points, and rewrites the text so that a C++ compiler takes it. See shim.py."""
import re
TOK = re.compile(r'//[^\n]*|/\*.*?\*/|\#(?:\\\n|[^\n])*|"(?:\\.|[^"])*"|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\.?\d(?:[eE][+-]|[\w.])*|\[\[|\]\]|<<=|>>=|::|->|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|\s+|.', re.S)
SPACES = ('device', 'constant', 'thread', 'threadgroup', 'ray_data', 'object_data')

def without_coherent(ts):
    """`coherent(device)` of Metal 3.2 changes what other threadgroups see, which are not simulated; vectors are classes here,
    which have no volatile copies"""
    out = []; i = 0
    while i < len(ts):
        n = [k for k in range(i, min(i + 8, len(ts))) if not blank(ts[k])][:4] if ts[i] == 'coherent' else []
        v = [k for k in range(i, min(i + 8, len(ts))) if not blank(ts[k]) and ts[k] != 'const'][:3] if ts[i] == 'volatile' else []
        if [ts[k] for k in n] == ['coherent', '(', 'device', ')']: i = n[-1] + 1
        elif len(v) == 3 and re.fullmatch(r'\w+[234]', ts[v[2]]): i += 1
        else: out.append(ts[i]); i += 1
    return out

def lex(s):
    return [t for t in TOK.findall(s)]
def blank(t):
    return t.isspace() or t.startswith('//') or t.startswith('/*') or t.startswith('#')
def sig(ts, i, step=1):
    """index of the next token that is not blank, from i"""
    while 0 <= i < len(ts) and blank(ts[i]): i += step
    return i if 0 <= i < len(ts) else None
OPEN = {'(': ')', '[': ']', '{': '}', '[[': ']]'}
def close(ts, i):
    """index of the bracket that closes the one at i ( ']]' may close two '[' )"""
    st = []
    while i < len(ts):
        t = ts[i]
        if t in OPEN: st.append(OPEN[t])
        elif t == ']]' and st and st[-1] == ']': st.pop(); st and st[-1] == ']' and st.pop()
        elif st and t == st[-1]: st.pop()
        if not st: return i
        i += 1
    return len(ts) - 1
def split(ts, sep=','):
    out, cur, d, a = [], [], 0, 0
    for t in ts:
        if t in OPEN: d += 1
        elif t in OPEN.values(): d -= 1
        elif t == '<': a += 1
        elif t == '>': a -= 1
        if t == sep and d == 0 and a <= 0: out.append(cur); cur = []
        else: cur.append(t)
    if any(not blank(t) for t in cur): out.append(cur)
    return out
text = lambda ts: ' '.join(''.join(t if not blank(t) else ' ' for t in ts).split())

class Param:
    def __init__(s, ts):
        ts = [t for t in ts if not blank(t)]
        s.attrs = []
        while '[[' in ts:
            i = ts.index('[['); j = close(ts, i)
            for a in split(ts[i+1:j]): s.attrs.append(text(a).replace(' ', ''))
            ts = ts[:i] + ts[j+1:]
        if '=' in ts: ts = ts[:ts.index('=')]
        s.dims = ''
        while ts and ts[-1] == ']':
            k = len(ts) - 1
            while ts[k] != '[': k -= 1
            s.dims = ''.join(ts[k:]) + s.dims; ts = ts[:k]
        if ts and ts[-1] == ')':                     # T (&name)[n]
            k = len(ts) - 1
            while ts[k] != '(': k -= 1
            s.name = ts[-2]; s.indirect = ts[k+1] if ts[k+1] in '&*' else ''; s.type = ' '.join(ts[:k])
        else:
            s.name = ts[-1] if ts else ''; ts = ts[:-1]
            s.indirect = ''.join(t for t in ts if t in ('&', '*')); s.type = ' '.join(t for t in ts if t not in ('&', '*'))
        w = s.type.split()
        s.space = next((x for x in w if x in SPACES), '')
        s.const = 'const' in w or s.space == 'constant'
        s.base = ' '.join(x for x in w if x not in SPACES + ('const', 'volatile')).replace(' ', '').replace('metal::', '')

class Unit:
    def __init__(s, src, fc=None):
        s.fc = fc or {}; s.errors = []; s.entries = {}; s.structs = {}; s.fcs = {}; s.seen = set(); s.names = set(); s.dup = set(); s.dupend = {}
        s.ts = without_coherent(lex(src)); s.scan()
    def err(s, m): s.errors.append(m)
    def drop(s, d, i, j):
        """two functions that differ in address spaces only are one function in plain C++"""
        k = ' '.join(t for t in d if t not in SPACES)
        if '(' in d and '{' in d and k in s.seen: s.dup.add(i); s.dupend[i] = j
        s.seen.add(k)
    def scan(s):
        ts = s.ts; i = 0
        while i is not None and i < len(ts):
            i = sig(ts, i)
            if i is None: break
            # one file-scope declaration: up to ';' or '}' at depth 0
            j = i
            while j < len(ts):
                if ts[j] in OPEN:
                    k = close(ts, j)
                    if ts[j] == '{':
                        j = k; n = sig(ts, j + 1)
                        if n is not None and ts[n] in ';,[=' or (n is not None and ts[n] == '[['): j += 1; continue
                        break
                    j = k
                elif ts[j] == ';': break
                j += 1
            d = [t for t in ts[i:j+1] if not blank(t)]
            s.drop(d, i, j); s.decl(d)
            i = j + 1
    def decl(s, d):
        if d[:1] == ['struct'] and '{' in d:
            b = d.index('{'); e = close(d, b); ms = []
            for m in split(d[b+1:e], ';'):
                if m and '(' not in [t for n, t in enumerate(m) if '[[' not in m[:n]]: ms.append(Param(m))
            s.structs[d[1]] = ms
        elif '(' in d and ('{' in d) and '=' not in d[:d.index('(')] and d[0] not in ('using', 'typedef', 'constant'):
            p = d.index('(')
            while d[p-1] in ('operator', ']]') or (p > 1 and '[[' in d[:p] and ']]' not in d[:p]):
                p = d.index('(', p + 1)
            q = close(d, p); ps = [Param(x) for x in split(d[p+1:q])]
            stage = next((t for t in d[:p] if t in ('kernel', 'vertex', 'fragment')), None)
            for x in ps:
                if x.indirect and not x.space: s.err(f'{d[p-1]}: parameter {x.name}: pointer or reference without an address space')
            if stage: s.entries[d[p-1]] = (stage, d[:p-1], ps); s.entry(d[p-1])
        elif d[0] == 'constant':
            if 'function_constant' in d:
                x = Param(d[:-1]); k = re.search(r'\((\w+)\)', x.attrs[0])[1]; m = re.search(r'#define\s+%s\s+(\d+)' % k, ''.join(s.ts)); s.fcs[x.name] = int(m[1] if m else k)
            elif '=' not in d and '(' not in d and '{' not in d: s.err(f'constant {d[-2]}: no initialiser')
        elif d[0] not in ('using', 'typedef', 'struct', 'template', 'static', 'constexpr', 'enum', ';') and d[-1] == ';' and '(' not in d[:d.index('=') if '=' in d else None]:
            s.err(f'file-scope variable {text(d)[:40]}: must be in the constant address space')
        if '(' in d and '{' in d and d[0] != 'struct': s.names.add(d[d.index('(') - 1])
        if '(' in d and '{' in d and d[0] not in ('struct', 'constant') and not (d[0] == 'template' and 'struct' in d):
            b = d.index('{'); body = d[b:]; name = d[d.index('(') - 1]
            for n, t in enumerate(body[:-3]):
                if t in (';', '{', '}') and body[n+1] == 'threadgroup' and 'kernel' not in d[:b] and not {'*', '&'} & set(body[n+1:n+1 + (body[n+1:] + [';']).index(';')]): s.err(f'{name}: threadgroup variable outside a kernel')
                if t in (';', '{', '}') and re.match(r'[A-Za-z_]', body[n+1]) and body[n+1] not in ('return', 'else') and body[n+2] in '*&' and re.match(r'[A-Za-z_]', body[n+3]) and body[n+4:n+5] in (['='], [';']): s.err(f'{name}: local pointer or reference {body[n+3]} without an address space')
                if t == '[' and body[n+1] in ('&', '=', ']') : s.err(f'{name}: lambda')
                if t == name and body[n+1] == '(' and body[n-1] not in ('.', '::'): s.err(f'{name}: recursion')
        if any(a == 'long' and b in ('long', 'double') for a, b in zip(d, d[1:])): s.err('long long / long double')
    U = r'(uint|ushort)'; U3 = r'(uint|ushort)[23]?'
    PAR = {'kernel': {'thread_position_in_grid': U3, 'thread_position_in_threadgroup': U3, 'threadgroup_position_in_grid': U3, 'threads_per_threadgroup': U3,
              'threadgroups_per_grid': U3, 'threads_per_grid': U3, 'dispatch_threads_per_threadgroup': U3, 'thread_index_in_threadgroup': U, 'thread_index_in_simdgroup': U, 'simdgroup_index_in_threadgroup': U,
              'threads_per_simdgroup': U, 'thread_execution_width': U, 'simdgroups_per_threadgroup': U, 'dispatch_simdgroups_per_threadgroup': U, 'thread_index_in_quadgroup': U, 'quadgroup_index_in_threadgroup': U},
           'vertex': {'vertex_id': U, 'instance_id': U, 'base_vertex': U, 'base_instance': U, 'amplification_id': U},
           'fragment': {'position': 'float4', 'front_facing': 'bool', 'sample_id': 'uint', 'sample_mask': 'uint', 'point_coord': 'float2', 'primitive_id': 'uint', 'render_target_array_index': U, 'viewport_array_index': U, 'barycentric_coord': 'float[23]', 'thread_index_in_simdgroup': U, 'threads_per_simdgroup': U, 'amplification_id': U}}
    def entry(s, name):
        stage, ret, ps = s.entries[name]; used = {}
        for x in ps:
            a = x.attrs[0] if x.attrs else ''; w = f'{name}: parameter {x.name}'
            m = re.fullmatch(r'(buffer|texture|sampler|threadgroup|color)\((\d+)\)', a)
            key = a.split('(')[0]
            if m and key != 'color':
                if (key, m[2]) in used: s.err(f'{w}: [[{a}]] is taken by {used[key, m[2]]}')
                used[key, m[2]] = x.name
                if int(m[2]) >= {'buffer': 31, 'texture': 128, 'sampler': 16, 'threadgroup': 31}[key]: s.err(f'{w}: [[{a}]] is over the limit')
            if x.indirect:
                if x.space in ('device', 'constant') and key not in ('buffer',): s.err(f'{w}: a {x.space} pointer or reference needs [[buffer(n)]], has [[{a}]]')
                if x.space == 'threadgroup' and key not in ('threadgroup', ''): s.err(f'{w}: wrong attribute [[{a}]]')
                if x.space == 'thread': s.err(f'{w}: thread pointer in an entry point')
            elif re.match(r'(texture|depth|array<(texture|depth))', x.base): key == 'texture' or s.err(f'{w}: needs [[texture(n)]], has [[{a}]]')
            elif x.base.startswith(('sampler', 'array<sampler')): key == 'sampler' or s.err(f'{w}: needs [[sampler(n)]], has [[{a}]]')
            elif key == 'stage_in':
                if x.base not in s.structs: s.err(f'{w}: [[stage_in]] needs a struct')
                else: s.iface(name, stage, 'in', s.structs[x.base], x.base)
            elif key in s.PAR[stage]:
                if not re.fullmatch(s.PAR[stage][key], x.base): s.err(f'{w}: [[{key}]] cannot be {x.base}')
            elif key != 'color': s.err(f'{w}: no such attribute for a {stage} parameter: [[{a}]]')
        r = ''.join(t for t in ret if t not in ('kernel', 'vertex', 'fragment', 'metal', '::'))
        if '[[' in r: r = re.sub(r'\[\[.*?\]\]', '', r)
        if stage == 'kernel':
            if r != 'void': s.err(f'{name}: a kernel returns void')
        elif r in s.structs: s.iface(name, stage, 'out', s.structs[r], r)
    IN = {('vertex', 'in'): r'attribute\(\d+\)', ('vertex', 'out'): r'position|invariant|point_size|clip_distance|render_target_array_index|viewport_array_index|shared|user\(\w+\)|flat|center_no_perspective|center_perspective|centroid_\w+|sample_\w+',
          ('fragment', 'in'): r'position|front_facing|point_coord|sample_id|primitive_id|clip_distance|color\(\d+\)|user\(\w+\)|flat|(center|centroid|sample)_(no_)?perspective|render_target_array_index|viewport_array_index|barycentric_coord',
          ('fragment', 'out'): r'color\(\d+\)(index\(\d+\))?|index\(\d+\)|depth\((any|less|greater)\)|sample_mask|stencil|raster_order_group\(\d+\)'}
    def iface(s, fn, stage, d, ms, sn):
        seen = {}; pos = False
        for m in ms:
            for a in m.attrs:
                if not re.fullmatch(s.IN[stage, d], a): s.err(f'{fn}: {sn}.{m.name}: [[{a}]] is not for a {stage} {d}put')
                if '(' in a and not a.startswith(('depth', 'index')):
                    place = a + ''.join(x for x in m.attrs if a.startswith('color') and x.startswith('index'))
                    if place in seen: s.err(f'{fn}: {sn}.{m.name}: [[{a}]] is taken by {seen[place]}')
                    seen[place] = m.name
                if a == 'position': pos = True; m.base == 'float4' or s.err(f'{fn}: [[position]] must be float4')
            if not m.attrs and (stage, d) in (('vertex', 'in'), ('fragment', 'out')): s.err(f'{fn}: {sn}.{m.name}: no attribute')
            if (stage, d) == ('vertex', 'out') and (m.dims or re.search(r'\dx\d', m.base)) and 'clip_distance' not in m.attrs: s.err(f'{fn}: {sn}.{m.name}: arrays and matrices cannot cross stages')
        if (stage, d) == ('vertex', 'out') and not pos: s.err(f'{fn}: {sn}: no [[position]]')

    def rounds(s):
        """{token index: (text before, text behind)}: each loop tells the runtime where its rounds begin"""
        ts = s.ts; marks = {}; ends = set()
        for i, t in enumerate(ts):
            if t not in ('for', 'while', 'do') or i in ends: continue
            b = sig(ts, i + 1)
            head = 'for (msl_loop msl_loop_; msl_loop_.once();) '
            if t == 'do' and ts[b] == '{': marks[b] = ('', ' msl_loop_.round();'); ends.add(sig(ts, close(ts, b) + 1))
            elif t == 'while' and ts[b] == '(': marks[b] = ('', 'msl_loop_.round(), ')
            elif t == 'for' and ts[b] == '(':
                e = close(ts, b); k = b + 1
                while k < e and ts[k] != ';': k = close(ts, k) + 1 if ts[k] in OPEN else k + 1
                if k >= e: continue                                                   # over a range
                marks[k] = ('', 'msl_loop_.round()' + ('' if ts[sig(ts, k + 1)] == ';' else ', '))
            else: continue
            marks[i] = (head, '')
        return marks

    # ---- text the C++ compiler sees (line numbers are kept) ----
    def cxx(s, check):
        ts = list(s.ts); out = []; i = 0; depth = 0; par = 0; start = True
        marks = {} if check else s.rounds()
        members = {m.name for ms in s.structs.values() for m in ms}
        while i < len(ts):
            t = ts[i]
            if i in s.dup and not check: out.append('\n' * ''.join(ts[i:s.dupend[i]+1]).count('\n')); i = s.dupend[i] + 1; continue
            if blank(t): out.append(t if not t.startswith('#') or 'pragma' not in t else ''); i += 1; continue
            if depth == 0 and par == 0 and t == 'template':                       # drop spirv-cross's array class
                n = [k for k in range(i, min(i + 80, len(ts))) if not blank(ts[k])]
                w = [ts[k] for k in n]
                if 'spvUnsafeArray' in w and 'struct' in w and w.index('spvUnsafeArray') == w.index('struct') + 1:
                    b = next(k for k in range(i, len(ts)) if ts[k] == '{'); e = sig(ts, close(ts, b) + 1)
                    out.append('\n' * ''.join(ts[i:e+1]).count('\n')); i = e + 1; continue
            if start and par == 0 and t == 'constant' and depth == 0:
                k = i
                while ts[k] not in ('=', ';', '(', '[', '{', '[['): k += 1
                if ts[k] == '[[' and ts[k+1] == 'function_constant':              # function constant
                    e = next(q for q in range(k, len(ts)) if ts[q] == ';'); x = Param(ts[i:e])
                    out.append(f'MSL_PROGRAM_CONST {x.base} {x.name} = {x.base}({s.fc.get(s.fcs[x.name], 0)})'); i = e; continue
                out.append(t if ts[k] == '(' else 'MSL_PROGRAM_CONST'); i += 1; start = False; continue
            if start and par == 0 and depth > 0 and t == 'threadgroup':
                e = next(q for q in range(i, len(ts)) if ts[q] == ';'); x = Param(ts[i:e])
                if not x.indirect and '=' not in ts[i:e]:
                    ty = ' '.join(w for w in x.type.split() if w != 'threadgroup')
                    out.append(f'typedef {ty} {x.name}_tg{x.dims}; threadgroup {x.name}_tg &{x.name} = *(threadgroup {x.name}_tg *)64' if check else f'static {ty} {x.name}{x.dims}; msl_tg_register((void *)&{x.name}, sizeof {x.name})')
                    i = e; continue
            if t == 'is_function_constant_defined':
                b = sig(ts, i + 1); e = close(ts, b); out.append('true' if s.fcs.get(text(ts[b+1:e])) in s.fc else 'false'); i = e + 1; continue
            if t == '[[':                                                        # attributes were linted above
                e = close(ts, i); out.append('\n' * ''.join(ts[i:e+1]).count('\n')); i = e + 1; continue
            if t == '.' and i + 1 < len(ts) and re.fullmatch(r'[xyzw]{2,4}|[rgba]{2,4}', ts[i+1]) and ts[i+1] not in members:
                n = sig(ts, i + 2)
                rv = ts[n] not in ('=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=')
                out.append('.' + ts[i+1] + ('.v()' if rv else '')); i += 2; start = False; continue
            if t in ('{',): depth += 1
            if t in ('}',): depth -= 1
            if t in ('(', '['): par += 1
            if t in (')', ']', ']]'): par -= len(t)              # `a[b[i]]` closes two
            start = t in (';', '{', '}', ')', ':', 'else') or blank(t)
            before, behind = marks.get(i, ('', ''))
            out.append(before + t + behind); i += 1
        r = ''.join(out)
        if check: r = ternary(r)
        return r

def ternary(src):
    """a ? b : c  ->  a ? msl_rv(b) : msl_rv(c): clang's OpenCL mode will not unify operands of two address spaces"""
    ts = lex(src); i = 0
    while i < len(ts):
        if ts[i] == '?':
            d = 0; q = 0; k = i + 1
            while True:                                  # the matching ':'
                if ts[k] in OPEN: k = close(ts, k)
                elif ts[k] == '?': q += 1
                elif ts[k] == ':':
                    if q == 0: break
                    q -= 1
                k += 1
            e = k + 1; q = 0
            while e < len(ts) and not (ts[e] in (',', ';', ')', ']', '}', ']]') or (ts[e] == ':' and q == 0)):
                if ts[e] in OPEN: e = close(ts, e)
                elif ts[e] == '?': q += 1
                elif ts[e] == ':': q -= 1
                e += 1
            ts[e:e] = [')']; ts[k:k+1] = [')', ':', 'msl_rv', '(']; ts[i+1:i+1] = ['msl_rv', '(']
        i += 1
    return ''.join(' ' + t if t == 'msl_rv' else t for t in ts)

def launcher(u, entry):
    """C++ that binds a kernel's parameters by attribute and hands it to the runtime"""
    stage, _, ps = u.entries[entry]
    if stage != 'kernel': raise ValueError(f'{entry}: only kernels are launched here')
    pre, args = [], []
    for x in ps:
        a = x.attrs[0] if x.attrs else ''; m = re.fullmatch(r'(\w+)(?:\((\d+)\))?', a); key = m[1] if m else ''
        full = x.type.replace('device', '').replace('constant', 'const').replace('threadgroup', '').replace('thread', '')
        if key == 'buffer': args.append(f'{"" if x.indirect == "*" else "*"}({full} *)a.buffer[{m[2]}]' if not x.dims else f'*({full} (*){x.dims})a.buffer[{m[2]}]')
        elif key == 'texture': args.append(f'msl_tex<{full}>(a.texture[{m[2]}])')
        elif key == 'sampler': args.append(f'msl_smp(a.sampler[{m[2]}])')
        elif x.space == 'threadgroup':
            pre.append(f'typedef {full} {x.name}_tg{x.dims}; static {x.name}_tg {x.name}; msl_tg_register((void *)&{x.name}, sizeof {x.name});')
            args.append(('' if x.indirect != '*' else '&') + x.name)
        else: args.append(f'msl_id<{x.base}>(t.{key})')
    return '''
#include "msl_launch.h"
extern "C" void msl_call(const msl_args &a, const msl_thread &t) {
  %s
  %s(%s);
}
''' % ('\n  '.join(pre), entry, ',\n    '.join(args))
