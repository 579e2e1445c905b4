# SPDX-License-Identifier: Apache-2.0
add_unit_test(app collector)
add_unit_test(app config)
add_unit_test(app config_errors PkgConfig::YAML)
add_unit_test(app log Threads::Threads PkgConfig::JANSSON)
add_unit_test(app log_throttle)
add_unit_test(app options)
