/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>

#include "support/fixture_tree.h"
#include "sys/interrupt.h"

/* The kernel lists them by name, in the order of their vectors. */
static void softirqs__have_the_names_of_proc_softirqs(void **state)
{
    FILE *file = fopen("/proc/softirqs", "re");
    char line[65536], name[16];
    uint32_t vector = 0;

    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file)); /* the CPUs */
    for (; fgets(line, sizeof(line), file); vector++) {
        assert_int_equal(sscanf(line, " %15[^:]:", name), 1);
        assert_non_null(softirq_name(vector));
        assert_string_equal(softirq_name(vector), name);
    }
    assert_int_equal(fclose(file), 0);
    assert_null(softirq_name(vector));
    assert_null(softirq_name(UINT32_MAX));
}

static void devices__are_those_that_handle_the_interrupt(void **state)
{
    struct fixture_tree sysfs = fixture_tree_open();
    char names[16] = "untouched";

    (void)state;
    fixture_tree_write(&sysfs, "kernel/irq/24/actions", "virtio0-input.0\n");
    fixture_tree_write(&sysfs, "kernel/irq/9/actions", "acpi,i801_smbus\n");
    fixture_tree_write(&sysfs, "kernel/irq/5/actions", "\n");
    fixture_tree_write(&sysfs, "kernel/irq/6/actions", "a name that is too long\n");
    assert_int_equal(interrupt_devices(sysfs.fd, 7, names, sizeof(names)), -ENOENT);
    assert_string_equal(names, "untouched");
    assert_int_equal(interrupt_devices(sysfs.fd, 9, names, sizeof(names)), -EFBIG);
    assert_int_equal(interrupt_devices(sysfs.fd, 6, names, sizeof(names)), -EFBIG);
    assert_int_equal(interrupt_devices(sysfs.fd, 5, names, sizeof(names)), -ENODATA);
    {
        char more[32];

        assert_int_equal(interrupt_devices(sysfs.fd, 24, more, sizeof(more)), 0);
        assert_string_equal(more, "virtio0-input.0");
        assert_int_equal(interrupt_devices(sysfs.fd, 9, more, sizeof(more)), 0);
        assert_string_equal(more, "acpi,i801_smbus");
    }
    fixture_tree_close(&sysfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softirqs__have_the_names_of_proc_softirqs),
        cmocka_unit_test(devices__are_those_that_handle_the_interrupt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
