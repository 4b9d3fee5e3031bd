"""Values of tests (`u32:1,2`, `zeros:64`, `@image.png`, the grammar of `carry run --set`) as bytes, and comparison."""
import math
import pathlib
import struct

import png

FORMATS = {'u8': 'B', 'i8': 'b', 'u16': 'H', 'i16': 'h', 'u32': 'I', 'x32': 'I', 'i32': 'i', 'f32': 'f', 'u64': 'Q',
           'i64': 'q', 'f64': 'd', 'f16': 'e'}

TEXELS = {'r32ui': 4, 'r32i': 4, 'r32f': 4, 'rgba32ui': 16, 'rgba32i': 16, 'rgba32f': 16, 'rgba16f': 8, 'rgba8': 4}


class Texture:
    """An rgba8 image."""
    components = 4

    def __init__(self, width, height, rgba):
        self.width, self.height, self.rgba = width, height, rgba

    def words(self):
        return struct.pack(f'<{len(self.rgba)}f', *(v / 255 for v in self.rgba))


class Image:
    """A storage image, zero at the start."""

    def __init__(self, width, height, kind):
        self.width, self.height, self.kind = width, height, kind
        self.size = width * height * TEXELS[kind]
        self.components = 1 if kind in ('r32ui', 'r32i', 'r32f') else 4

    def words(self):
        return bytes(16 * self.width * self.height)

    def from_words(self, data):
        """The bytes of the image from texels of four words, as the MSL shim keeps them."""
        if self.kind.startswith('rgba32'):
            return data
        if self.kind.startswith('r32'):
            return b''.join(data[i:i + 4] for i in range(0, len(data), 16))
        floats = struct.unpack(f'<{len(data) // 4}f', data)
        if self.kind == 'rgba16f':
            return pack('f16', floats)
        return bytes(round(255 * min(max(f, 0.0), 1.0)) for f in floats)


class Sampler:
    def __init__(self, filtering):
        self.filtering = filtering


def number(text, kind):
    text = text.strip()
    if kind[0] == 'f':
        if text.lower().lstrip('+-').startswith('0x'):
            return float.fromhex(text)
        return float(text)
    bits = int(kind[1:])
    value = int(text, 0)
    if kind[0] in 'ux':
        return value & ((1 << bits) - 1)
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def pack(kind, numbers):
    return b''.join(_pack_one(FORMATS[kind], n) for n in numbers)


def _pack_one(code, n):
    if code in 'fe' and math.isfinite(n):
        try:
            return struct.pack('<' + code, n)
        except OverflowError:
            n = math.copysign(math.inf, n)
    return struct.pack('<' + code, n)


def parse(text, folder):
    """bytes, Texture, Image or Sampler. Raises ValueError."""
    text = text.strip()
    if text.startswith('@'):
        path = pathlib.Path(folder) / text[1:]
        if path.suffix == '.png':
            return Texture(*png.read(path))
        return path.read_bytes()
    if text in ('linear', 'nearest'):
        return Sampler(text)
    kind, _, rest = text.partition(':')
    if kind == 'zeros' and 'x' in rest:
        size, _, form = rest.partition(':')
        width, height = (int(n) for n in size.split('x'))
        return Image(width, height, form or 'rgba8')
    if kind == 'zeros':
        return bytes(4 * int(rest))
    if kind == 'iota':
        return struct.pack(f'<{int(rest)}I', *range(int(rest)))
    if kind == 'rgba8':
        size, _, hexadecimal = rest.partition(':')
        width, height = (int(n) for n in size.split('x'))
        return Texture(width, height, bytes.fromhex(hexadecimal))
    if kind not in FORMATS:
        raise ValueError(f'unknown value `{text[:40]}`')
    return pack(kind, [number(n, kind) for n in rest.split(',') if n.strip()])


class Expected:
    """What a buffer must begin with. `same`: only that all ways agree."""

    def __init__(self, text, folder, tolerance=0.0):
        self.kind = text.strip().partition(':')[0]
        self.same = self.kind == 'same'
        self.open = text.strip() == '?'
        self.data = b'' if self.same or self.open else parse(text, folder)
        self.tolerance = tolerance

    def difference(self, got):
        """'' or where `got` differs first."""
        if self.same or self.open:
            return ''
        if len(got) < len(self.data):
            return f'{len(got)} bytes, want {len(self.data)}'
        if got[:len(self.data)] == self.data:
            return ''
        kind = self.kind if self.kind in FORMATS else 'x32'
        size = struct.calcsize(FORMATS[kind])
        for i in range(0, len(self.data) - size + 1, size):
            a, b = self.data[i:i + size], got[i:i + size]
            if a == b or (kind[0] == 'f' and self._near(kind, a, b)):
                continue
            return f'[{i // size}] is {show(kind, b)}, want {show(kind, a)}'
        return ''

    def _near(self, kind, a, b):
        x, y = (struct.unpack('<' + FORMATS[kind], v)[0] for v in (a, b))
        if math.isnan(x) or math.isnan(y):
            return self.tolerance > 0 and math.isnan(x) and math.isnan(y)
        if math.isinf(x) or math.isinf(y):
            return False
        return abs(x - y) <= self.tolerance * max(1.0, abs(x))


def show(kind, data):
    value = struct.unpack('<' + FORMATS[kind], data)[0]
    return f'{value!r} (0x{data[::-1].hex()})' if kind[0] == 'f' or kind in ('u32', 'i32', 'x32') else str(value)


def show_all(kind, data):
    """Values in the form of a test file."""
    kind = kind if kind in FORMATS else 'u32'
    numbers = [v[0] for v in struct.iter_unpack('<' + FORMATS[kind], data)]
    return f'{kind}:' + ','.join(f'0x{n:X}' if kind == 'x32' else repr(n) for n in numbers)


def first_difference(a, b, tolerance):
    """Between two whole buffers, or floats with a tolerance; '' if equal."""
    if a == b:
        return ''
    if tolerance:
        x, y = (struct.unpack(f'<{len(d) // 4}f', d[:len(d) & ~3]) for d in (a, b))
        far = [i for i in range(min(len(x), len(y))) if not abs(x[i] - y[i]) <= tolerance * max(1.0, abs(x[i]))
               and not (math.isnan(x[i]) and math.isnan(y[i]))]
        return f'float {far[0]} is {y[far[0]]!r}, elsewhere {x[far[0]]!r}' if far else ''
    if len(a) != len(b):
        return f'{len(a)} and {len(b)} bytes'
    at = next(i for i in range(len(a)) if a[i] != b[i]) & ~3
    return f'word {at // 4} is 0x{b[at:at + 4][::-1].hex()}, elsewhere 0x{a[at:at + 4][::-1].hex()}'
