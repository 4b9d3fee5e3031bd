"""One execution test: a source, what is bound, what must come out. Made from .test files, vectors and cases."""
import re

import testfile
import values

TARGETS = ('spirv', 'msl', 'wgsl')


class ShaderTest:
    def __init__(self, ident):
        self.ident = ident
        self.files = []             # (name, text), the one to compile first
        self.folder = '.'           # values @FILE are relative to it
        self.flags = []
        self.entry = 'main'
        self.groups = (1, 1, 1)
        self.inputs = {}            # 'S:B' or 'push' -> bytes, Texture, Image
        self.expected = {}          # 'S:B' -> Expected
        self.specs = {}
        self.error = ''             # name of the diagnostic, for tests that must be refused; `*`: any
        self.error_line = 0
        self.compile_only = False
        self.checks = []            # (target, function of output and reflection that gives '' or what is wrong)
        self.targets = list(TARGETS)
        self.target_names = {t: t for t in TARGETS}     # with version and features: `vulkan1.3`, `wgsl+f16`
        self.refused = {}           # target -> name of its diagnostic
        self.tolerance = 0.0
        self.path = None            # of the .test file
        self.samplers = {}          # 'S:B' -> linear or nearest; of a combined sampler too
        self.draw = None            # (width, height, vertices)
        self.attributes = {}        # location -> (components, bytes)
        self.separate = False       # each source is compiled for itself (a GLSL pair)

    @property
    def main(self):
        return self.files[0][0]


def from_file(path, ident):
    """Raises testfile.BadTest or ValueError."""
    f = testfile.TestFile(path)
    t = ShaderTest(ident)
    t.path = f.path
    t.files = f.sources()
    t.folder = f.path.parent
    t.flags = f.get('flags').split()
    t.entry = f.get('entry', 'main')
    t.tolerance = float(f.get('tolerance', '0'))
    groups = [int(n) for n in f.get('groups', '1').split(',')]
    t.groups = tuple((groups + [1, 1])[:3])
    t.compile_only = f.get('run') == 'no'
    t.specs = f.pairs('spec')
    for where, text in f.pairs('set').items():
        value = values.parse(text, t.folder)
        if isinstance(value, values.Sampler):
            t.samplers[where] = value.filtering
        else:
            t.inputs[where] = value
    t.samplers.update(f.pairs('sampler'))
    _read_drawing(t, f)
    for where, text in f.pairs('expect').items():
        t.expected[where.replace(' ', '')] = values.Expected(text, t.folder, t.tolerance)
    if f.get('targets'):
        t.targets = f.get('targets').split()
    for name, value in f.pairs('target').items():
        t.target_names[name] = value
    t.refused = f.pairs('refused')
    error = f.get('error').split()
    if error:
        t.error, t.error_line = error[0], int(error[1]) if len(error) > 1 else 0
    elif not t.compile_only and not t.expected:
        raise testfile.BadTest(f'{path}: neither `expect`, `error` nor `run: no`')
    return t


def _read_drawing(t, f):
    if not f.get('draw'):
        return
    m = re.fullmatch(r'(\d+)x(\d+)\s+(\d+)', f.get('draw'))
    if not m:
        raise testfile.BadTest(f'{f.path}: `draw: WIDTHxHEIGHT VERTICES`')
    t.draw = tuple(int(n) for n in m.groups())
    t.separate = len([s for s in f.sections if s.name == 'source']) == 2
    for location, text in f.pairs('vertex').items():
        m = re.fullmatch(r'f32x(\d):(.*)', text)
        if not m:
            raise testfile.BadTest(f'{f.path}: `vertex LOCATION = f32x3:...`')
        t.attributes[int(location)] = (int(m[1]), values.parse('f32:' + m[2], t.folder))


def fill_in(t, reference):
    """Puts the executor's values in the place of `expect WHERE = ?`; all ways have agreed on them."""
    lines = t.path.read_text().splitlines()
    for n, line in enumerate(lines):
        if line.startswith('--- '):
            break
        m = re.fullmatch(r'expect\s+(\S+)\s*=\s*\?', line.strip())
        if m and m[1] in reference:
            lines[n] = f'expect {m[1]} = {values.show_all("x32", reference[m[1]])}'
            print(f'{t.path}: {lines[n]}')
    t.path.write_text('\n'.join(lines) + '\n')


def spirv_env(t):
    """Environment for spirv-val."""
    name = t.target_names['spirv']
    m = re.match(r'vulkan(\d\.\d)', name)
    return f'vulkan{m[1]}' if m and m[1] <= '1.3' else 'vulkan1.2' if name.startswith('spirv') else 'vulkan1.3'
