/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name that no user has costs a hash too: that of one of the users, always the same one for a
 * name, so that neither the time nor its spread tells who is there. What was right once is known
 * by its digest, and costs none.
 *
 * The header with the password is wiped as soon as it is read, in the memory of libmicrohttpd.
 */
#include "web/gate.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/wake.h"

int gate_init(struct gate *gate)
{
    *gate = (struct gate){.is_made = true, .event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    (void)pthread_mutex_init(&gate->lock, NULL);
    return gate->event_fd < 0 ? -errno : verdicts_init(&gate->verdicts);
}

void gate_done(struct gate *gate)
{
    if (!gate->is_made)
        return;
    gate->passwords = password_thread_free(gate->passwords);
    gate->protection = protection_unref(gate->protection);
    gate->next = protection_unref(gate->next);
    (void)pthread_mutex_destroy(&gate->lock);
    if (gate->event_fd >= 0)
        (void)close(TAKE_FD(gate->event_fd));
    explicit_bzero(&gate->verdicts, sizeof(gate->verdicts));
}

int gate_fd(const struct gate *gate)
{
    return gate->event_fd;
}

static void count(_Atomic uint64_t *counter)
{
    (void)atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void resume(struct password_job *job)
{
    job->connection->awaits_us = false;
    MHD_resume_connection(job->mhd);
}

static void take_from_list(struct gate *gate, const struct password_job *job)
{
    struct password_job **place = &gate->asked;

    while (*place && *place != job)
        place = &(*place)->next_asked;
    if (*place)
        *place = job->next_asked;
}

static bool collect(struct gate *gate)
{
    bool any = false;
    struct password_job *taken;

    while (gate->passwords && (taken = password_thread_take(gate->passwords))) {
        AUTO(password_job) struct password_job *job = taken;

        take_from_list(gate, job);
        count(&gate->hashes);
        if (job->is_right) {
            verdicts_add(&gate->verdicts, job->digest);
        } else {
            job->connection->refusal = ANSWER_UNAUTHORIZED;
            count(&gate->unauthorized);
        }
        resume(job);
        any = true;
    }
    return any;
}

static bool take_protection(struct gate *gate)
{
    bool has;

    (void)pthread_mutex_lock(&gate->lock);
    has = gate->has_next;
    if (has) {
        gate->protection = protection_unref(gate->protection);
        gate->protection = TAKE(gate->next);
        gate->has_next = false;
    }
    (void)pthread_mutex_unlock(&gate->lock);
    return has;
}

unsigned gate_turn(struct gate *gate)
{
    eventfd_t value;

    (void)eventfd_read(gate->event_fd, &value);
    return (collect(gate) ? GATE_RESUMED : 0) | (take_protection(gate) ? GATE_PROTECTED : 0);
}

/* Finds the hash with which a password is compared. Returns false if the name is unknown. */
static bool find_hash(const struct gate *gate, const char *name, const char **ret_hash)
{
    const struct protection *const protection = gate->protection;
    const size_t n = protection->n_users;
    const size_t drawn = n > 0 ? verdicts_number(&gate->verdicts, name) % n : 0;
    size_t found = n;

    for (size_t i = 0; i < n; i++) /* all, whoever it is */
        if (strcmp(protection->users[i].name, name) == 0)
            found = i;
    *ret_hash = protection->users[found < n ? found : drawn].value;
    return found < n;
}

static enum answer give(struct gate *gate, struct password_job *job)
{
    AUTO(password_job) struct password_job *own = job;

    if (!gate->passwords && password_thread_new(gate->event_fd, &gate->passwords) < 0)
        return ANSWER_PASSWORDS_BUSY;
    own->next_asked = gate->asked;
    if (password_thread_give(gate->passwords, job) < 0)
        return ANSWER_PASSWORDS_BUSY;
    gate->asked = TAKE(own);
    job->connection->awaits_us = job->connection->at_gate = true;
    MHD_suspend_connection(job->mhd);
    return ANSWER_NONE;
}

/* Has the password hashed; the client waits. */
static enum answer have_hashed(struct gate *gate, struct MHD_Connection *mhd,
                               struct connection *connection, const struct credentials *credentials,
                               const char *hash, bool is_known)
{
    struct password_job *const job = calloc(1, sizeof(*job));

    if (!job)
        return ANSWER_PASSWORDS_BUSY;
    job->mhd = mhd;
    job->connection = connection;
    job->is_unknown = !is_known;
    (void)stpcpy(job->password, credentials->password);
    (void)stpcpy(job->hash, hash);
    if (verdicts_digest(&gate->verdicts, credentials, hash, job->digest) < 0) {
        (void)password_job_free(job);
        return ANSWER_PASSWORDS_BUSY;
    }
    if (is_known && verdicts_know(&gate->verdicts, job->digest)) {
        (void)password_job_free(job);
        return ANSWER_NONE;
    }
    return give(gate, job);
}

/*
 * Takes name and password from the request, and wipes them there. What is no Basic header, and what
 * no user can have, is looked for as a name that is unknown, so that it costs the same.
 */
static bool take_credentials(struct MHD_Connection *mhd, struct credentials *ret_credentials)
{
    const char *const header =
        MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

    *ret_credentials = (struct credentials){0};
    if (!header)
        return false;
    (void)credentials_parse(header, ret_credentials);
    explicit_bzero((char *)(uintptr_t)header, strlen(header));
    return true;
}

static enum answer ask_user(struct gate *gate, struct MHD_Connection *mhd,
                            struct connection *connection)
{
    struct credentials credentials __attribute__((cleanup(credentials_wipe)));
    const char *hash;
    bool is_known;

    if (!take_credentials(mhd, &credentials)) {
        count(&gate->unauthorized);
        return ANSWER_UNAUTHORIZED;
    }
    is_known = find_hash(gate, credentials.name, &hash);
    return have_hashed(gate, mhd, connection, &credentials, hash, is_known);
}

enum answer gate_ask(struct gate *gate, struct MHD_Connection *mhd, struct connection *connection)
{
    const struct protection *const protection = gate->protection;

    connection->refusal = ANSWER_NONE;
    connection->at_gate = false;
    if (!protection || connection->on_control)
        return ANSWER_NONE;
    if (protection->rate_interval_ns > 0 &&
        !rate_limit_take(&gate->rate, protection->rate_interval_ns, protection->rate_burst,
                         clock_monotonic_ns())) {
        count(&gate->limited);
        return ANSWER_RATE_LIMITED;
    }
    return protection->n_users > 0 ? ask_user(gate, mhd, connection) : ANSWER_NONE;
}

enum answer gate_leave(struct connection *connection)
{
    connection->at_gate = false;
    return connection->refusal;
}

void gate_resume_all(struct gate *gate)
{
    for (struct password_job *job = TAKE(gate->asked); job; job = job->next_asked) {
        job->connection->refusal = ANSWER_PASSWORDS_BUSY;
        resume(job);
    }
}

void gate_protect(struct gate *gate, struct protection *protection)
{
    (void)pthread_mutex_lock(&gate->lock);
    gate->next = protection_unref(gate->next);
    gate->next = protection;
    gate->has_next = true;
    (void)pthread_mutex_unlock(&gate->lock);
    wake(gate->event_fd);
}

void gate_status(const struct gate *gate, struct http_status *ret_status)
{
    ret_status->password_hashes = atomic_load_explicit(&gate->hashes, memory_order_relaxed);
    ret_status->unauthorized = atomic_load_explicit(&gate->unauthorized, memory_order_relaxed);
    ret_status->rate_limited = atomic_load_explicit(&gate->limited, memory_order_relaxed);
}
