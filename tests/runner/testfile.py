"""The .test file: headers, then sections. tests/README.md describes it."""
import pathlib

ENDINGS = {'vert', 'tesc', 'tese', 'geom', 'frag', 'comp', 'mesh', 'task', 'rgen', 'rint', 'rahit', 'rchit', 'rmiss',
           'rcall'}


class BadTest(Exception):
    pass


class Section:
    def __init__(self, words, line):
        self.words = words        # `--- msl has -O0` gives ['msl', 'has', '-O0']
        self.line = line          # of the head, from 1
        self.text = ''

    @property
    def name(self):
        return self.words[0]

    @property
    def mode(self):
        return self.words[1] if len(self.words) > 1 and self.words[1] in ('has', 'lacks') else 'exact'

    @property
    def flags(self):
        return [w for w in self.words[1:] if w.startswith('-')]

    @property
    def arguments(self):
        return [w for w in self.words[1:] if not w.startswith('-') and w not in ('has', 'lacks')]

    def lines(self):
        return [line for line in self.text.splitlines() if line.strip()]


class TestFile:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.headers = []         # (key, value), order kept
        self.sections = []
        self._parse(self.path.read_text())

    def _parse(self, text):
        section, body = None, []
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith('--- '):
                self._close(section, body)
                section, body = Section(line[4:].split(), number), []
                if not section.words:
                    raise BadTest(f'{self.path}:{number}: a section needs a name')
            elif section is not None:
                body.append(line)
            elif line.strip() and not line.startswith('#'):
                separator = min((line.find(c) for c in ':=' if c in line), default=-1)
                key = line.split()[0].rstrip(':')
                if key in ('set', 'expect', 'refused', 'target', 'spec', 'sampler', 'vertex'):
                    key, value = line.strip().split(None, 1)
                elif separator > 0 and line[separator] == ':':
                    key, value = line[:separator], line[separator + 1:]
                else:
                    raise BadTest(f'{self.path}:{number}: neither `name: value` nor a section')
                self.headers.append((key.strip(), value.strip()))
        self._close(section, body)

    def _close(self, section, body):
        if section is not None:
            while body and not body[-1].strip():
                body.pop()
            section.text = ''.join(line + '\n' for line in body)
            self.sections.append(section)

    def get(self, key, default=''):
        return next((v for k, v in self.headers if k == key), default)

    def all(self, key):
        return [v for k, v in self.headers if k == key]

    def pairs(self, key):
        """`key WHERE = VALUE` lines as a dictionary."""
        out = {}
        for v in self.all(key):
            where, equals, value = v.partition('=')
            if not equals:
                raise BadTest(f'{self.path}: `{key} {v}` needs a `=`')
            out[where.strip()] = value.strip()
        return out

    def sources(self):
        """[(file name, text)], the one to compile first."""
        out = []
        for s in self.sections:
            if s.name == 'source':
                out.append((source_name(s.arguments, len(out)), s.text))
            elif s.name == 'file':
                out.append((s.arguments[0], s.text))
        if not out:
            raise BadTest(f'{self.path}: no `--- source` section')
        return out

    def rewrite(self, replacements):
        """Writes new texts of sections, {Section: text}, into the file."""
        lines = self.path.read_text().splitlines()
        out, skipping = [], False
        by_line = {s.line: s for s in self.sections}
        for number, line in enumerate(lines, 1):
            if number in by_line:
                section = by_line[number]
                skipping = section in replacements
                if out and out[-1].strip() and number > 1 and skipping is False:
                    pass
                out.append(line)
                if skipping:
                    out += replacements[section].rstrip('\n').splitlines()
            elif not skipping:
                out.append(line)
        self.path.write_text('\n'.join(out).rstrip('\n') + '\n')


def source_name(arguments, index):
    """`glsl comp` gives test.comp, `hlsl comp` test.comp.hlsl, `hlsl` test.hlsl; a word with a dot is the name."""
    named = [a for a in arguments if '.' in a]
    if named:
        return named[0]
    language = arguments[0] if arguments else 'glsl'
    stage = arguments[1] if len(arguments) > 1 else ''
    stem = 'test' if index == 0 else f'test{index}'
    if language == 'hlsl':
        return f'{stem}.{stage}.hlsl' if stage else f'{stem}.hlsl'
    if stage in ENDINGS:
        return f'{stem}.{stage}'
    return f'{stem}.{stage}.glsl' if stage else f'{stem}.glsl'
