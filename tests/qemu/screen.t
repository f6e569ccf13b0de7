#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The screen's pixels show the kernel's page: each character and each colour. test_pixels.c has every pixel format. Without a screen,
the log says why, and the run continues."""
import collections
import contextlib
import pathlib
import re
import time

import machine
import screen_reader
import stick
import tap

RUN = 'run=selftest.string exit=none'


def look(character, ink, ground):
    """A character's visible form: blocks and blanks are only colours."""
    if character in '\0\xa0 ' or ink == ground:
        return ground
    return {'█': ink, '▄': (ground, ink), '▀': (ink, ground)}.get(character, (character, ink, ground))


def page_and_image(guest, width, read):
    """Reads the page and its image, as bytes, until both are stable: drawing takes time, and the last pages alternate."""
    page, image = screen_reader.cells_of(guest, width), read()
    for _ in range(20):
        time.sleep(0.1)
        after, again = screen_reader.cells_of(guest, width), read()
        if (page, image) == (after, again):
            return *page, image
        page, image = after, again
    raise TimeoutError('the page keeps changing')


def shows(name, shape, columns, rows, lines, image):
    tap.same((columns, rows), shape[:2], f'{name}: characters')
    try:
        place, cells = screen_reader.decode_screen(image, *shape[:2])
    except ValueError as error:
        return tap.ok(False, f'{name}: {error}')
    tap.same(place, shape[2:], f'{name}: scale, left, top')
    want = [[look(bytes([code]).decode('cp437'), colours & 15, colours >> 4) for code, colours in zip(line[::2], line[1::2])] for line in lines]
    tap.same([[look(*cell) for cell in row] for row in cells], want, f'{name}: every character')
    tap.like('\n'.join(''.join(cell[0] for cell in row) for row in cells), 'dstest86', f'{name}: the page is not empty')


def combines(name, guest, base, size):
    """Exactly the frame buffer's pages are write-combining, by entry 1 of the page attribute table (PWT without PCD)."""
    pages = set()
    for address, flags in re.findall(r'(?m)^[0-9a-f]+: ([0-9a-f]+) ([-XGPDACTUW]+)\r?$',
                                     guest.command('human-monitor-command', **{'command-line': 'info tlb'})):
        if 'T' in flags and 'C' not in flags:
            first = (int(address, 16) & ~(1 << 63)) >> 12    # without PAE's no-execute bit
            pages.update(range(first, first + (512 if 'P' in flags else 1)))
    tap.same(sorted(pages), list(range(base >> 12, (base + size - 1 >> 12) + 1)), f'{name}: write-combining pages')


@contextlib.contextmanager
def finished(name, *options):
    """A machine that has run to its end, its log's line about the screen, and its log."""
    with machine.Machine(120, tap.folder, '-p', 'none', '-o', RUN, *options) as guest:
        log = guest.wait_for(re.compile('(?m)^# end dstest86 .*\n'))
        tap.like(log, '(?m)^# end dstest86 verdict=pass ', f'{name}: the verdict')
        yield guest, (re.findall('(?m)^# screen (.*)', log) or ['nothing'])[0], log
        guest.stop()


# ---- QEMU's screens, as OVMF and GRUB set them: 32 bits, blue first, unless GRUB is asked for others ---------------------
def grub(mode):
    """The options for an image whose GRUB sets this mode."""
    image, configuration = stick.copy(pathlib.Path(tap.folder, 'grub.iso')), pathlib.Path(tap.folder, 'grub.cfg')
    text, count = re.subn('(?m)^set screen=text$', f'set screen={mode}', stick.mtools(image, 'mtype', '::/dstest86/grub.cfg').decode())
    if not count:
        raise ValueError('grub.cfg sets no screen')
    configuration.write_text(text)
    stick.mtools(image, 'mcopy', '-D', 'o', configuration, '::/dstest86/grub.cfg')
    return f'-r bios-cd -k {image}'


