/* SPDX-License-Identifier: MIT */
/*
 * Usage: msr-pebs PERIOD COMMAND..
 *
 * Runs a command in a Linux guest while PEBS records everything that runs on CPU 0, the kernel included, every PERIOD
 * instructions, without the kernel's driver, whose own work on each record would be most of what is measured. It is set
 * up through /dev/cpu/0/msr; its buffer, which nobody reads, begins again 20 times a second.
 *
 * The kernel needs nokaslr no5lvl hugepages=16, and nobody else may use the counters. Exits with the command's status,
 * or 3 if records are missing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MSR_DEVICE "/dev/cpu/0/msr"
#define PAGEMAP    "/proc/self/pagemap"

#define PAGE         4096
#define HUGE_PAGE    (UINT64_C(1) << 21)
#define HUGE_PAGES   16u /* of which the buffer takes some that lie side by side */
#define BUFFER_PAGES 8u  /* room for 80 milliseconds of a record of 200 bytes each microsecond */
#define BUFFER_BYTES (BUFFER_PAGES * HUGE_PAGE)
#define FIRST_RECORD PAGE
#define AGAIN_NS     50000000

#define DIRECT_MAP UINT64_C(0xffff888000000000) /* Linux 6.12, Documentation/arch/x86/x86_64/mm.rst */
#define PFN        ((UINT64_C(1) << 55) - 1)    /* of an entry of pagemap: Documentation/admin-guide/mm/pagemap.rst */

/* SDM Vol. 4 (335592-083), "Architectural MSRs". */
#define IA32_PMC0              0xc1
#define IA32_PERFEVTSEL0       0x186
#define IA32_FIXED_CTR0        0x309
#define IA32_PERF_CAPABILITIES 0x345
#define IA32_FIXED_CTR_CTRL    0x38d
#define IA32_PERF_GLOBAL_CTRL  0x38f
#define IA32_PEBS_ENABLE       0x3f1
#define IA32_DS_AREA           0x600

#define INST_RETIRED UINT64_C(0x4300c0) /* in user mode and in the kernel, enabled */
#define BOTH         3                  /* of fixed counter 0, which counts instructions: user mode and kernel */
#define ON           (UINT64_C(1) << 32 | 1)

/* SDM Vol. 3B (253669-083), "64 Bit Format of the DS Save Area". */
struct area {
    uint64_t bts[4], base, index, maximum, threshold, reset;
};

static volatile struct area *area;
static uint64_t record_bytes, records;
static int msr, pagemap;

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(3);
}

static int open_file(const char *path, int flags)
{
    const int fd = open(path, flags);

    if (fd < 0) {
        die(path);
    }
    return fd;
}

static uint64_t read_msr(uint32_t address)
{
    uint64_t value;

    if (pread(msr, &value, sizeof(value), address) != sizeof(value)) {
        die(MSR_DEVICE);
    }
    return value;
}

static void write_msr(uint32_t address, uint64_t value)
{
    if (pwrite(msr, &value, sizeof(value), address) != sizeof(value)) {
        die(MSR_DEVICE);
    }
}

/* Where the kernel has page i of a mapping. */
static uint64_t linear(const uint8_t *pages, unsigned i)
{
    const uintptr_t number = (uintptr_t)(pages + i * HUGE_PAGE) / PAGE;
    uint64_t entry;

    if (pread(pagemap, &entry, sizeof(entry), (off_t)(number * sizeof(entry))) != sizeof(entry)) {
        die(PAGEMAP);
    }
    return DIRECT_MAP + (entry & PFN) * PAGE;
}

static bool has_page_at(const uint8_t *pages, uint64_t address)
{
    for (unsigned i = 0; i < HUGE_PAGES; i++) {
        if (linear(pages, i) == address) {
            return true;
        }
    }
    return false;
}

/* The first of the pages that the kernel has side by side, in whatever order it gave them. */
static unsigned find_buffer(const uint8_t *pages)
{
    for (unsigned i = 0; i < HUGE_PAGES; i++) {
        unsigned n = 1;

        while (n < BUFFER_PAGES && has_page_at(pages, linear(pages, i) + n * HUGE_PAGE)) {
            n++;
        }
        if (n == BUFFER_PAGES) {
            return i;
        }
    }
    fprintf(stderr, "msr-pebs: no %u huge pages that lie side by side\n", BUFFER_PAGES);
    exit(3);
}

/* The processor may keep the index to itself while it records. */
static void begin_again(void)
{
    write_msr(IA32_PERF_GLOBAL_CTRL, 0);
    records += (area->index - area->base) / record_bytes;
    area->index = area->base;
    write_msr(IA32_PERF_GLOBAL_CTRL, ON);
}

static void start(uint64_t period)
{
    static const unsigned formats[] = { 144, 176, 192, 200 }; /* and in later ones the basic group alone */
    uint8_t *pages = mmap(NULL, HUGE_PAGES * HUGE_PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);

    if (pages == MAP_FAILED) {
        die("huge pages");
    }
    msr = open_file(MSR_DEVICE, O_RDWR);
    pagemap = open_file(PAGEMAP, O_RDONLY);
    const unsigned format = read_msr(IA32_PERF_CAPABILITIES) >> 8 & 0xf, first = find_buffer(pages);
    const uint64_t at = linear(pages, first), base = at + FIRST_RECORD;

    record_bytes = format < 4 ? formats[format] : 32;
    const uint64_t end = base + (BUFFER_BYTES - FIRST_RECORD) / record_bytes * record_bytes;

    area = (volatile struct area *)(pages + first * HUGE_PAGE);
    *area =
        (struct area){ .base = base, .index = base, .maximum = end, .threshold = end + record_bytes, .reset = -period };
    write_msr(IA32_DS_AREA, at);
    write_msr(IA32_FIXED_CTR0, 0);
    write_msr(IA32_FIXED_CTR_CTRL, BOTH);
    write_msr(IA32_PMC0, -period);
    write_msr(IA32_PERFEVTSEL0, INST_RETIRED);
    write_msr(IA32_PEBS_ENABLE, 1);
    write_msr(IA32_PERF_GLOBAL_CTRL, ON);
}

static int run(char *const command[])
{
    const pid_t child = fork();
    pid_t ended = 0;
    int status = 0;

    if (child == 0) {
        execvp(command[0], command);
        die(command[0]);
    }
    while (child > 0 && (ended = waitpid(child, &status, WNOHANG)) == 0) {
        nanosleep(&(struct timespec){ .tv_nsec = AGAIN_NS }, NULL);
        begin_again();
    }
    if (ended <= 0) {
        die("fork");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

/* Whether there are as many records as there had to be, but for a hundredth. */
static bool stop(uint64_t period)
{
    begin_again();
    write_msr(IA32_PERF_GLOBAL_CTRL, 0);
    write_msr(IA32_PEBS_ENABLE, 0);
    const uint64_t due = read_msr(IA32_FIXED_CTR0) / period;

    if (records == 0 || records < due - due / 100 || records > due + due / 100) {
        fprintf(stderr, "msr-pebs: %llu records, %llu were due\n", (unsigned long long)records,
                (unsigned long long)due);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const uint64_t period = argc < 3 ? 0 : strtoul(argv[1], NULL, 10);

    if (period == 0) {
        fprintf(stderr, "usage: msr-pebs PERIOD COMMAND..\n");
        return 3;
    }
    start(period);
    const int status = run(argv + 2);

    return stop(period) ? status : 3;
}
