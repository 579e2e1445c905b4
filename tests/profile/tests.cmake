# SPDX-License-Identifier: Apache-2.0
add_unit_test(profile store_model)
add_unit_test(profile difference m)
