/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMUs that this host lacks, in which the plugin refuses to be loaded. It calls none of their functions until then:
 * the linker leaves them unresolved (mk/host-test.mk). tests/qemu/options.t has other refusals.
 */
#define _GNU_SOURCE
#include "tests/host/unit_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "model/qemu/qemu_abi.h"

#define EXPORT __attribute__((visibility("default")))

QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

EXPORT bool tcg_allowed = true;

static struct qemu_info supported(void)
{
    return (struct qemu_info){ "x86_64", { 2, 7 }, true, { 1, 2 } };
}

/* Loads the plugin into such a QEMU, in a child process, and expects this sentence. Ignores lines of libraries. */
static void refused(struct qemu_info info, const char *sentence)
{
    char *argv[] = { (char *)(uintptr_t) "profile=skylake" }, said[1024];
    int ends[2], status;
    size_t length = 0;
    ssize_t size;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        qemu_plugin_install(7, &info, 1, argv);
        _exit(7);
    }
    close(ends[1]);
    while ((size = read(ends[0], said + length, sizeof(said) - 1 - length)) > 0)
        length += (size_t)size;
    close(ends[0]);
    said[length] = '\0';
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    for (char *line = said, *end; *line != '\0';) {
        end = line + strcspn(line, "\n");
        end += *end != '\0';
        if (strncmp(line, "dsmodel: ", strlen("dsmodel: ")) == 0)
            line = end;
        else
            memmove(line, end, strlen(end) + 1);
    }
    assert_string_equal(said, sentence);
}

UNIT_TEST(refused_qemus)
{
    struct qemu_info info = supported();

    info.version.cur = 6;
    refused(info, "dsmodel: this QEMU lacks version 7 of the plugin interface: use QEMU 11.1\n");
    info = supported();
    info.version.min = 8;
    info.version.cur = 9;
    refused(info, "dsmodel: this QEMU lacks version 7 of the plugin interface: use QEMU 11.1\n");
    info = supported();
    info.system_emulation = false;
    refused(info,
            "dsmodel: this QEMU, for target x86_64, is not supported: use qemu-system-x86_64 or qemu-system-i386\n");
    info = supported();
    info.target_name = "aarch64";
    refused(info,
            "dsmodel: this QEMU, for target aarch64, is not supported: use qemu-system-x86_64 or qemu-system-i386\n");
    tcg_allowed = false;
    refused(supported(), "dsmodel: this QEMU accelerator is not supported: start QEMU with -accel tcg\n");
}
