"""Execution tests from tests/vectors/integer-exactness.json and tests/cases."""
import copy
import json
import re
import struct

import case_checks
import values
from shader_test import ShaderTest

WORDS = 64


def _buffer(t):
    t.inputs['0:0'] = bytes(4 * WORDS)


def _expect_words(t, words):
    t.expected['0:0'] = values.Expected('x32:' + ','.join(map(str, words)), '.')


def _cannot_say(t, features):
    """What a target lacks by its definition: 64-bit integers and arrays of resources on WGSL, exact 64-bit atomics on both texts."""
    if 'int64' in features or 'float64' in features:
        t.refused['wgsl'] = '*'
    if 'float64' in features or 'int64-atomics' in features:
        t.refused['msl'] = '*'
    if 'int64-atomics' in features:
        t.refused['wgsl'] = '*'
    if 'binding-arrays' in features:
        t.refused['wgsl'] = 'binding-array-not-available'


def from_json(path):
    for entry in json.loads(path.read_text()):
        if entry['role'] != 'input':
            continue
        t = ShaderTest('vectors/' + entry['name'])
        language, version = entry['language'], entry['version'].split()
        stage = entry.get('stage', 'comp')
        t.files = [(f'vector.{stage}.hlsl' if language == 'hlsl' else f'vector.{stage}', entry['source'])]
        if language == 'hlsl':
            t.flags = ['-HV', version[0], '-T', version[1], '-E', 'main']
        if 'strict-literals' in entry.get('options', []):
            t.flags.append('--strict=literals')
        features = entry.get('features', [])
        if language == 'hlsl' and re.search(r'\b(Wave|Quad)[A-Z]', entry['source']):
            t.target_names['wgsl'] = 'wgsl+subgroups'
        if 'int16' in features and language == 'hlsl':
            t.flags.append('-enable-16bit-types')
        t.target_names['spirv'] = 'vulkan1.2'
        if 'float32-atomic-add' in features:
            t.target_names['spirv'] = 'vulkan1.2+atomic-float'
        t.groups = (entry['groups'], 1, 1)
        t.targets = [x for x in t.targets if x in entry.get('target', t.targets)]
        _buffer(t)
        _cannot_say(t, features)
        if isinstance(entry['expected'], dict):
            t.error = entry['expected']['error']
            t.refused = {}
        else:
            _expect_words(t, entry['expected'])
        yield t
        if entry['basis'] == 'spec' and not t.error:    # holds without the guards of the contract too (semantics.md 7)
            native = copy.deepcopy(t)
            native.ident += '-native'
            native.flags.append('--native-arithmetic')
            yield native


def from_case(path):
    head, _, _ = path.read_text().partition('\n')
    parts = [p.strip() for p in head.lstrip('/ ').split('|')]
    t = ShaderTest('cases/' + path.stem)
    settings = parts[1]
    facts = dict(w.split('=', 1) for w in settings.split() if '=' in w and '>=' not in w)
    stages, entries = facts['stage'].split('+'), facts['entry'].split(',')
    name = path.name if facts['lang'] == 'glsl' else f'{path.stem}.hlsl'
    t.files = [(name, path.read_text())]
    t.entry = entries[0]
    t.flags = ['-E', ','.join(entries), '--stage', ','.join(stages)]
    model = re.search(r'sm>=(\d)\.(\d)', settings)
    if 'hlsl' in facts:
        t.flags += ['-HV', facts['hlsl']]
    if 'enable-16bit-types' in settings:
        t.flags.append('-enable-16bit-types')
    t.target_names['spirv'] = max(facts.get('env', 'vulkan1.1'), 'vulkan1.1' if model else 'vulkan1.0')
    if model and 'wave' in path.stem:
        t.target_names['wgsl'] = 'wgsl+subgroups'
    text = t.files[0][1]
    signs = (('int64', 'int64'), ('int64-atomics', 'atomic_int64'), ('binding-arrays', 'GL_EXT_nonuniform_qualifier'))
    _cannot_say(t, [f for f, sign in signs if sign in text])
    _expectation(t, parts)
    t.checks = case_checks.of(path.stem, parts)
    return t


def _expectation(t, parts):
    kind = next(p for p in parts if p.startswith('expect='))[7:]
    if kind == 'values':
        words = re.match(r'words\[0\.\.\d+\]=(\S+)', next(p for p in parts if p.startswith('words')))[1]
        _buffer(t)
        _expect_words(t, [int(w, 0) for w in words.split(',')])
    elif kind == 'reject':
        t.error, t.refused = '*', {}
        t.error_line = int(next(p for p in parts if p.startswith('line='))[5:])
    else:
        t.compile_only = True


def words(data):
    return struct.unpack(f'<{len(data) // 4}I', data)
