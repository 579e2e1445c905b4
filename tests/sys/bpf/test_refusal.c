/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/refusal.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "support/check.h"
#include "support/need_root.h"
#include "support/refused_call.h"

static void text__each_reason_has_words_of_its_own(void **state)
{
    (void)state;
    for (enum bpf_refusal a = 0; a < BPF_REFUSAL_COUNT_; a++) {
        assert_non_null(bpf_refusal_text(a));
        for (enum bpf_refusal b = 0; b < a; b++)
            assert_string_not_equal(bpf_refusal_text(a), bpf_refusal_text(b));
    }
}

/* Linux on arm64 before 5.18 answers so to atomic operations whose result is asked for. */
static void find__tells_a_jit_that_lacks_instructions_from_who_forbids(void **state)
{
    (void)state;
    assert_int_equal(bpf_refusal_find(-524), BPF_REFUSAL_NO_JIT);
}

static void is_locked__only_where_memory_is_kept_from_root(void **state)
{
    (void)state;
    assert_false(bpf_refusal_is_locked("[none] integrity confidentiality\n"));
    assert_false(bpf_refusal_is_locked("none [integrity] confidentiality\n"));
    assert_true(bpf_refusal_is_locked("none integrity [confidentiality]\n"));
    assert_false(bpf_refusal_is_locked(""));
}

static void has_capabilities__wants_all_of_them_effective(void **state)
{
    const char *status = "Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t000000c000000000\n";

    (void)state;
    assert_true(bpf_refusal_has_capabilities(status, UINT64_C(0xc000000000)));
    assert_true(bpf_refusal_has_capabilities(status, UINT64_C(0x8000000000)));
    assert_false(bpf_refusal_has_capabilities(status, UINT64_C(0xc000000001)));
    assert_false(bpf_refusal_has_capabilities("Name:\tx\n", 1));
}

static void find__names_the_filter_of_a_container(void **state)
{
    (void)state;
    need_root("the capabilities that programs take come first");
    assert_int_equal(bpf_refusal_find(-EPERM), BPF_REFUSAL_FORBIDDEN);
    refuse_call(SYS_bpf, EPERM);
    assert_int_equal(bpf_refusal_find(-EPERM), BPF_REFUSAL_SECCOMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__each_reason_has_words_of_its_own),
        cmocka_unit_test(find__tells_a_jit_that_lacks_instructions_from_who_forbids),
        cmocka_unit_test(is_locked__only_where_memory_is_kept_from_root),
        cmocka_unit_test(has_capabilities__wants_all_of_them_effective),
        cmocka_unit_test(find__names_the_filter_of_a_container),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
