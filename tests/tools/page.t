#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The page of dsdump --html in headless Chromium, for a log with known figures: texts, tables, and the places of bars, dots and
slices. The page of a boot loads no other file, follows the reader's light or dark theme, fits a phone, and never interprets text
of the log as markup."""
import html.parser
import pathlib
import re
import shutil
import subprocess
import zlib
from xml.etree import ElementTree

from tap import BUILD, HERE, done, dsdump, folder, ok, same
from writer import Dump

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
if not CHROMIUM:
    print('1..0 # SKIP no chromium here (./bootstrap --all)')
    raise SystemExit

VOID = {'meta', 'link', 'br', 'hr', 'img', 'input'}


class Node(ElementTree.Element):
    """An element, and searches in it."""

    def every(self, tag, **attributes):
        """Matching elements inside this one, in order; class_ matches if it is one of the element's classes."""
        return [node for node in self.iter(tag) if node is not self and all(value in node.get(name.rstrip('_'), '').split()
                                                                            for name, value in attributes.items())]

    def one(self, tag, **attributes):
        return (self.every(tag, **attributes) or [Node('none', {})])[0]

    def words(self):
        return ''.join(self.itertext())

    def texts(self, tag, **attributes):
        return [node.words() for node in self.every(tag, **attributes)]

    def rows(self):
        """The cells of a table's rows, with the head."""
        return [[cell.words() for cell in row] for row in self.every('tr')]

    def numbers(self, *names):
        return tuple(round(float(self.attrib[name]), 2) for name in names)


