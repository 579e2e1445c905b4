# SPDX-License-Identifier: Apache-2.0
foreach(module listen listen_unix control control_routes connections peer room query request_target request_head request origin site body daemon server methods deferred upload stream shares negotiation compression forms form_readers)
  add_unit_test(web ${module})
endforeach()
in_kernel(web/body web/connections web/control web/control_routes web/daemon web/deferred web/shares web/form_readers web/forms web/listen
  web/listen_unix web/methods web/request web/site web/server web/stream web/upload)
foreach(module credentials password_thread rate_limit tls_channel tls_client tls_priorities verdicts)
  add_unit_test(web ${module} PkgConfig::CRYPT PkgConfig::GNUTLS PkgConfig::SYSTEMD Threads::Threads)
endforeach()
has_threads(web/body web/control web/control_routes web/deferred web/password_thread web/server
  web/shares web/site web/stream web/tls_channel web/upload)
