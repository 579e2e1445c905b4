# SPDX-License-Identifier: Apache-2.0
add_unit_test(resolve mechanism_choice)
add_unit_test(resolve mechanism_size)
add_unit_test(resolve resolution_decide)
add_unit_test(resolve resolution_events)
add_unit_test(resolve resolution_fallback)
