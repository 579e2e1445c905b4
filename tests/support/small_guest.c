/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A guest of KVM whose exits are known.
 *
 *     small_guest N
 *
 * One vCPU leaves N times for the same reason: on x86 it writes to a port (io, IO_INSTRUCTION), on
 * arm64 to an address where no memory is (DABT_LOW); then it has done. Prints "vcpu N", how often
 * this process was asked to do the write, and "took N", the ns of all of them. Status 77 and a
 * reason where there is no KVM.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MEMORY 0x10000
#define AT     0x80000000u /* of arm64: where the memory is; the end of it is where writes go */
#define ENOUGH 100000

static void fail(const char *what)
{
    (void)fprintf(stderr, "small_guest: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int ask(int fd, unsigned long request, void *argument)
{
    const int r = ioctl(fd, request, argument);

    if (r < 0)
        fail("ioctl");
    return r;
}

#if defined(__x86_64__)

#define BASE 0

/* movl $n, %ecx; again: out %al, $0x10; decl %ecx; jnz again; hlt */
static void write_code(uint8_t *memory, uint32_t n)
{
    const uint8_t code[] = {0x66,
                            0xb9,
                            (uint8_t)n,
                            (uint8_t)(n >> 8),
                            (uint8_t)(n >> 16),
                            (uint8_t)(n >> 24),
                            0xe6,
                            0x10,
                            0x66,
                            0x49,
                            0x75,
                            0xfa,
                            0xf4};

    memcpy(memory, code, sizeof(code));
}

static void begin(int vm, int vcpu, uint32_t n)
{
    struct kvm_sregs sregs;
    struct kvm_regs regs = {.rflags = 2};

    (void)vm, (void)n;
    ask(vcpu, KVM_GET_SREGS, &sregs);
    sregs.cs.base = sregs.cs.selector = 0;
    ask(vcpu, KVM_SET_SREGS, &sregs);
    ask(vcpu, KVM_SET_REGS, &regs);
}

/* 1: a write; 0: it has done; -1: something else. */
static int look(const struct kvm_run *run)
{
    return run->exit_reason == KVM_EXIT_IO ? 1 : run->exit_reason == KVM_EXIT_HLT ? 0 : -1;
}

#elif defined(__aarch64__)

#define BASE AT

/* again: str w0, [x1]; subs x0, x0, #1; b.ne again; str w0, [x1, #4]; b . */
static void write_code(uint8_t *memory, uint32_t n)
{
    static const uint32_t code[] = {0xb9000020, 0xf1000400, 0x54ffffc1, 0xb9000420, 0x14000000};

    (void)n;
    memcpy(memory, code, sizeof(code));
}

static void set_register(int vcpu, uint64_t number, uint64_t value)
{
    struct kvm_one_reg one = {.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | number,
                              .addr = (uintptr_t)&value};

    ask(vcpu, KVM_SET_ONE_REG, &one);
}

static void begin(int vm, int vcpu, uint32_t n)
{
    struct kvm_vcpu_init init;

    ask(vm, KVM_ARM_PREFERRED_TARGET, &init);
    ask(vcpu, KVM_ARM_VCPU_INIT, &init);
    set_register(vcpu, KVM_REG_ARM_CORE_REG(regs.regs[0]), n);
    set_register(vcpu, KVM_REG_ARM_CORE_REG(regs.regs[1]), AT + MEMORY);
    set_register(vcpu, KVM_REG_ARM_CORE_REG(regs.pc), AT);
}

static int look(const struct kvm_run *run)
{
    if (run->exit_reason != KVM_EXIT_MMIO)
        return -1;
    return run->mmio.phys_addr == AT + MEMORY;
}

#endif

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const uint32_t n = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : ENOUGH;
    const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    struct kvm_userspace_memory_region region = {.guest_phys_addr = BASE, .memory_size = MEMORY};
    const struct kvm_run *run;
    uint8_t *memory;
    uint32_t seen = 0;
    uint64_t began;
    int vm, vcpu, what;

    if (kvm < 0) {
        printf("/dev/kvm: %s\n", strerror(errno));
        return 77;
    }
    vm = ask(kvm, KVM_CREATE_VM, NULL);
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("memory");
    write_code(memory, n);
    region.userspace_addr = (uintptr_t)memory;
    ask(vm, KVM_SET_USER_MEMORY_REGION, &region);
    vcpu = ask(vm, KVM_CREATE_VCPU, NULL);
    run = mmap(NULL, (size_t)ask(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL), PROT_READ | PROT_WRITE,
               MAP_SHARED, vcpu, 0);
    if (run == MAP_FAILED)
        fail("vcpu");
    begin(vm, vcpu, n);
    began = now_ns();
    do {
        if (ioctl(vcpu, KVM_RUN, NULL) < 0 && errno != EINTR)
            fail("run");
        what = look(run);
        seen += what > 0;
    } while (what > 0);
    if (what < 0) {
        printf("the guest ended with %u\n", run->exit_reason);
        return 1;
    }
    printf("vcpu %u\ntook %" PRIu64 "\n", seen, now_ns() - began);
    return seen == n ? 0 : 1;
}
