# SPDX-License-Identifier: Apache-2.0
add_unit_test(run event_names)
add_unit_test(run mean)
add_unit_test(run recording PkgConfig::JANSSON m)
add_unit_test(run request)
add_unit_test(run schedule_report)
add_unit_test(run schedule_trace)
add_unit_test(run session)
in_kernel(run/session)
