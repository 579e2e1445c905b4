/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kvm_exit_reasons.h"

#include <string.h>

#include "base/cleanup.h"
#include "support/check.h"

static void assert_name(uint32_t isa, uint32_t code, const char *name)
{
    char found[KVM_EXIT_REASON_SIZE];

    kvm_exit_reason_name(isa, code, found);
    assert_string_equal(found, name);
}

static void reason__has_the_name_that_perf_shows(void **state)
{
    (void)state;
    assert_name(KVM_ISA_SVM, 0x7b, "io");
    assert_name(KVM_ISA_SVM, 0x400, "npf");
    assert_name(KVM_ISA_VMX, 30, "IO_INSTRUCTION");
    assert_name(KVM_ISA_VMX, 48, "EPT_VIOLATION");
    assert_name(KVM_ISA_ARM64, 0, "IRQ");
    assert_name(KVM_ISA_ARM64, KVM_EXIT_TRAP | 0x24, "DABT_LOW");
    assert_name(KVM_ISA_ARM64, KVM_EXIT_TRAP | 1, "WFx");
}

static void reason__that_is_not_known_is_its_number(void **state)
{
    (void)state;
    assert_name(KVM_ISA_VMX, 0xffff, "0xffff");
    assert_name(KVM_ISA_SVM, 0x3ff, "0x3ff");
    assert_name(KVM_ISA_ARM64, KVM_EXIT_TRAP | 0x3f, "0x4000003f");
    assert_name(3, 30, "0x1e"); /* of a processor that we do not know */
}

/* Two reasons of one name would be one series. */
static void names__are_different_within_a_processor(void **state)
{
    static const struct {
        uint32_t isa, first;
    } ranges[] = {{KVM_ISA_VMX, 0},
                  {KVM_ISA_SVM, 0},
                  {KVM_ISA_SVM, 0x80000000},
                  {KVM_ISA_ARM64, 0},
                  {KVM_ISA_ARM64, KVM_EXIT_TRAP}};
    static char names[0x500][KVM_EXIT_REASON_SIZE];

    (void)state;
    for (size_t r = 0; r < ARRAY_SIZE(ranges); r++)
        for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
            kvm_exit_reason_name(ranges[r].isa, ranges[r].first + i, names[i]);
            for (uint32_t j = 0; j < i; j++)
                assert_string_not_equal(names[i], names[j]);
        }
}

#if defined(__x86_64__)

#include <asm/svm.h>
#include <asm/vmx.h>

/* Of the kernel's asm/kvm.h, whose other names we do not want. */
enum {
    DE_VECTOR,
    DB_VECTOR,
    BP_VECTOR = 3,
    OF_VECTOR,
    BR_VECTOR,
    UD_VECTOR,
    NM_VECTOR,
    DF_VECTOR,
    TS_VECTOR = 10,
    NP_VECTOR,
    SS_VECTOR,
    GP_VECTOR,
    PF_VECTOR,
    MF_VECTOR = 16,
    AC_VECTOR,
    MC_VECTOR,
    XM_VECTOR,
};

static void names__are_those_of_the_kernels_headers(void **state)
{
    static const struct {
        int64_t code;
        const char *name;
    } vmx[] = {VMX_EXIT_REASONS}, svm[] = {SVM_EXIT_REASONS};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(vmx); i++)
        assert_name(KVM_ISA_VMX, (uint32_t)vmx[i].code, vmx[i].name);
    for (size_t i = 0; i < ARRAY_SIZE(svm); i++)
        assert_name(KVM_ISA_SVM, (uint32_t)svm[i].code, svm[i].name);
}

#else

static void names__are_those_of_the_kernels_headers(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reason__has_the_name_that_perf_shows),
        cmocka_unit_test(reason__that_is_not_known_is_its_number),
        cmocka_unit_test(names__are_different_within_a_processor),
        cmocka_unit_test(names__are_those_of_the_kernels_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
