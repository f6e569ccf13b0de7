/* SPDX-License-Identifier: MIT */
/* The tests of the kernels that this dsdump was built with: tools/test_list reads them from the ELFs. */
#ifndef TOOLS_TEST_LIST_H
#define TOOLS_TEST_LIST_H

/* "VERSION REVISION". */
extern const char test_list_version[];

/* The ids in the order of the kernel's table; the last is NULL. */
extern const char *const test_list_64[], *const test_list_32[];

#endif
