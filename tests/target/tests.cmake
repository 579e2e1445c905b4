# SPDX-License-Identifier: Apache-2.0
add_unit_test(target cgroup_limits)
add_unit_test(target cgroup_live sys)
add_unit_test(target cgroup_path)
add_unit_test(target cgroup_rules)
add_unit_test(target cgroup_targets)
add_unit_test(target glob)
add_unit_test(target identity Threads::Threads)
add_unit_test(target keyed_hash)
