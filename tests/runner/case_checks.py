"""The `check:` clauses of tests/cases. Each clause of a file must have its function here."""
import json
import re
import subprocess

import reflection


class BadCase(ValueError):
    pass


def of(stem, parts):
    """[(target, check)]: a check takes the output and the reflection, and gives '' or what is wrong."""
    clauses = [p[6:].strip() for p in parts if p.startswith('check:')]
    if not clauses:
        return []
    number = stem.split('-')[0]
    if number not in CHECKS or CHECKS[number][0] != clauses[0]:
        raise BadCase(f'tests/cases/{stem}: case_checks.py does not know `{clauses[0]}`')
    return CHECKS[number][1]


def _reflection(path):
    return json.loads(path.read_text())


def layout_of_pair(_, path):
    r = _reflection(path)
    cb = next(x for x in r['resources'] if x['name'] == 'cb')
    members = r['structs'][cb['layout']['struct']]['members']
    got = [(m['name'], m.get('majorness'), m['offset']) for m in members]
    want = [('a', 'row', 0), ('b', 'column', 64), ('v', None, 128)]
    return '' if got == want else f'layout {got}, want {want}'


def majorness_of_pair(out, _):
    s = reflection.Spirv(out.read_bytes())
    for (struct, _), facts in s.members.items():
        if facts.get(reflection.OFFSET) != 64:
            continue
        a, b = s.members[struct, 0], s.members[struct, 1]
        if reflection.COL_MAJOR in a and reflection.ROW_MAJOR in b:
            return ''
        return f'decorations of a {sorted(a)}, of b {sorted(b)}'
    return 'no struct with a member at offset 64'


def entries_and_locations(_, path):
    r = _reflection(path)
    entries = [(e['name'], e['stage']) for e in r['entries']]
    if sorted(entries) != [('PSMain', 'fragment'), ('VSMain', 'vertex')]:
        return f'entries {entries}'
    vs, ps = (next(e for e in r['entries'] if e['name'] == n) for n in ('VSMain', 'PSMain'))
    given = {v['semantic']: v['location'] for v in vs['outputs'] if 'semantic' in v and 'location' in v}
    taken = {v['semantic']: v['location'] for v in ps['inputs'] if 'semantic' in v and 'location' in v}
    if not {'COLOR0', 'UV0', 'UV1'} <= set(given):
        return f'outputs {given}'
    wrong = {s: (given.get(s), at) for s, at in taken.items() if given.get(s) != at}
    if wrong or not taken:
        return f'locations differ: {wrong or taken}'
    return '' if len(set(given.values())) == len(given) else f'two outputs at one location: {given}'


def gather_offsets(out, _):
    calls = re.findall(r'\.gather\((.*)\)', out.read_text())
    if len(calls) < 3:
        return f'{len(calls)} gather calls'
    for call in calls:
        if 'component::' in call and not re.search(r'int2\([^)]*\)\s*,\s*component::', call):
            return f'no offset before the component in `{call}`'
    return '' if any(re.search(r'int2\(0(, 0)?\), component::w', c) for c in calls) else f'no int2(0) before component::w: {calls}'


def has_non_uniform(out, _):
    text = subprocess.run(['spirv-dis', '--raw-id', str(out)], capture_output=True, text=True).stdout
    return '' if re.search(r'OpDecorate %\d+ NonUniform', text) else 'no NonUniform decoration'


# number: (the clause, [(target, check)]). Clauses about GLSL and HLSL output wait for these writers.
CHECKS = {
    '041': ('reflection: a row_major @0, b column_major @64, v @128; SPIR-V decorations ColMajor for a, RowMajor for b',
            [(t, layout_of_pair) for t in ('spirv', 'msl', 'wgsl')] + [('spirv', majorness_of_pair)]),
    '085': ('entry VSMain stage vert and entry PSMain stage frag; COLOR0, UV0 and UV1 get equal locations in both',
            [(t, entries_and_locations) for t in ('spirv', 'msl', 'wgsl')]),
    '089': ('MSL gather calls carry int2(0) before component::w', [('msl', gather_offsets)]),
    '091': ('valid GLSL and MSL; HLSL out keeps SampleCmpLevelZero', []),
    '094': ('NonUniform decorations present', [('spirv', has_non_uniform)]),
    '107': ('ES out: tint highp, half_ mediump, tex mediump', []),
}
