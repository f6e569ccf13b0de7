/* SPDX-License-Identifier: MIT */
/* dsdump --code: prints the results in the text of a code (docs/output.md, "The result as a code"). */
#ifndef TOOLS_RESULT_CODE_H
#define TOOLS_RESULT_CODE_H

/*
 * Prints the results in the texts of codes, and returns dsdump's exit status. A text "-" means all the texts in
 * standard input, such as a log. Texts of one run are joined.
 */
int result_code_print(char *const *texts, int count);

#endif
