/* SPDX-License-Identifier: MIT */
/*
 * Usage: monitor MODE COMMAND..
 *
 * Runs a command in a Linux guest while its driver uses the debug store for everything that runs on CPU 0, the
 * kernel included:
 *
 *   none    nothing
 *   count   one counter counts instructions
 *   lbr     the LBR stack is on (requested by a counter that overflows every 50 million instructions)
 *   bts     every branch goes into a circular BTS buffer of 1 MB
 *   N       a PEBS record every N instructions
 *
 * Nothing reads the records, so that only the cost of recording is measured: once the buffer of samples is full,
 * the driver drops further ones. Exits with the command's status, or 3 if nothing was counted or recorded.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE           4096
#define DATA_BYTES     (8 * PAGE)
#define AUX_BYTES      (1 << 20)
#define LBR_PERIOD     50000000
#define BTS_TYPE       "/sys/bus/event_source/devices/intel_bts/type"
#define FIRST_BRANCHES 16 /* offset of the number of branches in the first sample, after its address */

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(3);
}

static uint32_t bts_type(void)
{
    FILE *file = fopen(BTS_TYPE, "r");
    unsigned type;

    if (file == NULL || fscanf(file, "%u", &type) != 1) {
        die(BTS_TYPE);
    }
    fclose(file);
    return type;
}

/* Fills *attr for a mode; false if the mode opens no event. */
static bool describe(const char *mode, struct perf_event_attr *attr)
{
    *attr = (struct perf_event_attr){ .size = sizeof(*attr),
                                      .type = PERF_TYPE_HARDWARE,
                                      .config = PERF_COUNT_HW_INSTRUCTIONS,
                                      .sample_type = PERF_SAMPLE_IP };
    if (strcmp(mode, "none") == 0) {
        return false;
    }
    if (strcmp(mode, "lbr") == 0) {
        attr->sample_period = LBR_PERIOD;
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL;
    } else if (strcmp(mode, "bts") == 0) {
        attr->type = bts_type();
        attr->config = 0;
        attr->sample_period = 1;
    } else if (strcmp(mode, "count") != 0) {
        attr->sample_period = strtoul(mode, NULL, 10);
        attr->precise_ip = 2;
    }
    return true;
}

static void *map(int fd, size_t bytes, int protection, size_t offset)
{
    void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);

    if (at == MAP_FAILED) {
        die("mmap");
    }
    return at;
}

static int run(char *const command[])
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        execvp(command[0], command);
        die(command[0]);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        die("fork");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int main(int argc, char **argv)
{
    struct perf_event_attr attr;
    uint64_t count = 0;
    bool seen;

    if (argc < 3) {
        fprintf(stderr, "usage: monitor MODE COMMAND..\n");
        return 3;
    }
    if (!describe(argv[1], &attr)) {
        return run(argv + 2);
    }
    const int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

    if (fd < 0) {
        die("perf_event_open");
    }
    struct perf_event_mmap_page *page = map(fd, PAGE + DATA_BYTES, PROT_READ | PROT_WRITE, 0);
    const uint8_t *data = (const uint8_t *)page + PAGE, *aux = NULL;

    if (strcmp(argv[1], "bts") == 0) {
        page->aux_offset = PAGE + DATA_BYTES;
        page->aux_size = AUX_BYTES;
        aux = map(fd, AUX_BYTES, PROT_READ, PAGE + DATA_BYTES); /* not writable: circular */
    }
    const int status = run(argv + 2);

    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (strcmp(argv[1], "count") == 0) {
        seen = read(fd, &count, sizeof(count)) == sizeof(count) && count > 0;
    } else if (aux != NULL) {
        seen = page->aux_head != 0 && memcmp(aux, aux + 1, AUX_BYTES / 2) != 0;
    } else {
        seen = page->data_head != 0;
    }
    if (strcmp(argv[1], "lbr") == 0) {
        seen = seen && data[FIRST_BRANCHES] > 0;
    }
    if (!seen) {
        fprintf(stderr, "monitor: nothing was recorded\n");
    }
    return seen ? status : 3;
}
