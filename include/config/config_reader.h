/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "reader/object_reader.h"

/*
 * A reader of configurations, our own and that of the web: libyaml takes their text apart in a
 * worker. The process is called NAME_reader. As object_reader_new_for() says; 0 or -errno.
 */
int config_reader_new(const char *name, struct object_reader **ret_reader);
