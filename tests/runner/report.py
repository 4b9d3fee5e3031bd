"""Collects results. A test has one identity and several ways (`spirv-val`, `wgsl-dawn`, ...) in which it may fail."""
import pathlib
import threading


class Report:
    def __init__(self, known_path, filtered, steps_run=('',)):
        """`steps_run`: beginnings of the names of the ways that this run takes, of those with a `-`."""
        self.steps_run = tuple(steps_run)
        self.failed = {}            # id -> [(way, message)]
        self.passed = set()
        self.skipped = {}
        self.known = {}             # id -> (ways, reason)
        self.filtered = filtered
        self._known_path = pathlib.Path(known_path)
        self._lock = threading.Lock()
        self._read_known()

    def _read_known(self):
        if not self._known_path.exists():
            return
        for number, line in enumerate(self._known_path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith('#'):
                continue
            parts = [p.strip() for p in line.split('|')]
            if len(parts) != 3 or not parts[2]:
                self.fail('known.txt', f'line {number}', 'needs `ID | WAYS | REASON`')
                continue
            self.known[parts[0]] = (parts[1].split(), parts[2])

    def ran(self, ident):
        with self._lock:
            self.passed.add(ident)

    def fail(self, ident, way, message):
        with self._lock:
            self.failed.setdefault(ident, []).append((way, message))

    def finish(self):
        """Takes known failures out; adds those that pass now. (passed, failed, known)"""
        known_hits = 0
        for ident, (ways, _) in self.known.items():
            if ident not in self.passed:
                if not self.filtered:
                    self.fail(ident, 'known.txt', 'there is no such test')
                continue
            left, hit = [], set()
            for way, message in self.failed.get(ident, []):
                match = next((w for w in ways if w == '*' or way == w or way.startswith(w + '-')), None)
                if match is None:
                    left.append((way, message))
                else:
                    hit.add(match)
            for way in ways:
                if way not in hit and ('-' not in way or way.startswith(self.steps_run)):
                    left.append((way, 'now passes: take it off tests/known.txt'))
            self.failed.pop(ident, None)
            if left:
                self.failed[ident] = left
            else:
                known_hits += 1
        return len([i for i in self.passed if i not in self.failed]) - known_hits, len(self.failed), known_hits

    def show(self, limit, verbose):
        for n, (ident, failures) in enumerate(sorted(self.failed.items())):
            if n == limit:
                print(f'... and {len(self.failed) - limit} more (--all shows them)')
                break
            print(f'FAIL {ident}')
            for way, message in failures if verbose else failures[:4]:
                text = message.strip().replace('\n', '\n      ')
                print(f'  {way}: {text if verbose else text[:1500]}')
            if not verbose and len(failures) > 4:
                print(f'  and {len(failures) - 4} more ways')

    def write_known(self):
        """Writes what fails now as known, keeping reasons that are there. For the days when features arrive."""
        lines = ['# Tests that fail for a reason known: ID | WAYS | REASON. A way is `*` (all), `compile`, `run`, or a',
                 '# target (`wgsl`) or one step of it (`wgsl-dawn`). An entry that passes is a failure: take it off.']
        entries = {}
        for ident, failures in self.failed.items():
            old = self.known.get(ident, ([], 'not yet'))
            entries[ident] = (sorted({way for way, m in failures if not m.startswith('now passes')}), old[1])
        for ident, value in self.known.items():
            if ident not in self.failed and ident in self.passed:
                entries[ident] = value
        for ident, (ways, reason) in sorted(entries.items()):
            if ways and '/' in ident and not ident.startswith(('unit/', 'check/', 'fuzz/')):
                lines.append(f'{ident} | {" ".join(ways)} | {reason}')
        self._known_path.write_text('\n'.join(lines) + '\n')
