# SPDX-License-Identifier: Apache-2.0
add_unit_test(expose exposition)
add_unit_test(expose targets_json PkgConfig::JANSSON)
