# SPDX-License-Identifier: MIT
"""The table of boots: a row is a machine, and what must happen there. Its lines are in tests/qemu/cases, faults and violations,
which describe them. The lists of profiles and faults are the model's."""
import collections
import dataclasses
import functools
import pathlib
import re
import subprocess
from collections.abc import Iterator
from typing import NoReturn

ROOT = pathlib.Path(__file__).resolve().parents[2]
QEMU = ROOT / 'tests/qemu'
SETTINGS = 'quirk', 'fault', 'flip', 'latitude', 'cores', 'firmware', 'processors'    # options of scripts/machine, written among the kernel's
ALL_RECORDS = re.compile(r' records=(?:all|none dump=raw)\b')


class TableError(Exception):
    pass


@dataclasses.dataclass
class Row:
    line: str
    name: str                 # the line without the text
    width: str
    route: str
    profile: str
    verdict: str              # pass, fail, .. or refused; of a fault: red
    options: list             # of the kernel
    settings: dict            # SETTINGS
    qemu: list = dataclasses.field(default_factory=list)     # QEMU's options
    texts: list = dataclasses.field(default_factory=list)    # in the log or on stderr
    globs: list = dataclasses.field(default_factory=list)    # tests that must notice a fault
    differ: list = dataclasses.field(default_factory=list)    # of these, the ones that must report a difference, not fail
    panic: bool = False
    title: str = None
    fault: str = None         # without @CPU, or check
    image: str = None         # another kernel, of the faults check and code:
    folder: pathlib.Path = None

    def option(self, name: str) -> str | None:
        return next((word.split('=', 1)[1] for word in self.options if word.startswith(f'{name}=')), None)

    def records(self) -> str | None:
        """'all' or 'raw' if every record is compared with the model's truth."""
        return 'all' if 'records=all' in self.options else 'raw' if 'dump=raw' in self.options else None

    def arguments(self) -> list[str]:
        """Of scripts/machine. Only the route pvh needs a width: elsewhere the processor determines it."""
        named = {'route': self.route, 'width': self.width if self.route == 'pvh' else '', 'profile': self.profile,
                 'options': ' '.join(self.options), 'folder': self.folder, 'image': self.image, **self.settings}
        return [f'--{name}={value}' for name, value in named.items() if value] + ['--', *self.qemu]


# ---- the model's lists

@functools.cache
def listed(what: str) -> list[str]:
    """The lines of the model's list of profiles or faults."""
    try:
        return subprocess.run([ROOT / 'build/qemu-ds', '--list', what], check=True, capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError) as error:
        raise TableError(f'{error}; run ./bootstrap, then make') from error


def profiles() -> dict[str, str]:
    """Each profile's greatest width, 32 or 64, in the order of the processors' release."""
    return {words[0]: words[1] for words in map(str.split, listed('profiles'))}


@functools.cache
def variants() -> set[str]:
    """The profiles that differ from a relative only in data, which host tests compare with its sources."""
    return {line.split()[0] for line in listed('profiles') if re.search(r'\), as \S+$', line)}


def machines() -> list[tuple[str, str]]:
    """Each kernel on each profile that can run it: (PROFILE, WIDTH), by release and width."""
    return [(name, width) for name, widest in profiles().items() for width in ('32', '64') if width <= widest]


@functools.cache
def faults() -> dict[str, str]:
    """What each fault breaks: the model's faults, and check, a kernel of its own."""
    return dict(line.split(None, 1) for line in listed('faults')) | {'check': "the kernel's check accepts every area and buffer"}


# ---- lines

class Line(collections.namedtuple('Line', 'text words value title where')):
    """The words before the colon, the value behind it or None, and the title: "#! TITLE" is above its line."""
    def refuse(self, why: str) -> NoReturn:
        raise TableError(f'{self.where}: {why}: {self.text}')


def lines_of(path: pathlib.Path) -> Iterator[Line]:
    title = None
    for number, text in enumerate(path.read_text().splitlines(), 1):
        where = f'{path}, line {number}'
        if text.startswith('#! '):
            if title:
                raise TableError(f'{where}: no line between this title and the previous one')
            title = text[3:]
        elif text.strip() and not text.startswith('#'):
            words, colon, value = text.partition(' : ')
            yield Line(text, words.split(), value.strip() if colon else None, title, where)
            title = None
    if title:
        raise TableError(f'{path}: no line follows the title {title}')


