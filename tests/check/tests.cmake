# SPDX-License-Identifier: Apache-2.0
add_unit_test(check budget_report)
add_unit_test(check config_matches)
