/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What the keys of the program for interrupts mean (sys/bpf/keyed.h). The program in the kernel and
 * user space share it.
 *
 * The slot is always that of the rest: interrupts belong to a CPU, and not to who happens to run
 * there. The subject is the vector of a softirq, or the number of an interrupt (irq). Each CPU has
 * cells of its own, so that no two CPUs write to the same one; who reads them adds them up.
 *
 * Tally 0 counts them, and distribution 0 has how long they took. The time of a softirq contains
 * that of the interrupts that came while it ran.
 *
 * Of an interrupt (irq) what is counted is the run of a handler. Where devices share a line, each
 * of them has a handler, and all of them run for one interrupt: then there are more of them than
 * /proc/interrupts counts. Interrupts that have no handler of a device, such as those of a CPU's
 * own timer on x86 and those by which CPUs call each other, have no number and are not counted.
 *
 * A kernel that does not run the tracepoints of some processes (sys/bpf/switch/program.h, hidden
 * switches) does not tell what comes while one of those runs either.
 */
#define INTERRUPTS_SOFTIRQ 0 /* kinds */
#define INTERRUPTS_HARDIRQ 1

#define INTERRUPTS_CPU_SHIFT         8
#define INTERRUPTS_DETAIL(kind, cpu) ((kind) | (cpu) << INTERRUPTS_CPU_SHIFT)
#define INTERRUPTS_KIND(detail)      ((detail) & ((1u << INTERRUPTS_CPU_SHIFT) - 1))
#define INTERRUPTS_CPU(detail)       ((detail) >> INTERRUPTS_CPU_SHIFT)

#define INTERRUPTS_TALLY 0

/* The first bucket of the distribution counts up to 2^this s, 119 ns. */
#define INTERRUPTS_FIRST_EXPONENT (-23)
