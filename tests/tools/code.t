#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# dsdump --code: its output for codes that this test encodes as kernel/report/packed.c describes, for parts, for another
# version, and for invalid codes. tests/qemu/code.t decodes codes of boots.
import re
import struct
from collections import Counter

from writer import crc32c
from tap import BUILD, done, folder, run, same

DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-./:'
# The tests' ids, as dsdump's own build has them.
built = (BUILD / 'tool/test_list.c').read_text()
ids = re.findall(r'"([a-z0-9._]+)"', re.search(r'test_list_64\[\] = \{(.*?)\}', built, re.S)[1])
# Outcomes of three tests in a byte; the last value fills the rest of the list.
TRIPLES = [1 * 36 + 2 * 6 + 3, 4 * 36 + 5 * 6 + 0] + [0] * ((len(ids) + 2) // 3 - 2)


def fingerprint(names):
    total = 2166136261
    for byte in b''.join(name.encode() + b'\0' for name in names):
        total = (total ^ byte) * 16777619 & 0xffffffff
    return total


def code(triples=TRIPLES, count=None, first=0, names=ids, form=1, flags=3, verdict=1, facilities=(4, 3, 0),
         signature=0x506e3, microcode=0xf0, version='9.8.7', revision='abcdef', totals=(1, 2, 3, 4, 5), mark=None):
    def text(word):
        return bytes([len(word)]) + word.encode()

    states = sum(state * 5 ** n for n, state in enumerate(facilities))
    data = struct.pack('<4B3I', form, flags, verdict, states, signature, microcode,
                       fingerprint(names) if mark is None else mark)
    data += text(version) + text(revision) + struct.pack('<5H3H', *totals, len(names), first,
                                                         len(names) if count is None else count) + bytes(triples)
    data += struct.pack('<I', crc32c(data))
    found = 'DSTEST86:'
    for at in range(0, len(data), 2):
        group = data[at:at + 2]
        value = int.from_bytes(group, 'big')
        for _ in range(1 + len(group)):
            value, digit = divmod(value, 41)
            found += DIGITS[digit]
    return found


def said(*words, text=None):
    """(status, output, errors) of dsdump --code, with a text on standard input."""
    if text is None:
        return run('--code', *words)
    with open(f'{folder}/in', 'w') as file:
        file.write(text)
    return run('--code', *words, stdin=f'{folder}/in')


def without_table(text):
    return ''.join(line for line in text.splitlines(True) if not line.startswith('# area '))


whole = code()
outcomes = ['pass', 'differs', 'fail', 'skip', 'error']
results = [f'# result {name} {outcome}\n' for name, outcome in zip(ids, outcomes)]
machine = ('# begin dstest86 9.8.7 abcdef 64\n# cpu family 6 model 5e stepping 3 signature 0x000506e3 Skylake\n'
           '# cpu under a hypervisor, microcode 0xf0\n')
verdict = ('# facility bts fail\n# facility pebs pass\n# facility lbr none\n'
           '# end dstest86 verdict=fail pass=1 fail=3 skip=4 error=5 differs=2\n')
status, out, err = said(whole)
same((status, without_table(out), err), (0, machine + ''.join(results) + verdict, ''), 'a code')
areas = list(dict.fromkeys(name.split('.')[0] for name in ids[:5]))
count = Counter((name.split('.')[0], outcome) for name, outcome in zip(ids, outcomes))
same(re.findall('^# area (.*)$', out, re.M),
     ['              pass differs    fail    skip   error'] +
     [f'{area:<10}' + ''.join(f' {count[area, outcome]:7}' for outcome in outcomes) for area in areas],
     'the table by area')
for text in f'QR-Code:{whole}', f'# code {whole}', f'{whole}\n', f' {whole} \r\n':
    same(said(text), (0, out, ''), f'text around a code: {text[:10]}')
same(said('-', text=f'# begin ...\r\nQR-Code:{whole}\n\n# end\n'), (0, out, ''), 'a log on standard input')
same(said('-', text=f'# code {whole}\r\n# code {whole}\r\n'), (0, out + out, ''), 'two boots are two runs')

# Parts of a run.
REST = {'triples': TRIPLES[1:], 'first': 3, 'count': len(ids) - 3}
begin, end, last = code(TRIPLES[:1], 3), code(**REST), len(ids) - 1
MISSING = f'dsdump: --code: tests {{}} to {{}} of 0 to {last} are in another code of this run: add its text\n'
same([said(begin, end), said(end, begin)], [(0, out, '')] * 2, 'two parts make one run, in any order')
status, out_begin, err = said(begin)
same((status, without_table(out_begin), err),
     (1, machine + ''.join(results[:3]) + verdict, MISSING.format(3, last)), 'one part')
same(said(end)[::2], (1, MISSING.format(0, 2)), 'the other')
for change in ({'version': '9.8.6'}, {'revision': 'abcdee'}, {'flags': 1}, {'flags': 2}, {'signature': 1},
               {'microcode': 2}, {'verdict': 3}, {'facilities': (4, 3, 1)}, {'facilities': (3, 3, 0)},
               {'totals': (1, 2, 3, 4, 6)}, {'mark': 0}):
    same(said(begin, code(**REST | change))[1].count('# begin '), 2, f'parts of two runs: {change}')

# Heads.
for change, wanted in (
        ({'flags': 0}, '^# begin dstest86 9.8.7 abcdef 32\n.*\n# cpu no hypervisor, microcode 0xf0\n'),
        ({'signature': 0xf29}, '^.*\n# cpu family f model 2 stepping 9 signature 0x00000f29 NetBurst\n'),
        ({'signature': 0}, '^.*\n# cpu family 0 model 0 stepping 0 signature 0x00000000 not in the table of models\n'),
        ({'facilities': (1, 2, 3), 'verdict': 6}, '\n# facility bts not selected\n# facility pebs untested\n'
         '# facility lbr pass\n# end dstest86 verdict=incomplete '),
        ({'verdict': 4}, '^((?!facility).|\n)*\n# end dstest86 verdict=panic ')):    # no facility was judged
    status, text, _ = said(code(**change))
    same((status, bool(re.search(wanted, text))), (0, True), f'{change}')

# An untested facility on a model without a row: the output says how to get a row. Not on hybrids: their cores have rows.
ROW = 'dsdump: --code: this processor model has no row in cpu/cores.c'
for signature, facilities, wanted in ((0xf06f0, (3, 2, 3), True), (0xf06f0, (3, 3, 3), False), (0x506e3, (3, 2, 3), False),
                                      (0x90672, (3, 2, 3), False), (0x60663, (2, 3, 3), True)):
    err = said(code(signature=signature, facilities=facilities))[2]
    same(err.startswith(ROW), wanted, f'{signature:#x}, facilities {facilities}')

# Another list of tests. A byte holds three tests.
version = re.search(r'test_list_version\[\] = "(.*)"', built)[1]
OTHER = ('dsdump: --code: this code is of version 9.8.7 abcdef, whose list of tests differs from that of this dsdump, '
         f'{version}: tests are printed as numbers; the dsdump of that version knows their names\n')
numbers = ''.join(f'# result {n} {outcome}\n' for n, outcome in enumerate(outcomes))
for what, change in (('other ids', {'mark': 1}),
                     ('a test more', {'triples': TRIPLES + [0] * (len(ids) % 3 == 0), 'names': ids + ['more.test']}),
                     ('a test less', {'triples': TRIPLES[:(len(ids) + 1) // 3], 'names': ids[:-1]})):
    same(said(code(**change)), (1, machine + numbers + verdict, OTHER), what)

# Errors: one sentence, and no output.
changed = whole[:11] + 'a' + whole[12:]
other = whole[:20] + ('B' if whole[20] == 'A' else 'A') + whole[21:]
NO_CODE, CHARACTER = 'not a code of dstest86, which begins with DSTEST86:', (
    "character 12, 'a': a character that no code has (capital letters, digits and + - . / : only)")
for words, sentence in (
        ([], 'missing text of a code, or - for standard input'), (['hello'], NO_CODE), ([''], NO_CODE),
        (['dstest86 0.1.0 verdict=fail signature 0x506e3\nfail bts.a: x'],
         'this code is plain text: what failed, and why; the code of the results begins with DSTEST86:'),
        ([changed], CHARACTER),
        ([whole[:9] + ':::' + whole[12:]], 'character 10: characters that encode no bytes'),
        ([other], 'the checksum is wrong: characters were changed or left out|'
         'character 19: characters that encode no bytes'),
        ([whole[:10]], 'the code is cut off'), ([whole + '000' * 256], 'longer than any code'),
        ([code(form=2)], 'a format that this dsdump does not know: use a newer one'),
        ([code(verdict=5)], 'the checksum is right, but no kernel writes such contents')):
    status, text, err = said(*words)
    same((status, text, any(err.startswith(f'dsdump: --code: {each}') for each in (sentence, *sentence.split('|')))),
         (2, '', True), sentence)
    same(err.count('\n'), 1, 'one sentence')
status, text, err = said('hello', whole)
same((status, text, err), (1, out, f'dsdump: --code: {NO_CODE}\n'), 'a valid code after an invalid one')
same(said('-', text='no\n# co' + 'de dstest86:\n'),
     (2, '', 'dsdump: standard input: no code: expected a text that begins with DSTEST86:\n'), 'standard input without a code')
same(said('-', text='x' * 5000 + f'\n{changed}\n{whole}\n'), (1, out, f'dsdump: standard input: {CHARACTER}\n'),
     'a bad line before a good one')
same(run('--code', '-', stdin=folder), (2, '', 'dsdump: standard input: Is a directory\n'), 'unreadable input')
same(run('--code', whole, stdout='/dev/full')[::2],
     (1, 'dsdump: standard output: cannot write: No space left on device\n'), 'a full disk')
done()
