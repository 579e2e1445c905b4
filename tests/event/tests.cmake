# SPDX-License-Identifier: Apache-2.0
add_unit_test(event absence)
add_unit_test(event generic ${PFM_LIBRARY})
add_unit_test(event metric_name)
add_unit_test(event modifiers)
add_unit_test(event nearest)
add_unit_test(event pfm ${PFM_LIBRARY})
add_unit_test(event raw)
add_unit_test(event resolver ${PFM_LIBRARY})
