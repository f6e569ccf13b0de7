# SPDX-License-Identifier: MIT
"""Reads a screen back into text: the kernel's page from its memory, or an image, in which it finds the kernel's font,
build/include/font.bin, whatever its scale and origin, without the kernel's way of drawing."""
import functools
import math
import re
import struct
from collections.abc import Sequence

import machine

GLYPH_WIDTH, GLYPH_HEIGHT = 8, 16
FULL_BLOCK = '█'

# The colours of VGA's text mode, in the order of enum cell_colour of kernel/screen/cells.h.
PALETTE = [
    (0, 0, 0), (0, 0, 170), (0, 170, 0), (0, 170, 170), (170, 0, 0), (170, 0, 170), (170, 85, 0), (170, 170, 170),
    (85, 85, 85), (85, 85, 255), (85, 255, 85), (85, 255, 255), (255, 85, 85), (255, 85, 255), (255, 255, 85), (255, 255, 255),
]
# Tolerance for a colour: the palette's colours differ by far more, and pixel formats of few bits are exact to 5.
TOLERANCE = 10

Cell = tuple[str, int, int]    # a character, the colours of its ink and its ground

# struct cells of kernel/screen/cells.h
COLUMNS_MOST, ROWS_MOST = 160, 100
cells_at = functools.cache(lambda width: machine.address_of(width, 'cells'))


def cells_of(guest: machine.Machine, width: int) -> tuple[int, int, list[bytes]]:
    """The kernel's page in a running machine's memory: its columns and rows, and the bytes of each row, characters with
    attributes. The width is the kernel's, in bits."""
    memory = guest.memory(cells_at(width), 8 + 2 * COLUMNS_MOST * ROWS_MOST)
    columns, rows = struct.unpack_from('<II', memory)
    return columns, rows, [memory[at:at + 2 * columns] for at in range(8, 8 + 2 * COLUMNS_MOST * rows, 2 * COLUMNS_MOST)]


# ---- images: the rows of pixels, as bytes: red, green and blue of each

def image_of_ppm(data: bytes) -> list[bytes]:
    """The image of a binary PPM, such as QEMU's screendump writes."""
    width, height, pixels = re.fullmatch(rb'P6\s+(\d+)\s+(\d+)\s+255\s(.*)', data, re.S).groups()
    size = 3 * int(width)
    if len(pixels) != size * int(height):
        raise ValueError('the PPM ends early')
    return [pixels[at:at + size] for at in range(0, len(pixels), size)]


# ---- text

@functools.cache
def letter_of(rgb: bytes) -> str:
    """A letter, A to P, for a pixel's colour."""
    for colour, parts in enumerate(PALETTE):
        if all(abs(got - want) <= TOLERANCE for got, want in zip(rgb, parts)):
            return chr(65 + colour)
    raise ValueError(f'a pixel of colour {rgb.hex()}, which the palette does not have')


@functools.cache
def letters_of(row: bytes) -> str:
    return ''.join(letter_of(row[at:at + 3]) for at in range(0, len(row), 3))


def grid_of(direction: str, places: Sequence[int]) -> tuple[int, int]:
    """From the places where the colour changes along a direction: the size of a font's pixel, and where the pixels begin."""
    size = math.gcd(*(place - places[0] for place in places))
    if not size:
        raise ValueError(f'the screen has too little text to find the scale from the {direction}')
    return size, places[0] % size


@functools.cache
def characters() -> dict[bytes, str]:
    """Characters by glyph, without control characters. Of several with the same glyph, the first one: it is ASCII."""
    font, of = (machine.BUILD / 'include/font.bin').read_bytes(), {}
    for code in range(0x21, 0x100):
        of.setdefault(font[GLYPH_HEIGHT * code:GLYPH_HEIGHT * (code + 1)], bytes([code]).decode('cp437'))
    return of


