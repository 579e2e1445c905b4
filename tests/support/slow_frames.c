/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that is small, and whose unwind tables take long to read: within one function the
 * frame's size is said to change at each of very many instructions. It spins until it is killed, or
 * whoever started it ends.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static void __attribute__((noreturn, noinline)) spin(void)
{
    for (;;)
        __asm__ volatile(".cfi_remember_state\n"
                         ".rept 60000\n"
                         "nop\n"
                         ".cfi_adjust_cfa_offset 16\n"
                         "nop\n"
                         ".cfi_adjust_cfa_offset -16\n"
                         ".endr\n"
                         ".cfi_restore_state\n");
}

int main(void)
{
    const pid_t parent = getppid();

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        spin();
    return 1;
}
