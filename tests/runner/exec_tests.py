"""Runs execution tests in every way: Carry's executor on the IR and after each target's passes, then each target's
output through its validators and executors, in batches."""
import concurrent.futures
import pathlib
import re

import devices
import modules
import reflection
import shader_test
import values

ENDING = {'spirv': '.spv', 'msl': '.metal', 'wgsl': '.wgsl'}
GPU_WAYS = (('vulkan', 'spirv', 'spirv-vk'), ('dawn', 'wgsl', 'wgsl-dawn'), ('deno', 'wgsl', 'wgsl-deno'))


class Attempt:
    """A test on its way through the steps."""

    def __init__(self, test, folder):
        self.test, self.folder = test, pathlib.Path(folder)
        self.outputs = {}           # target -> paths, two for a separately compiled pair
        self.interfaces = {}        # target -> Interface
        self.reference = {}         # 'S:B' -> bytes, from the executor
        self.bad = set()            # targets whose output is not valid


class Engine:
    def __init__(self, carry, report, folder, with_devices, shim, pool, update=False):
        self.update = update
        self.carry, self.report, self.root = carry, report, pathlib.Path(folder)
        self.with_devices, self.shim, self.pool = with_devices, shim, pool

    def run(self, tests):
        attempts = [Attempt(t, self.root / f'x{n}') for n, t in enumerate(tests)]
        list(self.pool.map(self._guarded(self._compile_and_run), attempts))
        ready = [a for a in attempts if a.outputs]
        if not self.with_devices:
            return
        if devices.own_driver:
            return self._run_gpu(ready, *GPU_WAYS[0])
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            checks = [both.submit(self._check_wgsl, ready, kind, way) for kind, way in (('dawn', 'wgsl-tint'), ('deno', 'wgsl-naga'))]
            list(self.pool.map(self._guarded(self._check_own), ready))
            for c in checks:
                c.result()
            runs = [both.submit(self._run_gpu, ready, *way) for way in GPU_WAYS]
            list(self.pool.map(self._guarded(self._run_msl), ready))
            for r in runs:
                r.result()
        for a in attempts if self.update else []:
            if a.test.path and not self._failed(a.test):
                shader_test.fill_in(a.test, a.reference)

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
        if not t.compile_only and not t.draw and not (self._failed(t) and not a.outputs):
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
        units = [name for name, _ in t.files[:2]] if t.separate else [t.main]
        for target in t.targets:
            paths = [a.folder / f'out{n}{ENDING[target]}' for n in range(len(units))]
            if all(self._compile_unit(a, target, unit, path) for unit, path in zip(units, paths)):
                a.outputs[target] = paths
                self.look_into(a, target)

    def _compile_unit(self, a, target, unit, out):
        t = a.test
        r = self.carry([unit, *t.flags, '--target', t.target_names[target], '--diagnostics=json', '-o', out.name,
                        '--reflect', out.name + '.json'], a.folder)
        wanted = t.refused.get(target)
        if r.fault:
            self.report.fail(t.ident, target, r.fault)
        elif r.status == 0 and out.exists():
            if wanted in (None, '*'):
                return self._check_reflection(a, target, out)
            self.report.fail(t.ident, target, f'accepted, want {wanted}')
        else:
            names = [m.get('name') for m in r.messages() if m.get('severity') in ('error', 'fatal')]
            if not (r.status == 1 and wanted and names and 'not-supported-yet' not in names and wanted in ('*', *names)):
                self.report.fail(t.ident, target, f'exit status {r.status}: {r.brief()}')
        return False

    def _check_reflection(self, a, target, out):
        path = out.with_name(out.name + '.json')
        for difference in reflection.differences(path, target, out.read_bytes())[:3]:
            self.report.fail(a.test.ident, f'{target}-reflect', difference)
        for family, check in a.test.checks:
            error = check(out, path) if family == target else ''
            if error:
                self.report.fail(a.test.ident, f'{target}-check', error)
        return True

    def look_into(self, a, target):
        """Reads what the outputs for `target` bind."""
        if target == 'msl':
            return
        interface = modules.Interface()
        try:
            for path in a.outputs[target]:
                one = modules.read_spirv(path.read_bytes()) if target == 'spirv' else modules.read_wgsl(path.read_text())
                interface.merge(one)
                interface.size, interface.size_specs = one.size, one.size_specs
            a.interfaces[target] = interface
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
                arguments += ['--set', f'{where}=zeros:{value.width}x{value.height}:{value.kind}']
        for where, filtering in t.samplers.items():
            arguments += ['--sampler', f'{where}={filtering},clamp']
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
            data = self._pixel(a, got, where) if where.startswith('pixel') else got.get(where)
            if data is None:
                data = a.test.inputs.get(where, b'')
            difference = expected.difference(data)
            if expected.open and way == 'run' and not self.update:
                difference = 'no value yet: `make test UPDATE=1` fills it in'
            if difference:
                self.report.fail(a.test.ident, way, f'{where} {difference}')
            elif where not in a.reference and (way == 'run' or a.test.draw):
                a.reference[where] = data
            elif where in a.reference:
                difference = values.first_difference(a.reference[where], data, a.test.tolerance)
                if difference:
                    self.report.fail(a.test.ident, way, f'{where} {difference}')

    def _pixel(self, a, got, where):
        """`pixels`: all of them; `pixelX,Y`: one, rows from the top."""
        data, at = got.get('pixels', b''), re.fullmatch(r'pixel(\d+),(\d+)', where)
        if not at:
            return data
        start = 16 * (int(at[2]) * a.test.draw[0] + int(at[1]))
        return data[start:start + 16]

    # ---- validators

    def _check_own(self, a):
        t = a.test
        if 'spirv' in a.outputs:
            error = next(filter(None, (devices.spirv_val(p, shader_test.spirv_env(t), ' '.join(t.flags)) for p in a.outputs['spirv'])), '')
            if error:
                self.report.fail(t.ident, 'spirv-val', error)
                a.bad.add('spirv')
        if 'msl' in a.outputs:
            messages = [m for p in a.outputs['msl'] for m in self.shim.check(p.read_text())]
            if messages:
                self.report.fail(t.ident, 'msl-check', '\n'.join(messages[:3]))
                a.bad.add('msl')

    def _check_wgsl(self, attempts, kind, way):
        some = [(a, p) for a in attempts for p in a.outputs.get('wgsl', [])]
        answers = devices.run_jobs(kind, [str(p) for _, p in some], self.root, check=True) if some else []
        for (a, _), answer in zip(some, answers):
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
        """The line for vk_run or gpu_run.mjs."""
        t, interface = a.test, a.interfaces[target]
        words = [','.join(map(str, a.outputs[target]))]
        names = {model: name for model, name in interface.entries}
        if t.draw:
            if 0 not in names or 4 not in names:
                raise ValueError(f'{target}: no vertex and fragment entry, has {interface.entries}')
            words += ['-g', '{}x{}:{}'.format(*t.draw), '-e', f'{names[0]},{names[4]}']
            for location, (components, data) in t.attributes.items():
                words += ['-v', f'{location}={components}:h:{data.hex()}']
        else:
            words += ['-d', ','.join(map(str, t.groups)), '-e', names.get(5, 'main')]
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
            if kind == 'm':         # a sampler of its own, or split off a texture: number + 128
                filtering = t.samplers.get(where) or t.samplers.get(f'{group}:{binding - 128}', 'linear')
                words += ['-m', f'{where}={filtering}']
            elif where not in inputs:
                raise ValueError(f'{target} binds {where} (kind {kind}), which the test does not set')
            else:
                words += [f'-{kind}', f'{where}={self._init(kind, inputs[where], t.samplers.get(where, "linear"))}']
        return ' '.join(words)

    def _init(self, kind, value, filtering):
        if kind in 'tx' and isinstance(value, values.Texture):
            size = f'{value.width}x{value.height}:'
            return size + (f'{filtering}:' if kind == 'x' else '') + f'h:{value.rgba.hex()}'
        if kind == 'i' and isinstance(value, values.Image):
            return f'{value.width}x{value.height}:{value.kind}:zero:{value.size}'
        if kind not in 'sru' or not isinstance(value, bytes):
            raise ValueError(f'a {type(value).__name__} is given where the shader binds kind {kind}')
        return f'zero:{len(value)}' if not any(value) else 'h:' + value.hex()

    def _run_msl(self, a):
        t = a.test
        if t.compile_only or t.draw or 'msl' not in a.outputs or 'msl' in a.bad:
            return
        for order in ('forward', 'reverse'):
            got, error = self.run_msl(a, order)
            if error:
                return self.report.fail(t.ident, 'msl-run', error)
            self._compare(a, 'msl-run', got)

    def run_msl(self, a, order):
        """({'S:B': bytes}, error text)"""
        t, text = a.test, a.outputs['msl'][0].read_text()
        match = re.search(r'\bkernel\s+void\s+(\w+)', text)
        if not match:
            return {}, 'no kernel'
        buffers, textures, places = self.msl_bindings(a, text, match[1])
        constants = {int(k): v for k, v in t.specs.items() if k.isdigit()}
        size = (1, 1, 1)
        if interface := a.interfaces.get('spirv') or a.interfaces.get('wgsl'):
            size = [int(constants.get(spec, n), 0) if spec in constants else n for n, spec in zip(interface.size, interface.size_specs)]
        got, error = self.shim.run(text, match[1], t.groups, size, buffers, textures, order, constants)
        out = {w: got[i] for w, i in places.items() if i in got}
        for where, data in out.items():
            if isinstance(t.inputs.get(where), values.Image):
                out[where] = t.inputs[where].from_words(data)
        return out, error

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
            elif isinstance(value, (values.Texture, values.Image)):
                textures[next_index['texture']] = (value.width, value.height, value.components, value.words())
                places[key] = ('texture', next_index['texture'])
                next_index['texture'] += 1
        if 'push' in a.test.inputs:
            buffers[next_index['buffer']] = a.test.inputs['push']
        for i in set(indices['buffer']) - set(buffers):
            name = next(p.name for p in parameters if f'buffer({i})' in p.attrs)
            if 'size' not in name:
                raise ValueError(f'[[buffer({i})]] {name} is not bound by the test')
            # byte sizes of the buffers, by index, for the lengths of run-time arrays
            buffers[i] = b''.join(len(buffers.get(k, b'')).to_bytes(4, 'little') for k in range(31))
        return buffers, textures, places
