# SPDX-License-Identifier: Apache-2.0
add_unit_test(log log Threads::Threads PkgConfig::JANSSON)
add_unit_test(log log_throttle)
in_kernel(log/log)
