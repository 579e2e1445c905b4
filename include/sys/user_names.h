/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of users by their numbers, from the machine's accounts (sys/name_service.h). To ask may be
 * slow, and so each number is asked for once.
 */

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/name_service.h"

struct user_names;

/* service: borrowed for the object's life. 0 or -ENOMEM. */
int user_names_new(struct name_service *service, struct user_names **ret_names);
struct user_names *user_names_free(struct user_names *names);
DEFINE_AUTO(user_names, struct user_names *, user_names_free)

/*
 * The names of the machine's users, for one thread; never freed. They outlive a configuration, so
 * that no name is lost at a reload while the name service does not answer.
 */
struct user_names *user_names_of_machine(void);

/* Has each number asked for once more. The known names stand until there is another answer. */
void user_names_doubt(struct user_names *names);

/*
 * The user's name, or the number in digits if there is no name or it cannot be asked for. An answer
 * is kept. *ret_name is borrowed until the next call. 0; NAME_LATE, with the number in digits: the
 * name may be known later; -ENOMEM.
 */
int user_names_find(struct user_names *names, uid_t uid, const char **ret_name);

/* How many answers the name service has given (name_service_answers()). */
uint64_t user_names_answers(const struct user_names *names);
