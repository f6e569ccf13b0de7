# SPDX-License-Identifier: MIT
"""`tour`: a guided walk through the set-up of the debug store and the first interrupt, on this kernel's own test
bts.interrupt.threshold (`make gdb-tour`). At a terminal it waits for Enter at each stop."""
import os
import textwrap

import gdb

WIDTH = 100


class Stop:
    """A place, what happens there, which sentence of the manual asks for it, and commands that show it."""

    def __init__(self, where: str, title: str, now: str, manual: str, source: str, *commands: str, passes: int = 0,
                 when: str | None = None):
        self.where, self.title, self.now, self.manual, self.source = where, title, now, manual, source
        self.commands, self.passes, self.when = commands, passes, when

    def reach(self) -> bool:
        stop = gdb.Breakpoint(self.where, internal=True)
        stop.silent, stop.ignore_count, stop.condition = True, self.passes, self.when
        try:
            gdb.execute('continue', to_string=True)
        except gdb.error:
            pass    # there is no machine, or none any more
        stop.delete()
        return gdb.selected_thread() is not None

    def show(self, number: int, of: int) -> None:
        frame = gdb.newest_frame()
        # The function's own line: at its first instruction, that of the frame may be of an inline function in a header.
        line = frame.function() or frame.find_sal()
        place = f'{line.symtab.filename}:{line.line}' if line.symtab else f'{frame.pc():#x}'
        print(f'\n--- stop {number} of {of}: {self.title} ({frame.name() or "?"}, {place})')
        for text in self.now, f'The manual: {self.manual} [{self.source}]':
            print(textwrap.fill(text, WIDTH))
        for command in self.commands:
            print(f'\n(gdb) {command}')
            gdb.execute(command)


AREA = 'SDM Vol. 3A (253668-032), "BTS and DS Save Area", 16.4.9'
SETTING_UP = 'SDM Vol. 3A (253668-032), "Setting Up the DS Save Area", 16.4.9.2'
SETTING_UP_BTS = 'SDM Vol. 3A (253668-032), "Setting Up the BTS Buffer", 16.4.9.3'
SERVICE = 'SDM Vol. 3A (253668-032), "Writing the DS Interrupt Service Routine", 16.4.9.5'
BTS = 'SDM Vol. 3A (253668-032), "Branch Trace Store (BTS)", 16.4.5'
LVT = 'SDM Vol. 3A (253668-083), "Local Vector Table"'

