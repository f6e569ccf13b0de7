#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Calls that dsdump finds in a trace: stacks, slices and the flame graph, for invented branches in a program (calls.s): calls,
returns, tail calls, interrupts and gaps. Also which name is used if an address has several."""
import csv
import io
import json
import re
import subprocess

from symbols import Names, output_of
from tap import HERE, done, dsdump, folder, same
from writer import Dump


def assembled(width):
    program = f'{folder}/calls{width}'
    subprocess.run(['as', '-g', f'--{width}', '-o', f'{program}.o', HERE / 'calls.s'], check=True)
    emulation = {64: 'elf_x86_64', 32: 'elf_i386'}[width]
    subprocess.run(['ld', '-m', emulation, '--build-id=sha1', '-o', program, f'{program}.o'], check=True)
    return program


# Each trace: branches FROM>TO in order; -N skips N numbers, @N switches to processor N, [..] is an LBR stack, newest first, {..}
# one in a PEBS record. Then the expected stacks: a branch counts for its function, an LBR stack for the place where it ends.
TRACES = [
    ('calls', 'main_call>alpha alpha_call>beta beta_ret>alpha_back alpha_tail>gamma gamma_nop>handler handler_iret>gamma_nop '
     'gamma_ret>main_back',
     {'main_call': 1, 'main_call;alpha': 2, 'main_call;alpha;beta': 1, 'main_call;gamma': 2, 'main_call;gamma;handler': 1}),
    ('jumps', 'main_jump>main_call main_jump>main_call', {'main_jump': 2}),
    ('jump.into', 'main_into>alpha_call alpha_call>beta', {'main_into': 2}),
    ('jump.label', 'main_onto>twice twice+1>handler', {'main_onto': 2}),
    ('jump.own', 'main_call>alpha alpha+1>alpha alpha+1>alpha alpha_ret>main_back', {'main_call': 1, 'main_call;alpha': 3}),
    # Returns without a recorded call.
    ('unmatched', 'beta_ret>alpha_back alpha_tail>gamma gamma_ret>main_back main_jump>main_call',
     {'beta_ret': 1, 'alpha_back': 1, 'gamma': 1, 'main_back': 1}),
    ('return.over', 'main_call>alpha alpha_call>beta beta_ret>main_back main_jump>main_call',
     {'main_call': 2, 'main_call;alpha': 1, 'main_call;alpha;beta': 1}),
    ('return.15', 'main_call>alpha alpha_ret>main_call+15 main_call+15>beta', {'main_call': 2, 'main_call;alpha': 1}),
    ('return.16', 'main_call>alpha alpha_ret>main_call+16 main_call+16>beta',
     {'main_call': 1, 'main_call;alpha': 1, 'alpha': 1}),
    ('return.before', 'main_call>alpha alpha_ret>main main+0>handler', {'main_call': 1, 'main_call;alpha': 1, 'main': 1}),
    # Gaps.
    ('gap', 'main_call>alpha -3 alpha_call>beta beta_ret>alpha_back', {'main_call': 1, 'alpha_call': 1, 'alpha_call;beta': 1}),
    ('processors', 'main_call>alpha @1 alpha_call>beta @0 beta_ret>alpha_back', {'main_call': 1, 'alpha_call': 1, 'beta_ret': 1}),
    ('pause', 'main_call>alpha alpha_call>beta alpha_tail>gamma gamma_ret>main_back main_jump>main_call',
     {'main_call': 2, 'main_call;alpha': 2, 'main_call;gamma': 1}),
    ('pause.of_two', 'main_call>alpha alpha_call>beta main_back>handler', {'main_call': 2, 'main_call;alpha': 1}),
    ('pause.elsewhere', 'main_call>alpha alpha_call>beta main>handler', {'main_call': 1, 'main_call;alpha': 1, 'main': 1}),
    ('pause.4095', 'near_call>beta near_jump>near_jump', {'near_end': 2}),
    ('pause.4096', 'far_call>beta far_jump>far_jump', {'far_end': 1, 'far_jump': 1}),
    # Beyond the program.
    ('unknown', '0x10>0x20 0x30>0x40 0x40>main main_jump>main_call', {'[unknown]': 3, 'main': 1}),
    ('unknown.null', '0>main main_jump>main_call', {'[unknown]': 1, 'main': 1}),
    ('unknown.callee', 'main_call>0x20 0x20>0x30 main_back>handler', {'main_call': 2, 'main_call;[unknown]': 1}),
    ('zeros', 'some_zeros>alpha alpha_call>beta', {'some_zeros': 1, 'alpha': 1}),
    # Calls deeper than 128 count for the last frame.
    ('deep', 'again_call>again ' * 200, {';'.join(['again'] * n): 1 for n in range(1, 128)} | {';'.join(['again'] * 128): 73}),
    ('deep.back', 'again_call>again ' * 3 + 'again_ret>again_back ' * 4,
     {'again': 2, 'again;again': 2, 'again;again;again': 2, 'again;again;again;again': 1}),
    ('stacks', '[gamma_ret>main_back alpha_tail>gamma main_call>alpha] [alpha_call>beta main_call>alpha 0>0 0>0] [0>0 0>0] '
     '[alpha_call>beta main_call>alpha]', {'main_call': 1, 'main_call;alpha;beta': 2}),
    ('stacks.between', 'main_call>alpha [alpha_call>beta main_call>alpha] alpha_tail>gamma gamma_ret>main_back',
     {'main_call': 1, 'main_call;alpha;beta': 1, 'main_call;alpha': 1, 'main_call;gamma': 1}),
    ('stacks.elsewhere', 'main_call>alpha [gamma_nop>handler] alpha_call>beta beta_ret>alpha_back',
     {'main_call': 1, 'gamma_nop;handler': 1, 'main_call;alpha': 1, 'main_call;alpha;beta': 1}),
    ('records.between', 'main_call>alpha {} alpha_call>beta', {'main_call': 1, 'main_call;alpha': 1}),
    ('stacks.of_records', '{alpha_call>beta main_call>alpha} {main_call>alpha}', {'main_call;alpha;beta': 1, 'main_call;alpha': 1}),
]
# 40h is a prefix in 64-bit mode, an instruction in 32-bit mode.
OF_WIDTH = {
    64: ('prefix', 'main_call>prefixed prefixed>main_back main_jump>main_call', {'main_call': 2, 'main_call;prefixed': 1}),
    32: ('prefix', 'main_call>prefixed prefixed>main_back main_jump>main_call',
         {'main_call': 1, 'main_call;prefixed': 1, 'main_call;prefixed;main_back': 1}),
}
# Expected slices of --trace-json: phase, processor, preceding branches, name. (A bottom frame's begins after its first branch.)
SLICES = {
    'calls': 'B0@0=calls B0@1=main_call B0@1=alpha B0@2=beta E0@3 E0@4 B0@4=gamma B0@5=handler E0@6 E0@7 E0@7 E0@7',
    'gap': 'B0@0=gap B0@1=main_call B0@1=alpha E0@2 E0@2 B0@2=alpha_call B0@2=beta E0@3 E0@3 E0@3',
    'stacks.elsewhere': 'B0@0=stacks.elsewhere B0@1=main_call B0@1=alpha B0@2=beta E0@3 E0@3 E0@3 E0@3',
    'jump.own': 'B0@0=jump.own B0@1=main_call B0@1=alpha E0@4 E0@4 E0@4',
    'unmatched': 'B0@0=unmatched B0@1=alpha_back E0@2 B0@2=gamma E0@3 B0@3=main_back E0@4 E0@4',
    'processors': 'B0@0=processors B0@1=main_call B0@1=alpha E0@1 E0@1 E0@1 B1@1=processors B1@2=alpha_call B1@2=beta '
                  'E1@2 E1@2 E1@2 B0@2=processors B0@3=alpha_back E0@3 E0@3',
}
# Expected slices of --html, ordered by their ends: name, depth, from, to. (A bottom frame includes its first branch.)
TIMELINES = {
    'calls': [['beta', 2, 2, 3], ['alpha', 1, 1, 4], ['handler', 2, 5, 6], ['gamma', 1, 4, 7], ['main_call', 0, 0, 7]],
    'gap': [['alpha', 1, 1, 2], ['main_call', 0, 0, 2], ['beta', 1, 2, 3], ['alpha_call', 0, 2, 3]],
    'stacks.elsewhere': [['beta', 2, 2, 3], ['alpha', 1, 1, 3], ['main_call', 0, 0, 3]],
    'jumps': [['main_jump', 0, 0, 2]],
    'unmatched': [['alpha_back', 0, 0, 2], ['gamma', 0, 2, 3], ['main_back', 0, 3, 4]],
}
# Names: a label, an offset in bytes, the expected name.
PLACES = [
    ('with_size', 0, 'with_size+0x0'), ('strong', 3, 'strong+0x3'), ('global_one', 1, 'global_one+0x1'),
    ('a_global', 0, 'a_global+0x0'), ('long_name', 0, 'name_of_nine+0x0'), ('other_of_two', 0, 'first_of_two+0x0'),
    ('covers_two', 1, 'covers_two+0x1'), ('covers_two', 2, None), ('covers_two', 3, None),
    ('without_size', 15, 'without_size+0xf'), ('without_size', 16, 'covers_one+0x0'),
    ('covers_one', 1, 'last_without_size+0x0'), ('last_without_size', 4999, 'last_without_size+0x1387'),
    ('main', -1, None), ('some_data', 7, 'some_data+0x7'), ('some_zeros', 63, 'some_zeros+0x3f'), ('_end', 0, None),
    ('a_name_that_is_longer_than_eighty_characters_of_which_there_are_not_many_in_this_world_or_any_other', 2,
     'a_name_that_is_longer_than_eighty_characters_of_which_there_are_not_many_in_this+0x2'),
]


def write_trace(dump, labels, test, trace, width):
    def address(text):
        label, _, offset = text.partition('+')
        return (labels[label] if label in labels else int(label, 0)) + int(offset or 0)

    def branches(text):
        return [tuple(address(end) for end in branch.split('>')) for branch in text.split()]

    dump.begin(test)
    cpu = 0
    for part in re.findall(r'[\[{][^\]}]*[\]}]|\S+', trace):
        if part[0] == '-':
            dump.skip('bts', int(part[1:]))
        elif part[0] == '@':
            cpu = int(part[1:])
        elif part[0] == '[':
            dump.lbr([(*branch, 0) for branch in branches(part[1:-1])], 5)
        elif part[0] == '{':
            entries = [word for branch in branches(part[1:-1]) for word in (*branch, 0)]
            groups = 8 | len(entries) // 3 - 1 << 24 if entries else 0
            dump.pebs([[groups | 8 * (4 + len(entries)) << 48, labels['main'], 1, 5] + entries], (8, 4, 1, 0, 5), 0)
        else:
            dump.bts(branches(part), cpu, width // 8)


for width in 64, 32:
    program = assembled(width)
    names = Names(program)
    labels = {name: int(value, 16) for value, name in re.findall(r'^(\w+) \w (\S+)$', output_of('nm', program), re.M)}
    traces = TRACES + [OF_WIDTH[width]]
    dump = Dump()
    dump.head(names.maps[0]['build_id'], width=width)
    for test, trace, _ in [('first', 'main_jump>main_call ' * 20, 0)] + traces:
        write_trace(dump, labels, test, trace, width)
    dump.begin('names')
    dump.bts([(labels[name] + offset, labels['main']) for name, offset, _ in PLACES], width=width // 8)
    dump.end()
    log = dump.write(f'{folder}/calls{width}.log')

    stacks = {}
    for line in dsdump('--elf', program, '--folded', log).splitlines():
        stack, count = line.rsplit(' ', 1)
        test, _, frames = stack.partition(';')
        stacks.setdefault(test, {})[frames] = int(count)
    same(set(stacks), {test for test, _, _ in traces} | {'first', 'names'}, f'{width} bits: the tests with stacks')
    for test, _, wanted in traces:
        same(stacks.get(test), wanted, f'{width} bits: --folded: {test}')

    events = json.loads(dsdump('--elf', program, '--trace-json', log))['traceEvents']
    slices, starts, test, depth = {}, {}, None, 0
    for event in (event for event in events if event['ph'] in 'BE'):
        if not depth:
            test = event['name']
            start = starts.setdefault(test, event['ts'])
        depth += 1 if event['ph'] == 'B' else -1
        name = f'={event["name"]}' if event['ph'] == 'B' else ''
        slices.setdefault(test, []).append(f'{event["ph"]}{event["tid"]}@{event["ts"] - start}{name}')
    same(depth, 0, f'{width} bits: --trace-json: every slice ends')
    for test, wanted in SLICES.items():
        same(slices.get(test), wanted.split(), f'{width} bits: --trace-json: {test}')

    dsdump('--elf', program, '--html', f'{folder}/page.html', log)
    page = open(f'{folder}/page.html').read()
    data = json.loads(page.split('<script type="application/json" id="data">')[1].split('</script>')[0])
    timelines = {line['test']: [[data['names'][name], *rest] for name, *rest in line['slices']] for line in data['timelines']}
    for test, wanted in TIMELINES.items():
        same(timelines.get(test), wanted, f'{width} bits: --html: {test}')
    paths, flame = [], {}
    for name, parent, own in data['flame']:
        paths.append(paths[parent] + [data['names'][name]] if paths else [])
        if own:
            flame.setdefault(paths[-1][0], {})[';'.join(paths[-1][1:])] = own
    of_branches = {test: wanted for test, trace, wanted in traces if not re.search(r'[\[{]', trace)}
    of_branches['stacks.elsewhere'] = {'main_call': 1, 'main_call;alpha': 1, 'main_call;alpha;beta': 1}
    of_branches['stacks.between'] = {'main_call': 1, 'main_call;alpha': 1, 'main_call;gamma': 1}    # --html ignores LBR stacks
    for test, wanted in of_branches.items():
        same(flame.get(test), wanted, f'{width} bits: --html: flame graph of {test}')

    # Names and lines.
    rows = list(csv.DictReader(io.StringIO(dsdump('--elf', program, '--csv', log))))
    same([row['ip_symbol'] or None for row in rows if row['test'] == 'names'], [shown for _, _, shown in PLACES],
         f'{width} bits: the best of several names')
    source = (HERE / 'calls.s').read_text().splitlines()
    lines = {label: n for n, line in enumerate(source, 1) for label in re.findall(r'^(\w+):.*\b(?:call|jmp|ret)\b', line)}
    seen = {row['ip_symbol'][:-4]: row['ip_line'] for row in rows if row['ip_symbol'][:-4] in lines and row['ip_symbol'].endswith('+0x0')}
    same(seen, {label: f'calls.s:{lines[label]}' for label in seen}, f'{width} bits: lines of the source')
    same([len(seen) > 10, {row['ip_line'] for row in rows if row['ip_symbol'].startswith('some_')}], [True, {''}],
         f'{width} bits: no lines for data')
done()
