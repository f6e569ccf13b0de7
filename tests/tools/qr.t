#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# zbarimg reads our QR codes of every version, level and mask, with the longest text of each; qrencode draws the same modules for
# one of the masks.
import re
import subprocess

from tap import BUILD, done, folder, ok, same

QUIET, PIXELS = 4, 4    # of qr_image
VERSIONS = range(1, 21)
# The characters that each version holds: ISO/IEC 18004:2015, table 7.
HOLDS = {
    ('L', 'letters'): (25, 47, 77, 114, 154, 195, 224, 279, 335, 395, 468, 535, 619, 667, 758, 854, 938, 1046, 1153,
     1249),
    ('M', 'letters'): (20, 38, 61, 90, 122, 154, 178, 221, 262, 311, 366, 419, 483, 528, 600, 656, 734, 816, 909, 970),
    ('L', 'bytes'): (17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858),
    ('M', 'bytes'): (14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666)}
# Texts without digits: qrencode would put digits into a segment of their own.
PATTERN = {'letters': 'DSTEST:QR+CODE.AND-/ZBAR', 'bytes': 'dstest writes, zbarimg reads. '}


def text_of(kind, length):
    return (PATTERN[kind] * (1 + length // len(PATTERN[kind])))[:length - 1] + {'letters': 'Z', 'bytes': 'z'}[kind]


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


for (level, kind), most in HOLDS.items():
    what = f'{kind} of level {level}'
    agree(f'the longest {what}, with every mask', [(level, version, mask, text_of(kind, most[version - 1]))
                                                   for version in VERSIONS for mask in range(8)])
    agree(f'the shortest {what}', [(level, version, 8, 'A' if kind == 'letters' else 'a') for version in VERSIONS])
    said = agree(f'{what} that need a larger version',
                 [(level, 0, 8, text_of(kind, 1 + each)) for each in most[:19]])
    same([int(line.split()[0]) for line in said], list(range(2, 21)), f'{what}: the smallest version')
    same(draw([(level, 0, 8, text_of(kind, 1 + most[19])), (level, 7, 8, text_of(kind, 1 + most[6]))]),
         ['does not fit'] * 2,
         f'{what}: one character too many')
    differ, chosen = [], 0
    for version in VERSIONS:
        text = text_of(kind, most[version - 1] - 3)
        theirs = subprocess.run(['qrencode', '-v', str(version), '-l', level, '-t', 'ASCII', '-m', '0', '-o', '-',
                                text],
                                check=True, capture_output=True, text=True).stdout.splitlines()
        said = draw([(level, version, mask, text) for mask in range(9)])
        alike = [mask for mask in range(8) if modules(place(mask)) == [line[::2] for line in theirs]]
        differ += [version] * (len(alike) != 1)
        chosen += bool(alike) and said[8].split()[1] == str(alike[0])
    same(differ, [], f'qrencode draws the same modules: {what}, all versions')
    ok(chosen >= 12, f'qrencode mostly chooses the same mask ({chosen} of 20)')
done()
