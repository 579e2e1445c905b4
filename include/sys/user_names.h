/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of users by their number, from whatever the machine keeps them in
 * (nsswitch.conf(5)). Asking may be slow, so each number is asked for once.
 */

#include <sys/types.h>

#include "base/cleanup.h"

struct user_names;

int user_names_new(struct user_names **ret_names); /* 0 or -ENOMEM */
struct user_names *user_names_free(struct user_names *names);
DEFINE_AUTO(user_names, struct user_names *, user_names_free)

/*
 * The user's name, or the number in digits where there is none or it cannot be
 * asked for: what was answered once stays. ret_name is borrowed until the next call.
 * 0 or -ENOMEM.
 */
int user_names_find(struct user_names *names, uid_t uid, const char **ret_name);
