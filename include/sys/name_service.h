/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the machine keeps its accounts in (nsswitch.conf(5)). That may be on the network, and not
 * answer for minutes; so it is asked by a thread of its own, and who wants to know waits a little
 * and then does without. One thread at a time asks, and there is none while nothing is asked.
 */

#include <sys/types.h>

/* With its NUL; LOGIN_NAME_MAX of Linux. Longer names are not known here. */
#define ACCOUNT_NAME_SIZE 256

enum name_outcome {
    NAME_FOUND = 0,
    NAME_UNKNOWN, /* there is none, or it cannot be asked for */
    NAME_LATE,    /* there is no answer yet: ask again */
};

/* Who answers. Both may take as long as they like; NAME_LATE: it cannot be asked at this moment. */
struct name_ops {
    enum name_outcome (*name_of)(uid_t uid, char ret_name[ACCOUNT_NAME_SIZE]);
    enum name_outcome (*number_of)(const char *name, uid_t *ret_uid);
};

struct name_service;

/* That of the machine, which all of the process share: a thread that hangs is one at most. */
struct name_service *name_service_of_machine(void);

/* Another one; NULL if there is no memory. */
struct name_service *name_service_new(const struct name_ops *ops);

/* Waits for what is being asked. Not for that of the machine. */
struct name_service *name_service_free(struct name_service *service);

/*
 * The name of a user, or the number of an account. The answer is waited for once, by who asks
 * first, for a tenth of a second at most; whoever asks for whatever, for a tenth of the time, of
 * which up to a second is saved up; and not at all while the service hangs. It is kept until it is
 * asked for again, among the last 64; where all of these have no answer yet, nothing more is asked.
 * For one thread.
 */
enum name_outcome name_service_name_of(struct name_service *service, uid_t uid,
                                       char ret_name[ACCOUNT_NAME_SIZE]);
enum name_outcome name_service_number_of(struct name_service *service, const char *name,
                                         uid_t *ret_uid);
