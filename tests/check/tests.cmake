# SPDX-License-Identifier: Apache-2.0
add_unit_test(check budget)
add_unit_test(check left_out)
add_unit_test(check matches)
add_unit_test(check series)
add_unit_test(check uncore)
