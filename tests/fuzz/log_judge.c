/* SPDX-License-Identifier: MIT */
/* Input: a log. Its judgement does not depend on the pieces in which it is read, nor on what a terminal adds. */
#include "tests/fuzz/fuzz.h"
#include "tools/lib/log_judge.h"

static void check_text(const char *text)
{
    REQUIRE(strlen(text) < LOG_PROBLEM_SIZE);
    for (; *text; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void on_problem(void *context, uint64_t line, const char *text)
{
    REQUIRE(text[0] != '\0' && line <= 0x10000);
    check_text(text);
    ++*(unsigned *)context;
}

/* Judges the log in pieces of this size. Every line gets text before and after it. */
static enum log_status judged(const uint8_t *data, size_t size, size_t piece, const char *before, const char *after,
                              unsigned *problems)
{
    static struct log_judge *judge;

    if (!judge)
        judge = malloc(log_judge_size());
    REQUIRE(judge != NULL);
    *problems = 0;
    log_judge_init(judge, on_problem, problems);
    log_judge_read(judge, before, strlen(before));
    for (size_t at = 0, length; at < size; at += length) {
        const uint8_t *const newline = memchr(data + at, '\n', size - at);
        length = newline == data + at ? 1 : newline ? (size_t)(newline - data) - at : size - at;
        length = length < piece ? length : piece;
        if (newline == data + at)
            log_judge_read(judge, after, strlen(after));
        log_judge_read(judge, (const char *)data + at, length);
        if (newline == data + at)
            log_judge_read(judge, before, strlen(before));
    }
    const enum log_status status = log_judge_end(judge);
    REQUIRE((status == LOG_UNUSABLE) == (*problems > 0));
    REQUIRE(strcmp(log_status_text(status), "") != 0);
    check_text(log_judge_reason(judge));
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned problems, again;
    const enum log_status status = judged(data, size, size + 1, "", "", &problems);

    REQUIRE(judged(data, size, 1 + size % 7, "", "", &again) == status && again == problems);
    REQUIRE(judged(data, size, size + 1, "\x1b[0m\x1b[1;37m", "\x1b[K \r", &again) == status && again == problems);
    return 0;
}