STOPS = [
    Stop('ds_build', 'the debug store is not set up',
         'A test wants to trace a loop of 3000 branches into a BTS buffer of 256 records, with an interrupt at 128. The kernel '
         'has read the features from CPUID, and IA32_DS_AREA is still 0.',
         'the feature flag CPUID.1:EDX[21] reports the debug store.', AREA, 'ds'),
    Stop('interrupt_set', 'the handler gets its gate',
         'The service routine is entered in the interrupt descriptor table, at the vector that the local APIC will deliver. It is '
         'an interrupt gate, so that no other interrupt arrives before the buffer has been drained.',
         'the vector of the performance counter entry needs a handler, and goes through an interrupt gate.', SETTING_UP,
         'info args'),
    Stop('apic_performance_arm', 'the local APIC will deliver the interrupt',
         'The performance counter entry of the local vector table is about to get that vector, and its mask bit is cleared. Until '
         'now it is masked, as after a reset.',
         'the entry is set up for fixed delivery and edge sensitive, and is not masked.', SETTING_UP, 'perfmon'),
    Stop('ds_check', 'what will be written is checked first',
         'The kernel checks the description of the area: order and grid of the four addresses of each buffer, space after the '
         'threshold, and the pages. It writes to the processor only if the check finds no breach.',
         'the pages of the area and of the buffers are present, writable, accessed and dirty, in kernel space, and hold no code.',
         SETTING_UP, 'p/x description->area.bts', 'p description->gate'),
    Stop('ds_force', 'the area is written',
         'The management area goes to memory, with base, index, maximum and threshold of both buffers, and the reset '
         'values of PEBS. Then WRMSR passes its address to the processor.',
         'the area\'s linear address goes into IA32_DS_AREA.', SETTING_UP, 'p/x description->area_base'),
    Stop('bts_window', 'the area is the processor\'s',
         'IA32_DS_AREA points to the area, which meets each rule of the manual. The index is at the base: the buffer is '
         'empty, and no branch is traced yet.',
         'the index begins at the base, the threshold lies between base and maximum, several records short of it, and all are '
         'base + k * record.', AREA, 'ds'),
    Stop('*&workload_long_loop_start', 'tracing is on',
         'The last WRMSR has set TR, BTS and BTINT in IA32_DEBUGCTL: the area comes first, the enable bits last. From here on each '
         'taken branch becomes a record.',
         'TR and BTS make the processor store branch trace messages in the buffer, and BTINT asks for an interrupt at the '
         'threshold instead of a circular buffer.', SETTING_UP_BTS, 'perfmon', 'bts'),
    Stop('*&long_back', 'branches become records',
         'The loop has run ten rounds. Each record has the source, the target and the flags of a branch. '
         'Only the processor moves the index.',
         'BTS stores a record for each taken branch, interrupt and exception.', BTS, 'bts 3', passes=10),
    Stop('counting_stop', 'the interrupt is here',
         'The index has reached the threshold, the processor has set OvfBuf in IA32_PERF_GLOBAL_STATUS, and the interrupt was '
         'delivered. The service routine has just switched tracing off. The records past the threshold are the branches on the '
         'way into it. "wrong: .. is masked" is expected: the processor sets the mask bit when it delivers the '
         'interrupt.',
         'the routine first disables tracing.', SERVICE, 'backtrace 2', 'ds', 'bts 2', 'perfmon'),
    Stop('counting_acknowledge', 'the buffer is empty again',
         'The records up to the index have been copied, and the index is back at the base. The cause of the '
         'interrupt is acknowledged now, in IA32_PERF_GLOBAL_OVF_CTRL. The entry is still masked, as expected.',
         'the routine handles the records from the base to the index, sets the index back to the base, and clears the '
         'overflow indication in IA32_PERF_GLOBAL_OVF_CTRL.', SERVICE, 'ds'),
    Stop('apic_performance_arm', 'the entry is unmasked',
         'The processor set the mask bit of the entry when it delivered the interrupt. If the routine did not clear it, this '
         'interrupt would be the last one.',
         'delivery of the interrupt sets the mask bit of this entry, and software clears it.', LVT, 'perfmon'),
    Stop('apic_eoi', 'end of interrupt',
         'The handler writes the EOI register of the local APIC: after it has cleared the mask, and before tracing resumes. So '
         'no interrupt is lost in between.',
         'the routine arms the interrupt again, and enables what it had disabled.', SERVICE),
    Stop('*&long_back', 'and the loop goes on',
         'Tracing is on again, and records are written from the base of the buffer on. No branch of the loop is lost: the test '
         'compares all 3000 in a moment.',
         'the routine restores IA32_DEBUGCTL before it returns.', SERVICE, 'bts 2', passes=3),
]


class Tour(gdb.Command):
    """tour [all]: walk through the set-up of the debug store and its first interrupt, on the kernel of `make gdb-tour`;
with all, or without a terminal, without waiting for Enter."""

    def __init__(self):
        super().__init__('tour', gdb.COMMAND_RUNNING)

    def invoke(self, argument: str, from_tty: bool) -> None:
        waits = argument != 'all' and os.isatty(0)
        for number, stop in enumerate(STOPS, 1):
            if not stop.reach():
                raise gdb.GdbError(f'tour: QEMU is not running at stop {number}: start it again with `make gdb-tour`, with a '
                                   'profile that has BTS')
            stop.show(number, len(STOPS))
            if waits and input('\nEnter: the next stop; q: end here ').strip() == 'q':
                return
        print('\nThe tour ends here. docs/gdb.md says how to use these commands on your own kernel.')


Tour()
