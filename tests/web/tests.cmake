# SPDX-License-Identifier: Apache-2.0
foreach(module listen connections request routes body daemon server)
  add_unit_test(web ${module})
endforeach()
