/* SPDX-License-Identifier: MIT */
/*
 * The program of tests/linux/witness-test. Two threads, interrupted by signals, add to a shared number without a lock.
 * What it prints depends on where each switch and signal arrived. Argument: rounds of a thread.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile uint64_t shared, at_signal;
static long rounds;

static void on_signal(int number)
{
    (void)number;
    at_signal = at_signal * 31 + shared;
}

__attribute__((noinline)) static uint64_t add(uint64_t x)
{
    return x + 0x9e3779b9;
}
__attribute__((noinline)) static uint64_t fold(uint64_t x)
{
    return x & 1 ? add(x) : x * 3;
}
static uint64_t (*const volatile table[])(uint64_t) = { add, fold };

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
            x = table[x >> 40 & 1](x);
            break;
        case 2:
            x ^= x << 13;
            break;
        case 3:
            x ^= x >> 7;
            break;
        case 4:
            x = fold(fold(x));
            break;
        default:
            x = x * 5 + 1;
        }
        shared = before + (x >> 33 & 1);
    }
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[2];
    const struct itimerval often = { { 0, 50000 }, { 0, 50000 } };
    rounds = count > 1 ? atol(words[1]) : 1000;
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("shared %llu, at signals %llx\n", (unsigned long long)shared, (unsigned long long)at_signal);
    return 0;
}
