/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The machine's accounts (nsswitch.conf(5)). They may be on the network, and an answer may take
 * minutes. Therefore a thread of its own asks for them; the caller waits a little, and then goes on
 * without an answer. There is one such thread at most, and none while there is nothing to ask.
 */

#include <stdint.h>
#include <sys/types.h>

/* With its NUL; LOGIN_NAME_MAX of Linux. Longer names are not known here. */
#define ACCOUNT_NAME_SIZE 256

enum name_outcome {
    NAME_FOUND = 0,
    NAME_UNKNOWN, /* there is no such account, or it cannot be asked for */
    NAME_LATE,    /* there is no answer yet: ask again later */
};

/* How accounts are looked up. Both may take any time. NAME_LATE: it is not possible now. */
struct name_ops {
    enum name_outcome (*name_of)(uid_t uid, char ret_name[ACCOUNT_NAME_SIZE]);
    enum name_outcome (*number_of)(const char *name, uid_t *ret_uid);
};

struct name_service;

/* The service of the machine. All share it, so that one thread at most hangs. Never freed. */
struct name_service *name_service_of_machine(void);

/* The same for the thread that looks up names of targets, since a service has one caller. */
struct name_service *name_service_of_lookups(void);

/* A service with other operations. NULL: no memory. */
struct name_service *name_service_new(const struct name_ops *ops);

/* Frees what name_service_new() has made, after its thread has ended. */
struct name_service *name_service_free(struct name_service *service);

/*
 * The name of a user, or the number of an account. Only the first call for a question waits for the
 * answer, for at most a tenth of a second. All calls together wait for at most a tenth of the time,
 * of which up to a second can be saved up; and nobody waits while the service hangs. An answer is
 * kept until it is asked for again, among the last 64 questions. If none of these has an answer
 * yet, no further question is taken. For one calling thread.
 */
enum name_outcome name_service_name_of(struct name_service *service, uid_t uid,
                                       char ret_name[ACCOUNT_NAME_SIZE]);
enum name_outcome name_service_number_of(struct name_service *service, const char *name,
                                         uid_t *ret_uid);

/* How many answers there were so far: when it grows, who was told NAME_LATE may ask again. */
uint64_t name_service_answers(const struct name_service *service);
