# SPDX-License-Identifier: Apache-2.0
add_unit_test(base keyed_hash)
add_unit_test(base cleanup)
add_unit_test(base clock)
add_unit_test(base number_text m)
add_unit_test(base parse)
add_unit_test(base suggest)
add_unit_test(base text)
add_unit_test(base utf8)
