/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The functions of known_stacks.c and known_made.c. They are named in stacks, so that they are not
 * static. */

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* No part of it is built into another function. */
#if defined(__clang__)
#define KNOWN __attribute__((noinline))
#else
#define KNOWN __attribute__((noipa))
#endif

/* Behind a call, so that it does not become a jump. */
#define BEHIND_CALL() __asm__ volatile("" ::: "memory")

extern uint64_t turns_per_ms; /* of burn() */

void burn(uint64_t turns);
void calibrate(void);
void half(uint64_t turns);
void third(uint64_t turns);
void fifth(uint64_t turns);
void run_shares(uint64_t ms);
void with_alloca(size_t n, uint64_t turns);
void large_frame(size_t n, uint64_t turns);
void run_large(uint64_t ms);
void recurse(unsigned depth, uint64_t turns);
void run_recursion(uint64_t ms);
void run_deep(uint64_t ms);
void handler(int number, siginfo_t *information, void *context);
void trap(void);
void run_signal(uint64_t ms);
int tail_callee(uint64_t turns);
int tail_caller(uint64_t turns);
void run_tail(uint64_t ms);
_Noreturn void leave(uint64_t turns);
_Noreturn void call_last(uint64_t turns);
void run_noreturn(uint64_t ms);
void *in_thread(void *turns);
void run_threads(uint64_t ms);
void in_child(void);
void run_fork(uint64_t ms);
void call_plugin(const char *path, uint64_t turns);
void run_plugins(uint64_t ms);
void run_vdso(uint64_t ms);
void run_made(uint64_t ms);
void run_pushed(uint64_t ms);
void push_on(uint64_t left);
void run_pushed_deep(uint64_t ms);
void run_misleading(uint64_t ms);
