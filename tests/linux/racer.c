/* SPDX-License-Identifier: MIT */
/*
 * The program of tests/linux/witness-test. Two threads, interrupted by a timer's signals, increment a shared number
 * without a lock: what it prints differs in every run, because it depends on where each switch and signal came.
 * Argument: rounds of a thread.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile uint64_t shared, at_signal, signals;
static long rounds;

static void on_signal(int number)
{
    (void)number;
    signals++;
    at_signal = at_signal * 31 + shared;
}

__attribute__((noinline)) static uint64_t add(uint64_t x)
{
    return x + 0x9e3779b9;
}
__attribute__((noinline)) static uint64_t turn(uint64_t x)
{
    return x << 7 | x >> 57;
}
__attribute__((noinline)) static uint64_t fold(uint64_t x)
{
    return x & 1 ? turn(x) : add(x);
}
static uint64_t (*const volatile table[])(uint64_t) = { add, turn, fold };

static void *work(void *seed)
{
    uint64_t x = (uintptr_t)seed;
    for (long round = 0; round < rounds; round++) {
        const uint64_t before = shared;
        x = x * 6364136223846793005u + 1442695040888963407u;
        switch (x >> 60 & 7) {
        case 0:
            x = add(x);
            break;
        case 1:
            x = turn(x);
            break;
        case 2:
            x = table[x >> 40 & 1 ? 2 : x >> 41 & 1](x);
            break;
        case 3:
            x ^= x << 13;
            break;
        case 4:
            x ^= x >> 7;
            break;
        case 5:
            x = fold(fold(x));
            break;
        default:
            x = x * 5 + 1;
        }
        shared = before + 1 + (x >> 33 & 1);
    }
    return (void *)(uintptr_t)x;
}

int main(int count, char **words)
{
    pthread_t threads[2];
    void *ends[2];
    const struct itimerval often = { { 0, 50000 }, { 0, 50000 } };
    rounds = count > 1 ? atol(words[1]) : 1000;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &ends[i]);
    printf("shared %llu, %llu signals, at them %llx, ends %p %p\n", (unsigned long long)shared,
           (unsigned long long)signals, (unsigned long long)at_signal, ends[0], ends[1]);
    return 0;
}
