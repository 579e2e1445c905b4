# SPDX-License-Identifier: Apache-2.0
foreach(module listen listen_unix control control_routes connections peer room query request_target request_head request origin routes body daemon server)
  add_unit_test(web ${module})
endforeach()
in_kernel(web/body web/connections web/control web/control_routes web/daemon web/listen
  web/listen_unix web/request web/routes web/server)
