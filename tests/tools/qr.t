#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""zbarimg reads our QR codes of every version, level and mask, with the longest text of each; qrencode draws the same modules for
one of the masks."""
import re
import subprocess

from tap import BUILD, done, folder, ok, same

QUIET, PIXELS = 4, 4    # of qr_image
VERSIONS = range(1, 11)
# The bytes that each version holds: ISO/IEC 18004:2015, table 7.
HOLDS = {'L': (17, 32, 53, 78, 106, 134, 154, 192, 230, 271), 'M': (14, 26, 42, 62, 84, 106, 122, 152, 180, 213)}
# A text without digits: qrencode would put digits into a segment of their own.
PATTERN = 'dstest writes, zbarimg reads. '


def text_of(length):
    return (PATTERN * (1 + length // len(PATTERN)))[:length - 1] + 'z'


def place(number):
    return f'{folder}/{number:04}.pgm'


def draw(codes):
    """Draws codes (level, version, mask, text), and returns qr_image's line for each."""
    lines = ''.join(f'{place(n)} {" ".join(map(str, code))}\n' for n, code in enumerate(codes))
    out = subprocess.run(BUILD / 'qr_image', input=lines, check=True, capture_output=True, text=True).stdout
    return [line.split(' ', 1)[1] for line in out.splitlines()]


def agree(what, codes):
    """Checks that zbarimg reads the text of each code."""
    said = draw(codes)
    same([line for line in said if not line[0].isdigit()], [], f'{what}: each fits')
    read = subprocess.run(['zbarimg', '--nodbus', '--raw', '-q', '-Sdisable', '-Sqrcode.enable',
                          *map(place, range(len(codes)))],
                          capture_output=True, text=True).stdout.splitlines()
    same(read, [code[3] for code in codes], f'{what}: zbarimg reads all {len(codes)}')
    return said


def modules(file):
    """The modules of a picture of qr_image, a row of # and blanks each."""
    data = open(file, 'rb').read()
    side = int(re.match(rb'P5 (\d+) \1 255\n', data)[1])
    data = data[-side * side:]
    places = range(QUIET * PIXELS, side - QUIET * PIXELS, PIXELS)
    return [''.join(' ' if data[y * side + x] else '#' for x in places) for y in places]


for level, most in HOLDS.items():
    what = f'of level {level}'
    agree(f'the longest {what}, with every mask', [(level, version, mask, text_of(most[version - 1]))
                                                   for version in VERSIONS for mask in range(8)])
    agree(f'the shortest {what}', [(level, version, 8, 'a') for version in VERSIONS])
    same(draw([(level, version, 8, text_of(1 + most[version - 1])) for version in VERSIONS]), ['does not fit'] * 10,
         f'{what}: one character too many')
    differ, chosen = [], 0
    for version in VERSIONS:
        text = text_of(most[version - 1] - 3)
        theirs = subprocess.run(['qrencode', '-v', str(version), '-l', level, '-t', 'ASCII', '-m', '0', '-o', '-',
                                text],
                                check=True, capture_output=True, text=True).stdout.splitlines()
        said = draw([(level, version, mask, text) for mask in range(9)])
        alike = [mask for mask in range(8) if modules(place(mask)) == [line[::2] for line in theirs]]
        differ += [version] * (len(alike) != 1)
        chosen += bool(alike) and said[8].split()[1] == str(alike[0])
    same(differ, [], f'qrencode draws the same modules: {what}, all versions')
    ok(chosen >= 6, f'qrencode mostly chooses the same mask ({chosen} of 10)')
done()