def settings_in(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options of scripts/machine among words, and the others."""
    given = dict(word.split('=', 1) for word in words if word.split('=')[0] in SETTINGS and '=' in word)
    return given, [word for word in words if '=' not in word or word.split('=')[0] not in SETTINGS]


def case_of(line: Line, word: str | None = None, instead: str | None = None) -> Row:
    """A row of tests/qemu/cases, with another word in the place of one."""
    words = [instead if given == word else given for given in line.words]
    at = words.index('--') if '--' in words else len(words)
    if at < 4:
        line.refuse('expected WIDTH ROUTE PROFILE VERDICT')
    settings, options = settings_in(words[4:at])
    return Row(line.text.replace(word, instead, 1) if word else line.text, ' '.join(words), *words[:4], options, settings, words[at + 1:],
               line.value.split(' & ') if line.value else [], title=line.title)


def whole(row: Row) -> bool:
    """Whether a row runs all tests of an unmodified machine: by the route pvh, or with every record."""
    return (row.verdict == 'pass' and (row.route == 'pvh' or 'records=all' in row.options) and not row.qemu and not row.settings
            and not row.option('run') and not row.option('skip'))


def unbooted(of: list[tuple[str, str]], rows: list[Row]) -> list[tuple[str, str]]:
    """The machines of a list on which no row is whole."""
    booted = {(row.profile, row.width) for row in rows if whole(row)}
    return [machine for machine in of if machine not in booted]


def read_cases(path: pathlib.Path = QEMU / 'cases', known: list | None = None) -> list[Row]:
    """All rows. A line of the profile * becomes one for each machine (default: all of the model) that no other line boots, and one
    with run=VIOLATION one for each test of tests/qemu/violations."""
    rows, lines = [], list(lines_of(path))
    others = [case_of(line) for line in lines if '*' not in line.words]
    for line in lines:
        if '*' in line.words:
            rest = unbooted([machine for machine in known or machines() if machine[1] == line.words[0]], others)
            rows += [case_of(line, '*', profile) for profile, _ in rest]
        elif 'run=VIOLATION' in line.words:
            rows += [case_of(line, 'run=VIOLATION', f'run={test}') for test in read_violations()]
        else:
            rows.append(case_of(line))
    return rows


def sample(rows: list[Row]) -> list[Row]:
    """A small set of rows with each route, each verdict, and all tests on each profile. Greedy: the next row covers most of what is
    missing, preferably without all records. A machine that does not reach its tests does not cover a route. Records take most of
    the time, so only the first row with a given text has them all."""
    has = [{('verdict', row.verdict)} | ({('route', row.route)} if row.verdict not in ('error', 'refused') else set())
           | ({('profile', row.profile)} if whole(row) else set()) for row in rows]
    missing, taken, texts, chosen = set().union(*has), set(), set(), []
    while missing:
        best = max(range(len(rows)), key=lambda i: 2 * len(has[i] & missing) - bool(rows[i].records()))
        taken.add(best)
        missing -= has[best]
    for row in (rows[i] for i in sorted(taken)):
        if row.records() and (not row.texts or row.texts[0] in texts):
            row = dataclasses.replace(row, name=ALL_RECORDS.sub('', row.name),
                                      options=[word for word in row.options if not re.match('records=|dump=', word)])
        texts.update(row.texts)
        chosen.append(row)
    return chosen


def read_faults(path: pathlib.Path = QEMU / 'faults') -> list[Row]:
    rows = []
    for line in lines_of(path):
        if len(line.words) < 2 or line.value is None:
            line.refuse('expected FAULT PROFILE [WIDTH] [OPTIONS..] : GLOB..')
        passed, profile, *rest = line.words
        fault = passed.split('@')[0]
        # The model checks the first two.
        form = r'msr:|cpuid:|code:\w+:[\da-f]+:[\da-f]+$|flip:[a-z-]+:\d+:[a-z]+(:\d+)?$'
        if not all(name in faults() or re.match(form, name) for name in fault.split(',')):
            line.refuse(f"unknown fault '{fault}'")
        width = profiles().get(profile) or line.refuse(f"unknown profile '{profile}'")
        if rest and rest[0] in ('32', '64'):
            width = rest.pop(0)
        settings, options = settings_in(rest)
        globs = line.value.split() or line.refuse('no test after the colon')
        image = 'unchecked' if fault == 'check' else fault.replace(':', '-') if fault.startswith('code:') else None
        rows.append(Row(line.text, ' '.join(line.words), width, 'pvh', profile, 'red', options, settings | ({} if image or fault.startswith('flip:') else {'fault': passed}),
                        globs=[glob.lstrip('~') for glob in globs if glob != 'panic'],
                        differ=[glob[1:] for glob in globs if glob[0] == '~'], panic='panic' in globs, fault=fault,
                        image=image and f'build/{image}-{width}.elf'))
    return rows


@functools.cache
def read_violations(path: pathlib.Path = QEMU / 'violations') -> dict[str, list[str]]:
    """The violations that a test commits on purpose, by test."""
    return {line.words[0]: line.value.split() for line in lines_of(path)}


def matching(globs: list[str], tests: list[str]) -> tuple[set[str], list[str]]:
    """The tests that match the globs, and the globs that match none."""
    patterns = {glob: re.compile('.*'.join(map(re.escape, glob.split('*')))) for glob in globs}
    matches = {glob: {test for test in tests if patterns[glob].fullmatch(test)} for glob in globs}
    return set().union(*matches.values()), [glob for glob in globs if not matches[glob]]
