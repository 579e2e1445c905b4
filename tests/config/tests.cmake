# SPDX-License-Identifier: Apache-2.0
add_unit_test(config config)
add_unit_test(config config_default_cgroups)
add_unit_test(config config_errors PkgConfig::YAML)
add_unit_test(config config_events)
add_unit_test(config config_file Threads::Threads)
add_unit_test(config config_processes)
add_unit_test(config config_probes)
in_kernel(config/config_file)