@functools.cache
def character_of(cell: tuple[str, ...]) -> Cell | None:
    """A cell, 16 rows of 8 letters: its character, ink and ground colours; None if the font has no such glyph."""
    colours = sorted(set(''.join(cell)))
    if len(colours) == 1:
        return (' ', 7, 0) if colours == ['A'] else (FULL_BLOCK, ord(colours[0]) - 65, 0)
    if len(colours) > 2:
        return None
    for ground, ink in colours, colours[::-1]:
        glyph = bytes(int(row.replace(ground, '0').replace(ink, '1'), 2) for row in cell)
        if glyph in characters():
            return characters()[glyph], ord(ink) - 65, ord(ground) - 65
    return None


def read_cells(left: int, top: int, dots: list[str]) -> list[list[Cell]] | None:
    """All characters of a screen of font pixels with this origin, row by row; None if the font lacks one."""
    cells = []
    for y in range(top, len(dots) - GLYPH_HEIGHT + 1, GLYPH_HEIGHT):
        cells.append([])
        for x in range(left, len(dots[0]) - GLYPH_WIDTH + 1, GLYPH_WIDTH):
            character = character_of(tuple(row[x:x + GLYPH_WIDTH] for row in dots[y:y + GLYPH_HEIGHT]))
            if not character:
                return None
            cells[-1].append(character)
    return cells


def fill_blanks(row: list[Cell]) -> None:
    """Replaces full blocks in the colour of the adjacent background with blanks."""
    for order, step in (range(1, len(row)), -1), (range(len(row) - 2, -1, -1), 1):
        for at in order:
            (character, ink, _), (adjacent, adjacent_ink, ground) = row[at], row[at + step]
            if character == FULL_BLOCK and adjacent != FULL_BLOCK and ground == ink:
                row[at] = ' ', adjacent_ink, ink


def margin(count: int, size: int, first: int, whole: int) -> int:
    """The number of whole characters of this size before a centred page of `count` characters; the first whole one is at `first`."""
    before = (whole - count * size) // 2 - first
    if before < 0 or before % size:
        raise ValueError(f'a page of {count} characters cannot be centred in {whole} pixels')
    return before // size


def decode_screen(image: list[bytes], columns: int, rows: int) -> tuple[tuple[int, int, int], list[list[Cell]]]:
    """The text on the screen, with a page of these columns and rows in its centre: (scale, left, top), and the page's rows of cells
    (character, ink, ground). left and top: the pixel where the page begins. The colours are enum cell_colour. A cell of one colour
    other than black is a blank if the adjacent background has this colour, else a full block."""
    letters = [letters_of(row) for row in image]
    changes = {match.start() + 1 for row in set(letters) for match in re.finditer(r'(.)(?!\1|\Z)', row)}
    wide, x = grid_of('columns', sorted(changes))
    high, y = grid_of('rows', [row for row in range(1, len(letters)) if letters[row] != letters[row - 1]])
    if wide != high:
        raise ValueError(f'pixels of {wide} x {high}')

    dots = [letters[row][x:x + (len(letters[0]) - x) // wide * wide:wide] for row in range(y, len(letters) - high + 1, high)]
    for top in range(GLYPH_HEIGHT):
        for left in range(GLYPH_WIDTH):
            cells = read_cells(left, top, dots)
            if not cells:
                continue
            for row in cells:
                fill_blanks(row)
            if not any(re.match(r'\w', cell[0]) for row in cells for cell in row):
                continue
            skip_columns = margin(columns, GLYPH_WIDTH * wide, x + left * wide, len(letters[0]))
            skip_rows = margin(rows, GLYPH_HEIGHT * high, y + top * high, len(letters))
            place = wide, x + (left + GLYPH_WIDTH * skip_columns) * wide, y + (top + GLYPH_HEIGHT * skip_rows) * high
            return place, [row[skip_columns:skip_columns + columns] for row in cells[skip_rows:skip_rows + rows]]
    raise ValueError('the screen has glyphs that the font lacks')
