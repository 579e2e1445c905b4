# SPDX-License-Identifier: Apache-2.0
add_unit_test(expose exposition)
add_unit_test(expose format)
add_unit_test(expose histogram)
add_unit_test(expose page)
add_unit_test(expose history_json PkgConfig::JANSSON m)
add_unit_test(expose json_text PkgConfig::JANSSON m)
add_unit_test(expose targets_json PkgConfig::JANSSON)
