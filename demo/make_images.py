#!/usr/bin/env python3
"""Draws the demo's images. scene.png: hills, a sun and a lake in many levels. blocks.png: full and empty channels only, so that
every partial sum of its lumas is exact in a float, in any order."""
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'tests' / 'runner'))
import png  # noqa: E402


def scene(width, height):
    out = bytearray()
    for y in range(height):
        for x in range(width):
            u, v = x / width, y / height
            ridge = 0.55 + 0.08 * math.sin(9 * u) + 0.05 * math.sin(23 * u + 1)
            sun = math.hypot(u - 0.7, (v - 0.25) * height / width)
            if v > 0.8:
                colour = (40 + 30 * math.sin(60 * v + 8 * u), 70 + 25 * math.sin(70 * v), 120 + 40 * u)
            elif v > ridge:
                colour = (60 + 90 * (v - ridge) / 0.3, 110 + 60 * math.sin(14 * u) * (v - ridge), 50 + 40 * u)
            elif sun < 0.09:
                colour = (250, 235 - 200 * sun, 160 - 400 * sun)
            else:
                colour = (120 + 110 * v - 60 * sun, 150 + 70 * v - 40 * sun, 225 - 60 * sun)
            pixel = [max(0, min(255, round(c))) for c in colour]
            if (pixel[0] + 2 * pixel[1] + pixel[2]) % 255 == 0:     # exactly between two bins: rounding would choose
                pixel[2] += 1 if pixel[2] < 255 else -1
            out += bytes(pixel)
    return bytes(out)


def blocks(width, height):
    out = bytearray()
    for y in range(height):
        for x in range(width):
            code = ((x >> 3) * 5 + (y >> 3) * 3 + (x * y >> 7)) & 7
            out += bytes(255 if code >> bit & 1 else 0 for bit in range(3))
    return bytes(out)


if __name__ == '__main__':
    png.write(HERE / 'scene.png', 256, 192, scene(256, 192))
    png.write(HERE / 'blocks.png', 128, 96, blocks(128, 96))