class Tree(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.builder = ElementTree.TreeBuilder(Node)
        self.handle_data, self.handle_endtag = self.builder.data, self.builder.end
        self.builder.start('root', {})
        self.feed(text)
        self.builder.end('root')
        self.root = self.builder.close()

    def handle_starttag(self, tag, attributes):
        self.builder.start(tag, {name: value or '' for name, value in attributes})
        if tag in VOID:
            self.builder.end(tag)


def browse(page, *flags):
    """The page after its scripts ran in the browser, as text. A failing script fails the test."""
    run = subprocess.run([
        'timeout', '120', CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
        '--enable-logging=stderr', f'--user-data-dir={folder}/profile', *(flags or ['--dump-dom']), f'file://{page}'],
        capture_output=True, text=True)
    wrong = [line for line in run.stderr.splitlines() if 'CONSOLE' in line]
    same((run.returncode, wrong), (0, []), f'{pathlib.Path(page).name} {" ".join(flags)[:30]}: the page is drawn')
    return run.stdout


def drawn(dump, name, script=''):
    """The tree of a dump's page. script: clicks of a reader."""
    log = dump.write(f'{folder}/{name}.log')
    page = f'{folder}/{name}.html'
    dsdump('--html', page, log)
    if script:
        text = open(page, encoding='latin-1').read()
        open(page, 'w', encoding='latin-1').write(text.replace('</body>', f'<script>{script}</script></body>'))
    return Tree(browse(page)).root


def bars(section):
    """(title, x, y, width, height, colour) of the rectangles; the title is a child or the next element."""
    titles = section.texts('title')
    return [(title, *node.numbers('x', 'y', 'width', 'height'), node.attrib['fill'])
            for title, node in zip(titles, section.every('rect'))]


MACHINE = '''begin dstest86 0.9 abcdef 64
cpu GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake
cpu physical 40 bits, under a hypervisor
perfmon none: for a reason
ds 64-bit layout
ds 64-bit layout
events A.B C.D
events E.F
note of an erratum
boot route pvh'''
TESTS = '''KTAP version 1
1..7
ok 1 bts.one
not ok 2 bts.two
ok 3 pebs.three # SKIP the reason
ok 4 pebs.four # SKIP another
ok 5 pebs.five # SKIP the reason
not ok 6 lbr.six # ERROR it broke
ok 7 lbr.seven
a line of a test
error: what went wrong
panic: and then'''
MEASURES = '''measure skid event LOADS workload walk place interrupt distance 3 count 4
measure skid event LOADS workload walk place ip distance 0 count 3
measure skid event LOADS workload walk place ip distance 1 count 1
measure skid event LOADS workload walk place eventing_ip distance 0 count 8
measure skid event STORES workload walk place ip distance 0 count 1
measure skid event STORES workload walk place ip distance 40 count 1
measure skid event STORES workload other place ip distance 2 count 7
measure cost method pebs records_per_interrupt 1 samples 1000 cycles 300000 plain 200000 clock tsc
measure cost method pebs records_per_interrupt 16 samples 2000 cycles 220000 plain 200000 clock tsc
measure cost method bts records_per_interrupt 4 samples 10 cycles 5000 plain 2500 clock tsc
measure cost method lbr_read records_per_interrupt 1 samples 100 cycles 1000 plain 0 clock tsc
measure service kind pebs records 320 instructions 8000 interrupts 1
measure level size 4096 level "L1 or L1 hit" overhead 10000 samples 300 weight 1200 p50 4 p90 5 p99 10 max 12
measure level size 1048576 level "Local RAM or RAM hit" overhead 7500 samples 100 weight 3036 p50 100 p90 200 p99 1000 max 2000
measure level size 1048576 level "L2 or L2 hit" overhead 2500 samples 300 weight 3036 p50 10 p90 12 p99 14 max 16
measure sharing layout false line 0x1000 loads 30 hitm 15 stores 5 cycles 1500
measure sharing layout false line 0x2000 loads 10 hitm 5 stores 7 cycles 500
measure sharing layout padded line 0x3000 loads 100 hitm 0 stores 9 cycles 1000
measure sharing_access layout false line 0x1000 offset 8 cpu 1 symbol writer loads 2 hitm 1 stores 3 cycles 9
measure events event LOADS samples 1200 of_kind 900
measure events event NONE samples 0 of_kind 0'''


def whole():
    dump = Dump()
    dump.lines += [f'# {line}' for line in MACHINE.splitlines()]
    dump.head()
    del dump.lines[-2]    # its own line "begin"
    dump.lines += [line if line.startswith(('ok', 'not', '1', 'K')) else f'# {line}' for line in TESTS.splitlines()]
    dump.lines += [f'# {line}' for line in MEASURES.splitlines()]
    dump.begin('bts.one')
    for _ in range(5):
        dump.bts([(0x1000, 0x1000)] * 300)
    dump.begin('bts.two')
    dump.bts([(0x1000, 0x1000)] * 300 + [(0x90000, 0x90000)] * 200)
    dump.begin('pebs.three')
    dump.event('LOADS')
    dump.pebs([[0] * 18 + [1] + [0] * 6] * 12, (8, 3, 0, 0, 5), 3)
    dump.event('STORES')
    dump.pebs([[0] * 18 + [1] + [0] * 6] * 3, (8, 3, 0, 0, 5), 3)
    dump.lbr([[5, 6, 0]], 5)
    dump.end()
    dump.lines.append('# end dstest86 verdict=fail pass=2 fail=1')
    return dump


root = drawn(whole(), 'whole')
same(root.one('title').words(), 'Skylake: fail · dstest86', 'the title')
head = root.one('header')
same([head.one('div', class_='over').words(), head.one('h1').words(), head.texts('p')],
     ['dstest86 0.9 · abcdef · 64 bits', 'Skylake',
      ['family 6, model 5e, stepping 3 · signature 0x000506e3',
       'This log was made under a hypervisor or emulator. Cycles, latencies and levels are those of the emulation, not of a '
       'processor.', 'error: what went wrong', 'panic: and then']], 'the head')
same((head.one('span').words(), head.one('span').attrib), ('fail', {'class': 'badge fail', 'id': 'verdict'}),
     'the verdict')
tiles = root.one('dl', class_='tiles')
same([(term.words(), value.words(), value.attrib.get('class')) for term,
     value in zip(tiles.every('dt'), tiles.every('dd'))],
     [('Passed', '2', 'pass'), ('Failed', '1', 'fail'), ('Skipped', '3', ''), ('Errors', '1', 'error'),
      ('BTS records', '2,000', ''), ('PEBS records', '15', ''), ('LBR stacks', '1', '')], 'the counts')
sections = {node.attrib['id']: node for node in root.every('section')}
same(list(sections), ['machine', 'verdicts', 'skid', 'cost', 'memory', 'sharing', 'events', 'samples', 'flame-graph',
                      'timeline-section'], 'the sections')
same([(node.attrib['href'], node.words()) for node in root.one('nav').every('a')],
     [(f'#{name}', node.one('h2').words()) for name, node in sections.items()], 'the contents')

machine = sections['machine']
same([[list.texts('dt'), list.texts('dd')] for list in machine.every('dl')],
     [[['cpu', 'perfmon', 'ds'],
       ['GenuineIntel family 6 model 5e stepping 3 signature 0x000506e3 Skylake',
        'physical 40 bits, under a hypervisor',
        'none: for a reason', '64-bit layout']], [['note', 'boot'], ['of an erratum', 'route pvh']]], 'the machine')
same([machine.texts('dd', class_='none'), machine.texts('summary'), machine.texts('li')],
     [['none: for a reason'], ['3 precise events', 'Notes and readings of the manual'], ['A.B', 'C.D', 'E.F']],
     "the machine's events and missing features")

verdicts = sections['verdicts']
same([(group.one('code').words(), group.one('div', class_='sum').words(),
     group.one('div', class_='cells').attrib['aria-label'],
       [(cell.attrib['class'], cell.attrib['title']) for cell in group.every('span')])
      for group in verdicts.every('div', class_='group')],
     [('bts', '1 of 2', 'bts: 1 passed, 1 failed, 0 skipped, 0 error',
       [('cell pass', 'bts.one: passed'), ('cell fail', 'bts.two: failed')]),
      ('pebs', '0 of 0', 'pebs: 0 passed, 0 failed, 3 skipped, 0 error',
       [('cell skipped', 'pebs.three: skipped (the reason)'), ('cell skipped', 'pebs.four: skipped (another)'),
        ('cell skipped', 'pebs.five: skipped (the reason)')]),
      ('lbr', '1 of 2', 'lbr: 1 passed, 0 failed, 0 skipped, 1 error',
       [('cell error', 'lbr.six: error (it broke)'), ('cell pass', 'lbr.seven: passed')])], 'the verdicts')
tables = verdicts.every('table')
same([tables[0].rows(), tables[1].rows(), len(tables[2].rows()), verdicts.texts('summary')],
     [[['Test', 'Result', 'Reason'], ['bts.two', 'failed', ''], ['lbr.six', 'error', 'it broke']],
      [['Tests', 'Reason'], ['2', 'the reason'], ['1', 'another']], 8,
      ['Why 3 tests were skipped', 'All 7 tests']], 'the tests in tables')

# A chart of 260 by 138: the bars' base is y 116, they are up to 108 high and begin at x 38. Three places at four distances: 14.8
# each.
skid = sections['skid']
same(skid.texts('h3'), ['Workload: walk', 'LOADS', 'STORES', 'Workload: other', 'STORES'], 'skid: the charts')
charts = [bars(figure) for figure in skid.every('figure')]
same(charts[0], [
    ('at the interrupt, without PEBS, distance 3: 100 %', 210.8, 8, 13.3, 108, 'var(--b)'),
    ('PEBS IP, distance 0: 75 %', 59.1, 35, 13.3, 81, 'var(--a)'),
    ('PEBS IP, distance 1: 25 %', 114.6, 89, 13.3, 27, 'var(--a)'),
    ('EventingIP, distance 0: 100 %', 73.9, 8, 13.3, 108, 'var(--c)')], 'skid: bars of three places')
same([bar[0] for bar in charts[1]], ['PEBS IP, distance 0: 50 %', 'PEBS IP, distance 24 and more: 50 %'],
     'skid: distances of 24 and more')
same([figure.one('svg').attrib['aria-label'] for figure in skid.every('figure')][1],
     'STORES, records by distance. PEBS IP 0: 1, 40: 1', 'skid: in words')
same([figure.texts('text') for figure in skid.every('figure')],
     [['0%', '50%', '100%', '0', '1', '2', '3'], ['0%', '50%', '100%', '0', '3', '6', '9', '12', '15', '18', '21',
      '24+'],
      ['0%', '50%', '100%', '2']], 'skid: the axes')
same(skid.texts('li'), ['at the interrupt, without PEBS', 'PEBS IP', 'EventingIP'], 'skid: the legend')

# A chart of 480 by 270: x from 62 to 466 for log2 of 1 to 16; y from 228 up, 216 high. Cycles 10 to 1000, logarithmic; slowdowns
# up to 2.1.
cost = sections['cost']
same([[(node.one('title').words(), *node.numbers('cx', 'cy')) for node in figure.every('circle')]
      for figure in cost.every('figure')],
     [[('PEBS, 1 records per interrupt: 100.00 cycles', 62, 120),
      ('PEBS, 16 records per interrupt: 10.00 cycles', 466, 228),
       ('BTS, 4 records per interrupt: 250.00 cycles', 264, 77.02),
       ('reading the LBR stack, 1 records per interrupt: 10.00 cycles', 62, 228)],
      [('PEBS, 1 records per interrupt: 1.50 times', 62, 73.71),
       ('PEBS, 16 records per interrupt: 1.10 times', 466, 114.86),
       ('BTS, 4 records per interrupt: 2.00 times', 264, 22.29)]], 'cost: the dots')
same([figure.texts('text') for figure in cost.every('figure')],
     [['10', '100', '1,000', '1', '2', '4', '8', '16', 'records per interrupt'],
      ['0', '1', '2', '1', '2', '4', '8', '16', 'records per interrupt']], 'cost: the axes')
same([[line.numbers('x1', 'x2', 'y1', 'y2') for line in figure.every('line') if 'stroke' in line.attrib]
      for figure in cost.every('figure')],
     [[(62, 466, 77.02, 77.02), (62, 466, 228, 228)], [(62, 466, 22.29, 22.29)]],
     'cost: a method with one figure is a dashed line')
same(cost.one('polyline').attrib['points'], '62,120 466,228', 'cost: several figures are a curve')
same(cost.every('table')[0].rows(), [
    ['Method', 'Records per interrupt', 'Samples', 'Cycles', 'Cycles without', 'Cycles a sample', 'Slowdown'],
    ['pebs', '1', '1,000', '300,000', '200,000', '100.0', '1.50'],
    ['pebs', '16', '2,000', '220,000', '200,000', '10.0', '1.10'],
    ['bts', '4', '10', '5,000', '2,500', '250.0', '2.00'], ['lbr_read', '1', '100', '1,000', '0', '10.0', '']],
     'cost: figures')
same(cost.every('table')[1].rows(), [['Kind', 'Records', 'Instructions', 'A record'], ['PEBS', '320', '8,000', '25.0']],
     'cost: the service routine')
same([cost.texts('li'), cost.one('p').words()[-17:]], [['PEBS', 'BTS', 'reading the LBR stack'], 'The clock is tsc.'],
     'cost: the legend')

# Two figures, 480 wide: shares over 414 from x 66 on; latencies over log10 of 1 to 1000, 398 wide.
memory = sections['memory']
same(bars(memory), [('4 KiB: L1 or L1 hit, 100 % of the samples', 66, 2, 413, 14, 'var(--level-0)'),
                    ('1 MiB: L2 or L2 hit, 75 % of the samples', 66, 21, 309.5, 14, 'var(--level-2)'),
                    ('1 MiB: Local RAM or RAM hit, 25 % of the samples', 376.5, 21, 102.5, 14, 'var(--level-5)')],
     'memory: the levels')
same([(node.one('title').words(), *node.one('line').numbers('x1', 'x2', 'y1', 'y2'),
     *node.one('circle').numbers('cx', 'cy'))
      for node in memory.every('g')],
     [('4 KiB: L1 or L1 hit, median 4, 90 % within 5, 99 % within 10, longest 12', 145.87, 198.67, 9, 9, 145.87, 9),
      ('1 MiB: Local RAM or RAM hit, median 100, 90 % within 200, 99 % within 1000, longest 2000',
       331.33, 464, 28, 28, 331.33, 28),
      ('1 MiB: L2 or L2 hit, median 10, 90 % within 12, 99 % within 14, longest 16', 198.67, 218.05, 28, 28, 198.67,
       28)],
     'memory: the latencies')
same([memory.texts('text'), memory.texts('li')],
     [['4 KiB', '1 MiB', '0%', '50%', '100%', '1', '10', '100', '1,000', '4 KiB', '1 MiB'],
      ['L1 or L1 hit', 'L2 or L2 hit', 'Local RAM or RAM hit']], 'memory: axes and legend')
same(memory.one('table').rows(), [
    ['Ring', 'Level', 'Overhead', 'Samples', 'p50', 'p90', 'p99', 'Longest'],
    ['4 KiB', 'L1 or L1 hit', '100.00 %', '300', '4', '5', '10', '12'],
    ['1 MiB', 'Local RAM or RAM hit', '75.00 %', '100', '100', '200', '1000', '2000'],
    ['1 MiB', 'L2 or L2 hit', '25.00 %', '300', '10', '12', '14', '16']], 'memory: figures')

sharing = sections['sharing']
same([table.rows() for table in sharing.every('table')],
     [[['Layout', '', 'Lines', 'Loads', 'Stores', 'HITM share of loads', 'Cycles a load'],
       ['false', 'words of several processors in one line', '2', '40', '12', '50 %', '50.0'],
       ['padded', 'each word in a line of its own', '1', '100', '9', '0 %', '10.0']],
      [['Layout', 'Line', 'Loads', 'HITM', 'Stores', 'Cycles a load'], ['false', '0x1000', '30', '15', '5', '50.0'],
       ['false', '0x2000', '10', '5', '7', '50.0'], ['padded', '0x3000', '100', '0', '9', '10.0']],
      [['Layout', 'Line', 'Offset', 'CPU', 'Function', 'Loads', 'HITM', 'Stores'],
       ['false', '0x1000', '8', '1', 'writer', '2', '1', '3']]], 'sharing')
same([bar.attrib['style'] for bar in sharing.every('i')], ['width: 50%;', 'width: 100%;', 'width: 0%;',
     'width: 20%;'],
     'sharing: the bars')
same(sections['events'].one('table').rows(), [['Event', 'Samples', 'Of its kind', 'Share'],
     ['LOADS', '1,200', '900', '75 %'],
                                              ['NONE', '0', '0', 'no sample']], 'events')
samples = sections['samples']
same([samples.texts('h3'), [table.rows()[1:] for table in samples.every('table')]],
     [['LOADS', 'STORES'], [[['100 %', '12', '[unknown]', '']], [['100 %', '3', '[unknown]', '']]]], 'samples')


def frames(root):
    """(title, depth, from, width, opacity) of the flame graph's bars, in percent, and the text below it."""
    section = root.one('section', id='flame-graph')
    shown = []
    for button in section.one('div', id='flame').every('button'):
        style = dict(part.split(': ') for part in button.attrib['style'].rstrip(';').split('; '))
        shown.append((button.attrib['title'], int(style['top'][:-2]) // 22, round(float(style['left'][:-1]), 2),
                      round(float(style['width'][:-1]), 2), float(style['opacity']), button.words()))
    return shown, section.one('div', class_='where').words(), section.texts('option')


OPTIONS = ['All tests', 'bts.one (1,500)', 'bts.two (500)']
ALL = ('all tests: 2,000 branches, 100 % of all, 0 of its own', 0, 0, 100)
ONE = ('bts.one: 1,500 branches, 75 % of all, 0 of its own', 1, 0, 75, 1, 'bts.one')
TWO = 'bts.two: 500 branches, 25 % of all, 0 of its own'
OF_TWO = '[unknown]: 500 branches, 25 % of all, 500 of its own'
same(frames(root), ([(*ALL, 1, 'all tests'), ONE,
                     ('[unknown]: 1,500 branches, 75 % of all, 1,500 of its own', 2, 0, 75, 1, '[unknown]'),
                     (TWO, 1, 75, 25, 1, 'bts.two'), (OF_TWO, 2, 75, 25, 1, '[unknown]')], ALL[0], OPTIONS),
                      'the flame graph')
# The timeline with the most slices comes first: bts.two has two, with branch 301 as the last one of the first slice.
timeline = sections['timeline-section']
same(bars(timeline), [('[unknown], branches 0 to 301', 0, 0, 601.4, 18, 'hsl(44 82% 68%)'),
                      ('[unknown], branches 301 to 500', 602, 0, 397.4, 18, 'hsl(44 82% 68%)')], 'the timeline')
same([timeline.texts('text'), timeline.texts('option'), timeline.one('svg').attrib['aria-label']],
     [['0', '100', '200', '300', '400', '500', '[unknown]', '[unknown]'],
      ['bts.one, processor 0', 'bts.two, processor 0'],
      'bts.two: 2 calls over 500 branches, 1 deep'], "the timeline's axis")

# Clicks: a bar, one level up, a test; another timeline, which is cut.
pressed = whole()
at = next(n for n, line in enumerate(pressed.lines) if ' end ' in line)
del pressed.lines[at:]
pressed.sequence -= 1
pressed.begin('bts.long')
for _ in range(6):
    pressed.bts([(0x1000, 0x1000)] * 400)
pressed.end()
OPTIONS[1:] = ['bts.long (2,400)', *OPTIONS[1:]]
for name, script, wanted in (
        ('bar', "document.querySelectorAll('#flame button')[5].click()", ('bts.two', 100)),
        ('frame', "document.querySelectorAll('#flame button')[6].click()", ('[unknown]', 100)),
        ('up',
         "document.querySelectorAll('#flame button')[6].click(); document.querySelector('.controls button').click()",
         ('bts.two', 100)),
        ('select', "const s = document.querySelector('#flame-graph select'); s.value = '2'; s.onchange; "
                   "s.dispatchEvent(new Event('change'))", ('bts.two', 100))):
    shown, said, options = frames(drawn(pressed, name, script))
    same(options, OPTIONS, f'{name}: the tests')
    same((said.split(':')[0], next((bar[3] for bar in shown if bar[4] == 1), 0)), wanted, f'{name}: the selected bar and its width')
    same([(bar[0].split(':')[0], bar[1], bar[4]) for bar in shown],
         [('all tests', 0, .55), ('bts.two', 1, 1 if wanted[0] == 'bts.two' else .55), ('[unknown]', 2, 1)],
         f'{name}: the callers')
root = drawn(pressed, 'timeline', "const s = document.querySelector('#timeline-section select'); s.value = '2'; "
                                  "s.dispatchEvent(new Event('change'))")
timeline = root.one('section', id='timeline-section')
same([bars(timeline), timeline.one('div', class_='where').words()],
     [[('[unknown], branches 0 to 2,000', 0, 0, 999.4, 18, 'hsl(44 82% 68%)')],
      'The first 2,000 branches of this test.'],
     'a timeline that is cut')
same([root.one('header').one('span').words(), root.one('header').texts('p')[-3][:32]],
     ['unfinished', 'The log has no end line: the run'],
     'a log without an end')

# Large figures: axes with many and with few steps.
large = Dump()
large.head()
large.end()
large.lines += [f'# measure cost method pebs records_per_interrupt {records} samples {samples} cycles {cycles} plain 1000 clock c'
                for records, samples, cycles in ((1, 1000, 30000000), (2097152, 10, 11000))]
cost = drawn(large, 'large').one('section', id='cost')
same([figure.texts('text')[:-1] for figure in cost.every('figure')],
     [['1,000', '10 k', '100 k', '1', '8', '64', '512', '4,096', '32.8 k', '262 k', '2.1 M'],
      ['0', '10 k', '20 k', '30 k', '1', '8', '64', '512', '4,096', '32.8 k', '262 k', '2.1 M']], 'large figures')

# The smallest log, and the look of each verdict.
for verdict, look in ('pass', 'pass'), ('skip', 'skipped'), ('incomplete', 'error'):
    least = Dump()
    least.head()
    least.end()
    least.lines += ['cpu GenuineIntel family f model 2 stepping 7 signature 0x00000f27',
        f'# end dstest86 verdict={verdict}']
    root = drawn(least, verdict)
    same([root.one('h1').words(), root.one('header').one('span').attrib['class'], len(root.every('section')),
          len(root.every('dl', class_='tiles'))], ['Family f model 2', f'badge {look}', 1, 0], f'verdict {verdict}')

# The page of a boot.
log = pathlib.Path(f'{folder}/boot.log')
with open(log, 'w') as file:
    subprocess.run(['timeout', '120', HERE.parent.parent / 'scripts/machine', 'boot', '-p', 'skylake', '-s', '2', '-o',
                   'dump=raw records=none '
                    'run=measure.*,bts.calls,bts.interrupt.threshold,pebs.load_latency.hierarchy,lbr.kinds'],
                        stdout=file)
page = pathlib.Path(f'{folder}/boot.html')
dsdump('--elf', BUILD / 'dstest86-64.elf', '--html', page, log)
source = page.read_text('latin-1')
same((re.findall(r'\b(?:src|href)\s*=\s*["\']?[^"\'#>\s]+', source),
      'https:' in source or 'http:' in source.replace('http://www.w3.org/2000/svg', '')), ([], False),
          'the page loads no other file')
text = browse(page)
root = Tree(text).root
titles = {node.attrib['id']: node.attrib['aria-labelledby'] for node in root.every('section')}
same((list(titles), list(titles.values()), [node.attrib['href'] for node in root.one('nav').every('a')]),
     (list(sections), [node.attrib['id'] for node in root.every('h2')], [f'#{name}' for name in titles]),
     'each section has its title and its link')
same((len(root.every('span', class_='cell')), root.one('span', id='verdict').words()),
     (len(re.findall('^"(?:not )?ok ', source, re.M)), 'pass'), 'a square for each test, and the verdict')
flame = [button.attrib['title'] for button in root.one('div', id='flame').every('button')]
ok(any(title.startswith('interrupt_entry_225: ') for title in flame), 'the flame graph has the interrupt of a buffer')
ok(text.count('<title>EventingIP, distance 0: 100 %</title>') > 5, 'EventingIP has no skid')
ok(not re.search('NaN|undefined|Infinity', root.one('main').words()), 'every figure is a number')


def first_pixel(file):
    """The first pixel of a PNG with 8 bits a channel. There PNG's filters add 0."""
    png, at, packed = open(file, 'rb').read(), 8, b''
    while at < len(png):
        length, kind = int.from_bytes(png[at:at + 4], 'big'), png[at + 4:at + 8]
        packed += png[at + 8:at + 8 + length] if kind == b'IDAT' else b''
        at += length + 12
    return zlib.decompress(packed)[1:4].hex()


for colour, flags in ('f6f7f9', []), ('0f141b', ['--blink-settings=preferredColorScheme=0']):
    browse(page, f'--screenshot={folder}/{colour}.png', '--window-size=1280,800', *flags)
    same(first_pixel(f'{folder}/{colour}.png'), colour, f"the page's background: {colour}")

# On a phone the page is as wide as the screen, with every detail open. The browser's window has a minimum width, so the page is
# in a frame, and reports its width.
frame = pathlib.Path(f'{folder}/telephone.html')
pathlib.Path(f'{folder}/probe.html').write_text(source.replace('</body>', '''<script>
for (const details of document.querySelectorAll('details')) details.open = true;
parent.postMessage(innerWidth + ' holds ' + document.documentElement.scrollWidth, '*');
</script></body>'''), 'latin-1')
frame.write_text('<!doctype html><body><script>onmessage = (event) => { document.body.dataset.said = event.data; };</script>'
                 '<iframe src="probe.html" style="border:0;width:390px;height:844px"></iframe></body>')
ok('data-said="390 holds 390"' in browse(frame, '--dump-dom', '--virtual-time-budget=5000'),
   'the page fits a phone')

# Logs with lines that look like markup, of two boots, and without frames.
lines = log.read_text('latin-1').splitlines()
BAD = ['# wrong: <img src=x onerror="document.title=1">', 'not ok 99 pebs.</script><script>document.title=2</script>',
       '# measure events event <b>bold</b> samples 1 of_kind "&lt;"', '# error: \x01\xff"\\']
NONE = 'dsdump: {}: no dump in this log: boot the kernel with dump=raw to get one\n'
for name, shown, edited in (('markup', 'wrong: &lt;img src=x', lines + BAD),
    ('twice', 'The log has 2 boots.', lines * 2),
                            ('frameless', 'data-ready="yes"', [line for line in lines if '# dsdump' not in line])):
    dump = Dump()
    dump.lines = edited
    file = dump.write(f'{folder}/{name}.log')
    empty = name == 'frameless'
    dsdump('--html', f'{folder}/{name}.html', file, status=int(empty), complaint=NONE.format(file) if empty else '')
    text = browse(f'{folder}/{name}.html')
    ok(shown in text and not re.search('<img|<b>bold|<title>[12]<', text), f'{name}: contents are shown as text')
done()
