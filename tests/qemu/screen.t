#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""For every pixel format, the screen's pixels show the kernel's page: each character and each colour. Without a usable screen,
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

# ---- screens that QEMU lacks, made by tests/qemu/gop.c ----------------------------------------------------------------------
# The expected geometry, or why the kernel must not use the screen (test_display.c and test_pixels.c have all reasons). Frame
# buffer address 0: any free memory.
RGBX = 32, 0xff, 0xff00, 0xff0000


def screen_of(columns, rows, pitch, pixel_bits, red, green, blue):
    return {'columns': columns, 'rows': rows, 'pitch': pitch, 'pixel_bits': pixel_bits, 'red': red, 'green': green, 'blue': blue}


# Name, width, options of gop.c, what the log says or the shape, what the firmware's console says or the frame buffer, memory.
for name, width, options, want, form, memory in (
        ('RGBX in long lines', 64, '0 400 300 410 0', (128, 48, 1, 0, 0), screen_of(1024, 768, 4160, *RGBX), None),
        ('4K', 64, '0 f00 870 f00 0', (96, 27, 5, 0, 0), screen_of(3840, 2160, 15360, *RGBX), '512'),
        ('portrait 1200x1920', 32, '0 4b0 780 4b0 0 width=32', (150, 100, 1, 0, 160), screen_of(1200, 1920, 4800, *RGBX), None),
        ('masks 5:6:5', 64, '2:f800:7e0:1f:0 320 1e0 333 0', (100, 30, 1, 0, 0), screen_of(800, 480, 1638, 16, 0xf800, 0x07e0, 0x001f), None),
        ('masks of 10 bits', 64, '2:3ff00000:ffc00:3ff:0 400 300 400 0', (128, 48, 1, 0, 0),
         screen_of(1024, 768, 4096, 32, 0x3ff00000, 0xffc00, 0x3ff), None),
        ('masks of 3 bytes', 32, '2:ff:ff00:ff0000:0 284 191 285 0 width=32', (80, 25, 1, 2, 0),
         screen_of(644, 401, 1935, 24, 0xff, 0xff00, 0xff0000), None),
        ('above 4 GiB', 64, '0 400 300 410 110000000', (128, 48, 1, 0, 0), screen_of(1024, 768, 4160, *RGBX), '3G'),
        ('above 4 GiB, PAE', 32, '0 400 300 410 110123000 width=32', (128, 48, 1, 0, 0), screen_of(1024, 768, 4160, *RGBX), '3G'),
        ('above 4 GiB, 32-bit paging', 32, '0 400 300 410 110000000 width=32 paging=legacy',
         "none: the frame buffer at 0x110000000 is out of this kernel's reach", None, '3G'),
        ('in free memory', 64, '0 400 300 410 2000001',
         'none: 1024x768 32 bits at 0x2000000: it is in memory that the firmware reports as free', None, None),
        ('BltOnly', 64, '3 400 300 400 0', "none: the firmware's screen has no frame buffer (PixelBltOnly)",
         'the screen has no frame buffer (PixelBltOnly)', None)):
    with finished(name, '-r', 'uefi', '--', '-kernel', f'{machine.BUILD}/gop.efi', '-fw_cfg',
                  f'name=opt/dstest86/loader,file={machine.BUILD}/BOOTX64.EFI', *(['-m', memory] if memory else []),
                  '-append', f'{options} {RUN}') as (guest, screen, log):
        if isinstance(form, dict):
            found = re.fullmatch(f'{form["columns"]}x{form["rows"]} {form["pixel_bits"]} bits at 0x([0-9a-f]+), {want[0]}x{want[1]} characters', screen)
            tap.ok(found, f'{name}: the log', screen)
            base, size = int(found[1], 16) if found else 0, form['rows'] * form['pitch']
            *page, image = page_and_image(guest, width, lambda: guest.memory(base, size))
            shows(name, want, *page, screen_reader.image_of_memory(image, form))
            combines(name, guest, base, size)
        else:
            tap.same(screen, want, f'{name}: the log')
            if form:
                tap.like(log, rf"(?m)^dstest86: {re.escape(form)}: the kernel cannot show its page$", f"{name}: the firmware's console")

# ---- no screen at all -----------------------------------------------------------------------------------------------------
with finished('no GOP', '-r', 'uefi') as (_, screen, log):
    tap.same(screen, 'none: the firmware has no screen (no Graphics Output Protocol)', 'no GOP: the log')
    tap.like(log, r'(?m)^dstest86: no screen \(no Graphics Output Protocol\): the kernel cannot show its page$', "no GOP: the firmware's console")
with finished('no VGA') as (_, screen, _):
    tap.same(screen, 'none: the loader reports no screen, and there is no VGA in text mode', 'no VGA: the log')
tap.done()
