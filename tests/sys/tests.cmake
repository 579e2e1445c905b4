# SPDX-License-Identifier: Apache-2.0
add_unit_test(sys cgroup_root)
add_unit_test(sys cpu_list)
add_unit_test(sys cpu_topology)
add_unit_test(sys directory_watch)
add_unit_test(sys pmu)
add_unit_test(sys self Threads::Threads)
add_unit_test(sys service_manager)
add_unit_test(sys thread_cpus)
