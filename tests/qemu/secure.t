#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""What strict firmware and shim require of the loaders' headers and sections; `make sign`; Secure Boot with the signed and the
unsigned image."""
import os
import pathlib
import re
import shutil
import struct
import sys

import machine
import tap
from tap import BUILD

ROOT = machine.ROOT
work = pathlib.Path(tap.folder)
WRITABLE, EXECUTABLE = 1 << 31, 1 << 29


def says(*command, **settings):
    """The exit status of a program, and what it prints."""
    status, out, errors = machine.run(*command, **settings)
    return status, out + errors


# ---- the loaders: Microsoft, "PE Format", "Optional Header" and "Section Table"
version = re.search(r'^## ([0-9.]+) ', (ROOT / 'NEWS').read_text(), re.M)[1]
SBAT = f'''sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md
dstest86,1,dstest86,dstest86,{version},docs/booting.md
'''
for name, machine_type, magic in ('BOOTX64.EFI', 0x8664, 0x20b), ('BOOTIA32.EFI', 0x14c, 0x10b):
    image = (BUILD / name).read_bytes()
    header, = struct.unpack_from('<I', image, 60)
    signature, is_machine, count, size = struct.unpack_from('<4sHH12xH', image, header)
    optional = header + 24
    is_magic, alignment, image_size, checksum, subsystem, flags = struct.unpack_from('<H30xI20xI4xIHH', image, optional)
    tap.same((signature, is_machine, is_magic, subsystem), (b'PE\0\0', machine_type, magic, 10), f'{name} is an EFI application')
    tap.same(flags, 0x100, 'NX_COMPAT, and no other flag')
    # The sum of the words, without the field, and the length.
    zeroed = image[:optional + 64] + bytes(4) + image[optional + 68:] + bytes(len(image) % 2)
    total = sum(struct.unpack(f'<{len(zeroed) // 2}H', zeroed))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    tap.same(checksum, total + len(image), 'the checksum is right')
    tap.same(alignment, 4096, 'sections are aligned to pages')
    sections = [(text.rstrip(b'\0').decode(), *numbers) for text, *numbers in
                struct.iter_unpack('<8sIIII12xI', image[optional + size:optional + size + 40 * count])]
    tap.same([text for text, length, address, *_ in sections if address % 4096 or not length], [], '... each')
    tap.same([text for text, *_, rights in sections if rights & WRITABLE and rights & EXECUTABLE], [], 'no section is writable and executable')
    tap.same([text for text, *_, rights in sections if rights & EXECUTABLE], ['.text'], 'only .text is executable')
    places = [(address, address + length) for _, length, address, *_ in sections]
    tap.same([begin for (_, end), (begin, _) in zip(places, places[1:]) if begin < end], [], 'no two sections share a page')
    tap.same(image_size, places[-1][1] + 4095 & ~4095, 'the image ends with the last section')
    sbat = [image[offset:offset + length].decode() for text, length, _, _, offset, _ in sections if text == '.sbat']
    tap.same(sbat, [SBAT], '.sbat has the generation number')

text = work / 'text'
text.write_text('MZ' + 'x' * 100)
tap.same(says(ROOT / 'boot/nx-compat', text), (1, f'nx-compat: {text}: not a PE file; give the loader (.efi)\n'), 'nx-compat refuses a file that is not PE')
tap.same(text.read_text(), 'MZ' + 'x' * 100, '... and leaves it unchanged')

key, certificate = (BUILD / f'toolchain/ovmf/snakeoil.{kind}' for kind in ('key', 'pem'))
if not key.exists():
    tap.skip('Secure Boot', 'no OVMF with Secure Boot here, which Debian 13 has')
    tap.done()

# ---- make sign
signed, none, other_key, other = (work / name for name in ('signed', 'none.pem', 'other.key', 'other.pem'))
tools = work / 'path'
tools.mkdir()
for tool in 'dirname', 'bash', 'sed', 'realpath', 'env':
    (tools / tool).symlink_to(shutil.which(tool))
says('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=other', '-keyout', other_key, '-out', other)


def sign(password, a_key, a_certificate, path=os.environ['PATH']):
    return says(ROOT / 'boot/sign', a_key, a_certificate, BUILD, signed,
                env=os.environ | {'password': password, 'PATH': str(path), 'SOURCE_DATE_EPOCH': '0'})


USAGE = 'give the key and its certificate: make sign key=FILE cert=FILE'
for what, given, refusal in (
        ('no key', ('', '', ''), USAGE),
        ('no certificate', ('', key, ''), USAGE),
        ('a missing certificate file', ('', key, none), f'{none}: no such file, or not readable'),
        ('a wrong password is refused', ('wrong', key, certificate), f'{key}: not a private key in PEM, or password= is not its password'),
        ('a file that is not a certificate is refused', ('snakeoil', key, key), f'{key}: not a certificate in PEM'),
        ('a certificate of another key is refused', ('', other_key, certificate), f'{certificate}: does not belong to the key {other_key}'),
        ('no sbsign', ('snakeoil', key, certificate, tools),
         'sbsign is missing; run ./bootstrap, or install packages sbsigntool and openssl')):
    tap.same(sign(*given), (1, f'sign: {refusal}\n'), what)
tap.ok(not signed.exists(), 'errors leave no output')

LOADERS = 'BOOTX64.EFI', 'BOOTIA32.EFI'
tap.same(sign('snakeoil', key, certificate), (0, ''), 'the right key signs')
if not (signed / 'dstest86.iso').exists():
    sys.exit('secure.t: there is no signed image')
for name in LOADERS:
    tap.same(says('sbverify', '--cert', certificate, signed / name), (0, 'Signature verification OK\n'), f'{name} is signed')
    tap.ok(says('sbverify', '--cert', other, signed / name)[0] != 0, '... only by this certificate')
image = signed / 'dstest86.iso'
start = 512 * struct.unpack_from('<Q', image.read_bytes(), 1184)[0]
says('mcopy', '-i', f'{image}@@{start}', *(f'::/EFI/BOOT/{name}' for name in LOADERS), '::/dstest86/signer.cer', work)
for name in LOADERS:
    tap.ok((work / name).read_bytes() == (signed / name).read_bytes(), f'the image has the signed {name}')
said = says('openssl', 'x509', '-inform', 'DER', '-in', work / 'signer.cer')[1]
tap.ok(said.startswith('-----BEGIN') and said in certificate.read_text(), 'the image has the certificate, for firmware to enrol')
tap.ok(image.stat().st_size < 8_000_000, 'the signed image has less than 8 MB')

# ---- machines
END = re.compile('^# end dstest86 .*\n|No bootable option|no kernel started', re.M)


def boot(*options):
    """A machine's output until its end."""
    return machine.boot_until(END, '-p', 'none', *options)[0]


def like_a_boot(firmware):
    return f'(?ms)^# boot route uefi {firmware}.*^# end dstest86 verdict=skip '


OPTIONS = '-o', 'run=ds.area.*'
for route in 'secure-cd', 'secure-usb':
    tap.like(boot('-r', route, '-k', str(image), *OPTIONS), like_a_boot('x64, '),
             f'{route}: Secure Boot starts the signed image, whose options were edited')
    log = boot('-r', route)
    tap.ok('Access Denied' in log, f'{route}: Secure Boot refuses the unsigned image')
    tap.ok('dstest86' not in log, '... and runs none of it')
for route, pattern, where in (('usb', like_a_boot('x64, '), 'without Secure Boot'), ('usb32', like_a_boot('ia32, '), 'with ia32 firmware'),
                              ('bios-usb', '(?m)^# end dstest86 verdict=skip ', 'with BIOS')):
    tap.like(boot('-r', route, '-k', str(image), *OPTIONS), pattern, f'the signed image starts {where}')
for route in 'nx', 'nx32':
    tap.like(boot('-r', route, *OPTIONS), like_a_boot(''), f'{route}: firmware that forbids execution of data starts the loader and the kernel')
tap.done()