# Name, width, the log's form, (columns, rows, scale, left, top), options, GRUB's mode.
for name, width, form, shape, options, *mode in (
        ('VGA 1024x768', 64, '1024x768 32 bits', (128, 48, 1, 0, 0), '-r uefi -- -device VGA,xres=1024,yres=768'),
        ('VGA 640x480', 32, '640x480 32 bits', (80, 30, 1, 0, 0), '-r uefi -w 32 -- -device VGA,xres=640,yres=480'),
        ('1920x1080', 64, '1920x1080 32 bits', (120, 33, 2, 0, 12), '-r uefi -- -device bochs-display,xres=1920,yres=1080'),
        ('ia32 firmware', 64, '1280x1024 32 bits', (80, 32, 2, 0, 0), '-r uefi32 -- -device bochs-display,xres=1280,yres=1024'),
        ('ramfb', 64, '800x600 32 bits', (100, 37, 1, 0, 4), '-r uefi -- -device ramfb'),
        ('VBE 16 bits', 64, '800x600 16 bits', (100, 37, 1, 0, 4), '-- -device VGA', '800x600x16'),
        ('VBE 15 bits', 32, '800x600 16 bits', (100, 37, 1, 0, 4), '-w 32 -- -device VGA', '800x600x15'),
        ('VBE 24 bits', 64, '1024x768 24 bits', (128, 48, 1, 0, 0), '-- -device VGA', '1024x768x24')):
    with finished(name, *(grub(*mode).split() if mode else []), *options.split()) as (guest, screen, _):
        tap.like(screen, fr'^{form} at 0x[0-9a-f]+, {shape[0]}x{shape[1]} characters$', f'{name}: the log')
        *page, image = page_and_image(guest, width, lambda: guest.screendump().read_bytes())
        shows(name, shape, *page, screen_reader.image_of_ppm(image))
        if found := re.match(r'(\d+)x(\d+) 32 bits at 0x([0-9a-f]+)', screen):
            combines(name, guest, int(found[3], 16), 4 * int(found[1]) * int(found[2]))


# ---- VGA's text mode, with the device's font: its memory is the page, and different characters have different pixels ------
def tells_apart(name, lines, image):
    tap.same((len(image[0]) // 3, len(image)), (720, 400), f'{name}: pixels')
    looks = collections.defaultdict(set)
    for row, line in enumerate(lines):
        for column in range(80):
            looks[line[2 * column:2 * column + 2]].add(b''.join(pixels[27 * column:27 * (column + 1)] for pixels in image[16 * row:16 * (row + 1)]))
    tap.same([cell for cell, seen in looks.items() if len(seen) > 1], [], f'{name}: equal characters look alike')
    letters = [min(seen) for cell, seen in looks.items() if re.fullmatch(rb'[!-~]\x07', cell)]
    tap.ok(len(letters) == len(set(letters)) > 10, f'{name}: different characters look different')


for name, width, options in (('GRUB', 64, '-r bios-cd'), ('GRUB, 32 bits', 32, '-r bios-usb -w 32'), ('PVH', 64, ''), ('PVH, 32 bits', 32, '-w 32')):
    with finished(name, *options.split(), '--', '-device', 'VGA') as (guest, screen, _):
        tap.same(screen, 'VGA text at 0xb8000, 80x25 characters', f'{name}: the log')
        columns, rows, lines, image = page_and_image(guest, width, lambda: guest.screendump().read_bytes())
        tap.same((columns, rows), (80, 25), f'{name}: characters')
        tap.same(guest.memory(0xb8000, 4000), b''.join(lines), f"{name}: VGA's memory is the page")
        tells_apart(name, lines, screen_reader.image_of_ppm(image))

# ---- no screen at all -----------------------------------------------------------------------------------------------------
with finished('no GOP', '-r', 'uefi') as (_, screen, log):
    tap.same(screen, 'none: the firmware has no screen (no Graphics Output Protocol)', 'no GOP: the log')
    tap.like(log, r'(?m)^dstest86: no screen \(no Graphics Output Protocol\): the kernel cannot show its page$', "no GOP: the firmware's console")
with finished('no VGA') as (_, screen, _):
    tap.same(screen, 'none: the loader reports no screen, and there is no VGA in text mode', 'no VGA: the log')
tap.done()
