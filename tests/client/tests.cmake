# SPDX-License-Identifier: Apache-2.0
add_unit_test(client client PkgConfig::JANSSON Threads::Threads)
add_unit_test(client event_stream)
add_unit_test(client targets PkgConfig::JANSSON)
