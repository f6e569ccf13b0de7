# SPDX-License-Identifier: MIT
"""Boots Linux guests on the model, and checks what each must print. For the programs here."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tools'))
from tap import BUILD, ok    # noqa: E402

LOGS = BUILD / 'linux-test' if (BUILD / 'dsmodel.so').exists() else pathlib.Path('linux-test')    # installed without the sources
SECONDS = 1200    # for one boot, which takes about two minutes on an idle machine
WARNING = re.compile(r'WARNING:|unchecked MSR|Call Trace|\bBUG:|perfevents:|Firmware Bug|PEBS.*(?:disabled|broken)|Oops')


def check(what: str, problems: Iterable[str]) -> None:
    """One line of TAP, and the first problems."""
    problems = list(problems)
    ok(not problems, what, '\n'.join(problems[:10] + ['...'] * (len(problems) > 10)))


def output(*command: object) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def profiles() -> dict[str, int]:
    """The width of the widest kernel, by profile."""
    return {name: int(width) for name, width in re.findall(r'^(\S+) +(32|64)  \S', output(BUILD / 'qemu-ds', '--list', 'profiles'), re.M)}


class Program:
    """A test program: its labels; by address, the next instruction; those that always branch elsewhere."""

    def __init__(self, name: str):
        path = BUILD / name
        self.label = {label: int(at, 16) for at, label in re.findall(r'^([0-9a-f]+) \w (\w+)$', output('nm', path), re.M)}
        code = re.findall(r'^\s+([0-9a-f]+):\s+(\w+)', output('objdump', '-d', '--no-show-raw-insn', path), re.M)
        places = [int(at, 16) for at, _ in code]
        self.next = dict(zip(places, [*places[1:], None]))
        self.leaves = {int(at, 16) for at, what in code if what in ('jmp', 'call', 'ret', 'syscall', 'ud2')}

    def straight(self, at: int, to: int) -> bool:
        """Whether code from one address reaches another without a taken branch."""
        while at in self.next and at != to and at not in self.leaves:
            at = self.next[at]
        return at == to


class Guest:
    """What a boot left in its folder: its output by section, and the model's files."""

    def __init__(self, folder: pathlib.Path, status: int = 0, seconds: float = 0.0):
        self.folder, self.status, self.seconds, self.sections = folder, status, seconds, {}
        lines = None
        for line in self.lines('console'):
            if head := re.fullmatch(r'@@ (\w+)', line):
                lines = self.sections.setdefault(head[1], [])
            elif lines is not None:
                lines.append(line)

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text('latin-1').splitlines() if path.exists() else []

    def of(self, section: str) -> list[str]:
        return self.sections.get(section, [])

    def check_end(self, name: str) -> None:
        last = [(self.lines(which) or [''])[-1] for which in ('stderr', 'console')]
        check(f'{name}: powers itself off', [] if self.status == 0 and 'end' in self.sections else [f'status {self.status}', *last])

    def check_log(self, name: str, finds: Iterable[str], *says: str) -> None:
        """The kernel's log: the features that Linux found, in any order, further texts, no warning; the referee's report."""
        log = self.of('kernel')
        found = [line.split('Performance Events: ')[1] for line in log if 'Performance Events: ' in line]
        check(f'{name}: Linux names the processor and its features',
              [] if found and sorted(re.split(', *', found[0])) == sorted(finds) else [f'it prints: {found}'])
        check(f'{name}: Linux prints {says[0]}', [f'it does not print {text}' for text in says if not any(text in line for line in log)])
        check(f'{name}: Linux prints no warning', [line for line in log if WARNING.search(line)])
        check(f'{name}: no violation', [line for line in self.lines('violations') if re.match(r'violation |advice (?!.*(?:event-not-counted|ds-cache-line):)', line)])


def boot(name: str, profile: str | None, kernel: pathlib.Path, initramfs: pathlib.Path, append: str, *options: str,
         processors: int = 2, qemu: Iterable[str] = (), memory: int = 1024, truth: bool = True) -> Guest:
    """Boots, and returns the guest. Without a profile, QEMU without the model. memory: in MiB; truth: with the model's log of it."""
    folder = LOGS / name
    folder.mkdir(parents=True, exist_ok=True)
    for each in ('truth', 'violations'):
        (folder / each).unlink(missing_ok=True)
    logs = [word for name in ['truth'] * truth + ['violations'] for word in (f'--{name}', folder / name)]
    command = [BUILD / 'qemu-ds', *qemu, '--profile', profile, *logs] if profile \
        else [BUILD / 'qemu-system-x86_64', '-cpu', 'max']
    command += [*options, '-smp', str(processors), '-kernel', kernel, '-initrd', initramfs, '-append',
                f'console=ttyS0 panic=-1 tsc=reliable no_timer_check {append}',
                *f'-machine q35 -m {memory} -nodefaults -no-user-config -no-reboot -display none -serial stdio'.split()]
    with open(folder / 'console', 'wb') as console, open(folder / 'stderr', 'wb') as errors:
        child = subprocess.Popen(['timeout', str(SECONDS), *command], stdin=subprocess.DEVNULL, stdout=console, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return Guest(folder, child.returncode, usage.ru_utime)


def boot_each(boots: Iterable[tuple[tuple, dict]]) -> Iterator[Guest]:
    """Calls boot() with each tuple of arguments and dict, as many at a time as there are processors; the guests in order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda each: boot(*each[0], **each[1]), boots)


def counts(lines: list[str]) -> dict[str, int]:
    """The counts of `perf stat -x,`, by event, with the name NAME:MODIFIER also on a hybrid."""
    found = (re.match(r'(\d+),,(?:cpu_\w+/([\w-]+)/(\w*)|([^,]+))', line) for line in lines)
    return {each[4] or f'{each[2]}:{each[3]}'.rstrip(':'): int(each[1]) for each in found if each}


def compare(count: dict[str, int], expected: dict[str, int]) -> list[str]:
    return [f'{event}: {count.get(event, "no count")}, must be {must}' for event, must in expected.items() if count.get(event) != must]
