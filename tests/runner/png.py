"""PNG without a library: 8 bits a channel, not interlaced."""
import pathlib
import struct
import zlib

_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def read(path):
    """(width, height, rgba bytes)"""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError(f'{path}: not a PNG file')
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
            if depth != 8 or interlaced or colour not in _CHANNELS:
                raise ValueError(f'{path}: only 8-bit PNG without palette and interlacing')
        elif kind == b'IDAT':
            packed += body
        at += 12 + size
    channels = _CHANNELS[colour]
    return width, height, _to_rgba(_unfilter(zlib.decompress(packed), width * channels, height, channels), channels)


def _unfilter(raw, stride, height, step):
    out, previous = bytearray(), bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if kind else 0):
            left = line[x - step] if x >= step else 0
            up, corner = previous[x], previous[x - step] if x >= step else 0
            line[x] = (line[x] + _predict(kind, left, up, corner)) & 255
        out += line
        previous = line
    return out


def _predict(kind, left, up, corner):
    if kind == 1:
        return left
    if kind == 2:
        return up
    if kind == 3:
        return (left + up) // 2
    p = left + up - corner
    a, b, c = abs(p - left), abs(p - up), abs(p - corner)
    return left if a <= b and a <= c else up if b <= c else corner


def _to_rgba(data, channels):
    if channels == 4:
        return bytes(data)
    out = bytearray()
    for i in range(0, len(data), channels):
        p = data[i:i + channels]
        out += {1: lambda: bytes((p[0],) * 3 + (255,)), 2: lambda: bytes((p[0],) * 3 + (p[1],)),
                3: lambda: bytes(p) + b'\xff'}[channels]()
    return bytes(out)


def write(path, width, height, rgb):
    """rgb: 3 bytes a pixel. The same bytes for the same pixels with the same zlib."""
    rows = b''.join(b'\0' + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height))

    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))

    head = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    pathlib.Path(path).write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) +
                                   chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))
