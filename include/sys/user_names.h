/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of users by their number, from whatever the machine keeps them in
 * (sys/name_service.h). Asking may be slow, so each number is asked for once.
 */

#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/name_service.h"

struct user_names;

/* service: borrowed. 0 or -ENOMEM. */
int user_names_new(struct name_service *service, struct user_names **ret_names);
struct user_names *user_names_free(struct user_names *names);
DEFINE_AUTO(user_names, struct user_names *, user_names_free)

/*
 * Those of the machine, never to be freed, for one thread: what is known of it outlives a
 * configuration, so that a name service that does not answer takes no names away.
 */
struct user_names *user_names_of_machine(void);

/* Each is asked for once more, and what was answered stands until there is another answer. */
void user_names_doubt(struct user_names *names);

/*
 * The user's name, or the number in digits where there is none or it cannot be
 * asked for: what was answered once stays. ret_name is borrowed until the next call.
 * 0; NAME_LATE, with the number in digits: a name may be known later; -ENOMEM.
 */
int user_names_find(struct user_names *names, uid_t uid, const char **ret_name);
