"""Runs execution tests in every way: Carry's executor on the IR and after each target's passes, then each target's
output through its validators and executors, in batches."""
import concurrent.futures
import pathlib
import re

import devices
import modules
import shader_test
import values

ENDING = {'spirv': '.spv', 'msl': '.metal', 'wgsl': '.wgsl'}
GPU_WAYS = (('vulkan', 'spirv', 'spirv-vk'), ('dawn', 'wgsl', 'wgsl-dawn'), ('deno', 'wgsl', 'wgsl-deno'))


class Attempt:
    """A test on its way through the steps."""

    def __init__(self, test, folder):
        self.test, self.folder = test, pathlib.Path(folder)
        self.outputs = {}           # target -> path
        self.interfaces = {}        # target -> Interface
        self.reference = {}         # 'S:B' -> bytes, from the executor
        self.bad = set()            # targets whose output is not valid


class Engine:
    def __init__(self, carry, report, folder, with_devices, shim, pool):
        self.carry, self.report, self.root = carry, report, pathlib.Path(folder)
        self.with_devices, self.shim, self.pool = with_devices, shim, pool

    def run(self, tests):
        attempts = [Attempt(t, self.root / f'x{n}') for n, t in enumerate(tests)]
        list(self.pool.map(self._guarded(self._compile_and_run), attempts))
        ready = [a for a in attempts if a.outputs]
        if not self.with_devices:
            return
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            checks = [both.submit(self._check_wgsl, ready, kind, way) for kind, way in (('dawn', 'wgsl-tint'), ('deno', 'wgsl-naga'))]
            list(self.pool.map(self._guarded(self._check_own), ready))
            for c in checks:
                c.result()
            runs = [both.submit(self._run_gpu, ready, *way) for way in GPU_WAYS]
            list(self.pool.map(self._guarded(self._run_msl), ready))
            for r in runs:
                r.result()

    def _guarded(self, step):
        def safe(attempt):
            try:
                step(attempt)
            except Exception as e:      # noqa: BLE001  one broken test must not end the run
                self.report.fail(attempt.test.ident, 'runner', f'{type(e).__name__}: {e}')
        return safe

    # ---- the compiler itself

    def _compile_and_run(self, a):
        t = a.test
        self.report.ran(t.ident)
        a.folder.mkdir()
        for name, text in t.files:
            (a.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (a.folder / name).write_text(text)
        if t.error:
            return self._must_refuse(a)
        self._compile(a)
        if not t.compile_only and not (self._failed(t) and not a.outputs):
            self._execute(a, 'run', [])
            for target in t.targets:
                if target in a.outputs:
                    self._execute(a, f'run-{target}', ['--after-target', t.target_names[target]])

    def _failed(self, t):
        return t.ident in self.report.failed

    def _must_refuse(self, a):
        t = a.test
        for target in t.targets:
            arguments = [t.main, *t.flags, '--target', t.target_names[target], '--diagnostics=json', '-o', 'out' + ENDING[target]]
            r = self.carry(arguments, a.folder)
            if r.fault:
                self.report.fail(t.ident, 'compile', r.fault)
                continue
            if r.status != 1:
                self.report.fail(t.ident, target, f'exit status {r.status}, want 1 ({t.error}); {r.brief()}')
                continue
            errors = [m for m in r.messages() if m.get('severity') in ('error', 'fatal')]
            names = [m.get('name') for m in errors]
            if 'not-supported-yet' in names or (t.error != '*' and t.error not in names):
                self.report.fail(t.ident, target, f'refused with {", ".join(map(str, names))}, want {t.error}')
            elif t.error_line and t.error_line not in [m.get('line') for m in errors if t.error in ('*', m.get('name'))]:
                self.report.fail(t.ident, target, f"error at line {[m.get('line') for m in errors]}, want {t.error_line}")

    def _compile(self, a):
        t = a.test
        for target in t.targets:
            out = a.folder / ('out' + ENDING[target])
            r = self.carry([t.main, *t.flags, '--target', t.target_names[target], '--diagnostics=json', '-o', out.name], a.folder)
            if r.fault:
                self.report.fail(t.ident, target, r.fault)
                continue
            if r.status == 0 and out.exists():
                if target in t.refused and t.refused[target] != '*':
                    self.report.fail(t.ident, target, f'accepted, want {t.refused[target]}')
                    continue
                a.outputs[target] = out
                self.look_into(a, target)
                continue
            names = [m.get('name') for m in r.messages() if m.get('severity') in ('error', 'fatal')]
            wanted = t.refused.get(target)
            if r.status == 1 and wanted and names and 'not-supported-yet' not in names and wanted in ('*', *names):
                continue
            self.report.fail(t.ident, target, f'exit status {r.status}: {r.brief()}')

    def look_into(self, a, target):
        try:
            if target == 'spirv':
                a.interfaces[target] = modules.read_spirv(a.outputs[target].read_bytes())
            elif target == 'wgsl':
                a.interfaces[target] = modules.read_wgsl(a.outputs[target].read_text())
        except (ValueError, KeyError, IndexError, TypeError) as e:
            self.report.fail(a.test.ident, target, f'cannot be read: {e!r}')
            a.bad.add(target)

    def _execute(self, a, way, extra):
        got, error = self.run_executor(a, way, extra)
        if error:
            self.report.fail(a.test.ident, way, error)
        else:
            self._compare(a, way, got)

    def run_executor(self, a, way, extra):
        """({'S:B': bytes}, error text)"""
        t = a.test
        arguments = ['run', t.main, *t.flags, *extra, '--groups', ','.join(map(str, t.groups))]
        for where, value in t.inputs.items():
            if isinstance(value, bytes):
                name = f'in-{where.replace(":", "-")}.bin'
                (a.folder / name).write_bytes(value)
                arguments += ['--set', f'{where}=@{name}']
            elif isinstance(value, values.Texture):
                arguments += ['--set', f'{where}=@{self._image_file(a, where, value)}']
            else:
                arguments += ['--sampler', f'{where}={value.filtering}']
        for where, value in t.specs.items():
            arguments += ['--spec', f'{where}={value}']
        outs = {}
        for where in t.expected:
            outs[where] = a.folder / f'{way}-{where.replace(":", "-")}.bin'
            arguments += ['--save', f'{where}={outs[where].name}']
        r = self.carry(arguments, a.folder, limit=120)
        if r.fault or r.status != 0:
            return {}, r.fault or f'exit status {r.status}: {r.brief()}'
        return {w: p.read_bytes() if p.exists() else b'' for w, p in outs.items()}, ''

    def _image_file(self, a, where, texture):
        import png
        path = a.folder / f'in-{where.replace(":", "-")}.png'
        rgb = b''.join(texture.rgba[i:i + 3] for i in range(0, len(texture.rgba), 4))
        if any(v != 255 for v in texture.rgba[3::4]):
            raise ValueError('textures of tests have alpha 1')
        png.write(path, texture.width, texture.height, rgb)
        return path.name

    def _compare(self, a, way, got):
        for where, expected in a.test.expected.items():
            data = got.get(where)
            if data is None:
                data = a.test.inputs.get(where, b'')
            difference = expected.difference(data)
            if difference:
                self.report.fail(a.test.ident, way, f'{where} {difference}')
            elif way == 'run':
                a.reference[where] = data
            elif where in a.reference:
                difference = values.first_difference(a.reference[where], data, a.test.tolerance)
                if difference:
                    self.report.fail(a.test.ident, way, f'{where} {difference}')

    # ---- validators

    def _check_own(self, a):
        t = a.test
        if 'spirv' in a.outputs:
            error = devices.spirv_val(a.outputs['spirv'], shader_test.spirv_env(t))
            if error:
                self.report.fail(t.ident, 'spirv-val', error)
                a.bad.add('spirv')
        if 'msl' in a.outputs:
            messages = self.shim.check(a.outputs['msl'].read_text())
            if messages:
                self.report.fail(t.ident, 'msl-check', '\n'.join(messages[:3]))
                a.bad.add('msl')

    def _check_wgsl(self, attempts, kind, way):
        some = [a for a in attempts if 'wgsl' in a.outputs]
        answers = devices.run_jobs(kind, [str(a.outputs['wgsl']) for a in some], self.root, check=True) if some else []
        for a, answer in zip(some, answers):
            error = devices.answer_error(answer)
            if error:
                self.report.fail(a.test.ident, way, error)
                a.bad.add('wgsl')

    # ---- executors

    def _run_gpu(self, attempts, kind, target, way):
        some, jobs = [], []
        for a in attempts:
            if a.test.compile_only or target not in a.outputs or target in a.bad:
                continue
            try:
                jobs.append(self.job(a, target))
                some.append(a)
            except ValueError as e:
                self.report.fail(a.test.ident, way, str(e))
        for a, answer in zip(some, devices.run_jobs(kind, jobs, self.root) if jobs else []):
            error = devices.answer_error(answer)
            if error:
                self.report.fail(a.test.ident, way, error)
            else:
                self._compare(a, way, {w: bytes.fromhex(h) for w, h in answer['out'].items()})

    def job(self, a, target):
        t, interface = a.test, a.interfaces[target]
        words = [str(a.outputs[target]), '-d', ','.join(map(str, t.groups))]
        if interface.entries:
            words += ['-e', interface.entries[0]]
        inputs = dict(t.inputs)
        push = inputs.pop('push', None)
        if push is not None and target == 'spirv':
            words += ['-p', 'h:' + push.hex()]
        elif push is not None:
            inputs['3:0'] = push
        for where, value in t.specs.items():
            words += ['-c', f'{where}={value}']
        for (group, binding), kind in sorted(interface.bindings.items()):
            where = f'{group}:{binding}'
            value = inputs.get(where)
            if kind == 'm' and value is None:
                value = inputs.get(f'{group}:{binding - 128}-sampler', values.Sampler('linear'))
            if value is None:
                raise ValueError(f'{target} binds {where} (kind {kind}), which the test does not set')
            words += [f'-{kind}', f'{where}={self._init(kind, value)}']
        return ' '.join(words)

    def _init(self, kind, value):
        if isinstance(value, values.Sampler):
            return value.filtering
        if isinstance(value, values.Texture):
            return f'{value.width}x{value.height}:h:{value.rgba.hex()}'
        if kind not in 'sru':
            raise ValueError(f'a buffer is given where the shader binds kind {kind}')
        return f'zero:{len(value)}' if not any(value) else 'h:' + value.hex()

    def _run_msl(self, a):
        t = a.test
        if t.compile_only or 'msl' not in a.outputs or 'msl' in a.bad:
            return
        for order in ('forward', 'reverse'):
            got, error = self.run_msl(a, order)
            if error:
                return self.report.fail(t.ident, 'msl-run', error)
            self._compare(a, 'msl-run', got)

    def run_msl(self, a, order):
        """({'S:B': bytes}, error text)"""
        t, text = a.test, a.outputs['msl'].read_text()
        match = re.search(r'\bkernel\s+void\s+(\w+)', text)
        if not match:
            return {}, 'no kernel'
        buffers, textures, places = self.msl_bindings(a, text, match[1])
        size = next((a.interfaces[k].size for k in ('spirv', 'wgsl') if k in a.interfaces), (1, 1, 1))
        constants = {int(k): v for k, v in t.specs.items() if k.isdigit()}
        got, error = self.shim.run(text, match[1], t.groups, size, buffers, textures, order, constants)
        return {w: got[i] for w, i in places.items() if i in got}, error

    def msl_bindings(self, a, text, entry):
        """Indices by the contract of the command line: buffers and textures each from 0, by (set, number), used ones."""
        import msl
        parameters = msl.Unit(text).entries[entry][2]
        indices = {'buffer': [], 'texture': []}
        for p in parameters:
            m = re.match(r'(buffer|texture)\((\d+)\)', p.attrs[0] if p.attrs else '')
            if m:
                indices[m[1]].append(int(m[2]))
        interface = a.interfaces.get('spirv') or a.interfaces.get('wgsl')
        used = interface.bindings if interface else {tuple(map(int, w.split(':'))): 's' for w in a.test.inputs if w != 'push'}
        buffers, textures, places, next_index = {}, {}, {}, {'buffer': 0, 'texture': 0}
        for where in sorted(used):
            key = f'{where[0]}:{where[1]}'
            value = a.test.inputs.get(key)
            if isinstance(value, bytes):
                places[key] = next_index['buffer']
                buffers[next_index['buffer']] = value
                next_index['buffer'] += 1
            elif isinstance(value, values.Texture):
                textures[next_index['texture']] = (value.width, value.height, value.floats())
                next_index['texture'] += 1
        if 'push' in a.test.inputs:
            buffers[next_index['buffer']] = a.test.inputs['push']
        extra = [i for i in indices['buffer'] if i not in buffers]
        for i in extra:             # sizes of run-time arrays and the like, described by reflection
            raise ValueError(f'[[buffer({i})]] is not bound by the test')
        return buffers, textures, places
