# SPDX-License-Identifier: Apache-2.0
add_unit_test(history column_code)
add_unit_test(history chunk)
add_unit_test(history store)
add_unit_test(history history)
add_unit_test(history vault)
add_unit_test(history churn)
