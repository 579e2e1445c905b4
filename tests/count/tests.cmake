# SPDX-License-Identifier: Apache-2.0
add_unit_test(count counter_set)
add_unit_test(count counter_pause)
add_unit_test(count delta)
add_unit_test(count direct)
add_unit_test(count event_group)
add_unit_test(count pmu_budget)
add_unit_test(count pmu_probe)
add_unit_test(count sample)
