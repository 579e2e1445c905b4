# SPDX-License-Identifier: Apache-2.0
add_unit_test(log log Threads::Threads PkgConfig::JANSSON)
add_unit_test(log log_throttle)
add_unit_test(log standard_streams)
in_kernel(log/log log/standard_streams)
has_threads(log/log)
