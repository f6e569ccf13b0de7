/* SPDX-License-Identifier: MIT */
/* For the start and the end of a program: its standard descriptors. */
#ifndef TOOLS_STANDARD_H
#define TOOLS_STANDARD_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * If standard input, output or error is closed, the next opened file would get its number. Opens /dev/null there, for
 * the wrong direction: to read or write it is an error (EBADF), as on a closed descriptor.
 */
static inline void standard_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(2);
}

/* Writes what stdout still holds. Returns the status; if something could not be written, reports that and returns
 * `failed`. */
static inline int standard_end(const char *program, int status, int failed)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: standard output: cannot write: %s\n", program, errno ? strerror(errno) : "an earlier error");
    return failed;
}

#endif
