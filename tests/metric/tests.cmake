# SPDX-License-Identifier: Apache-2.0
add_unit_test(metric account)
add_unit_test(metric builtin_ratios)
add_unit_test(metric catalogue)
add_unit_test(metric formula m)
add_unit_test(metric plan)
add_unit_test(metric plan_cpu_time)
add_unit_test(metric roster)
add_unit_test(metric snapshot Threads::Threads)
