# SPDX-License-Identifier: Apache-2.0
add_unit_test(service births_pace)
add_unit_test(service doubt_watch)
add_unit_test(service metrics_page Threads::Threads)
add_unit_test(service notify)
add_unit_test(service options)
add_unit_test(service schedule)
add_unit_test(service service_control PkgConfig::SYSTEMD)
in_kernel(service/service_control)
