/* SPDX-License-Identifier: Apache-2.0 */

/* A store of profiles that ends, and the next one, with a real historian and disk between them. */
#include "support/check.h"

#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "profile/tree.h"
#include "service/profile_keeper.h"

#define SECOND      NS_PER_SECOND
#define MINUTE      (60 * SECOND)
#define HOUR        (60 * MINUTE)
#define BEGIN       (UINT64_C(20000) * 24 * HOUR)
#define PATIENCE_MS 60000

struct service {
    struct history *history;
    struct profile_keeper *keeper;
    struct profile_store *store;
    int bell_fd;
};

static char directory[] = "/tmp/test_profile_keeper.XXXXXX";

static void begin(struct service *service, uint64_t now_ns)
{
    const struct profile_limits limits = {
        .nodes = 1000, .functions = 500, .slice_bytes = 1 << 20, .recent = 100, .targets = 10};
    const struct history_options options = {
        .directory = directory,
        .limits = {.full_ns = HOUR, .ten_seconds_ns = HOUR, .minutes_ns = HOUR, .bytes = 1 << 26}};

    assert_int_equal(history_new(&options, &service->history), 0);
    service->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(service->bell_fd >= 0);
    service->keeper = profile_keeper_new(service->history, service->bell_fd);
    service->store = profile_store_new(&limits, 100);
    assert_non_null(service->keeper);
    assert_non_null(service->store);
    profile_store_tick(service->store, now_ns);
}

static void end_store(struct service *service)
{
    profile_keeper_end(service->keeper, service->store);
    service->store = profile_store_free(service->store);
}

/* In the order of the service: the historian does what is left before the keeper goes. */
static void end(struct service *service, bool keeps)
{
    if (keeps)
        end_store(service);
    service->history = history_free(service->history);
    service->keeper = profile_keeper_free(service->keeper);
    service->store = profile_store_free(service->store);
    (void)close(service->bell_fd);
}

static void add(struct service *service, uint64_t time_ns, const char *name, size_t n)
{
    const uint32_t function = profile_store_function(service->store, PROFILE_USER, "program", name);

    for (size_t i = 0; i < n; i++)
        profile_store_add(service->store, 0, time_ns,
                          &(struct profile_stack){&function, 1, PROFILE_NO_PLACE});
}

static uint64_t samples(const struct service *service, uint64_t from_ns, uint64_t to_ns)
{
    const struct profile_range range = {
        .scope = PROFILE_MACHINE, .label = "", .from_ns = from_ns, .to_ns = to_ns};
    AUTO(profile_tree) struct profile_tree *tree = NULL;

    return profile_store_collect(service->store, &range, &tree) == 0 ? tree->nodes[0].total : 0;
}

/* On the historian's thread, after all that was asked of it before. */
static void ring(struct history_store *history, void *context)
{
    const uint64_t one = 1;

    (void)history;
    (void)!write(*(int *)context, &one, sizeof(one));
}

/* Waits until the historian has done what it was asked for. */
static void wait_for_historian(struct service *service)
{
    int done_fd = eventfd(0, EFD_CLOEXEC);
    struct pollfd done = {.fd = done_fd, .events = POLLIN};
    uint64_t number;

    assert_true(done_fd >= 0);
    while (history_submit(service->history, ring, &done_fd) < 0)
        (void)poll(NULL, 0, 1); /* it has no room for another one */
    assert_int_equal(poll(&done, 1, PATIENCE_MS), 1);
    assert_int_equal(read(done_fd, &number, sizeof(number)), sizeof(number));
    (void)close(done_fd);
}

/* Turns until the historian has nothing more to tell. */
static void turn(struct service *service)
{
    uint64_t number;

    do {
        for (unsigned i = 0; i < 300; i++) /* a minute or an hour at most is kept by each */
            profile_keeper_turn(service->keeper, service->store);
        wait_for_historian(service);
    } while (read(service->bell_fd, &number, sizeof(number)) > 0);
}

static void load(struct service *service, uint64_t from_ns, uint64_t to_ns, uint64_t expected)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_MS * UINT64_C(1000000);

    do
        turn(service);
    while (samples(service, from_ns, to_ns) < expected && clock_monotonic_ns() < end_ns);
    assert_int_equal(samples(service, from_ns, to_ns), expected);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(directory, sizeof(directory), "/tmp/test_profile_keeper.XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void what_was_sampled__is_there_after_a_restart(void **state)
{
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    add(&service, BEGIN + SECOND, "first", 3);
    profile_store_tick(service.store, BEGIN + 2 * MINUTE);
    turn(&service);
    add(&service, BEGIN + 2 * MINUTE, "open", 4);
    end(&service, true);

    begin(&service, BEGIN + 2 * MINUTE + 30 * SECOND); /* in the minute that was open */
    load(&service, BEGIN, BEGIN + HOUR, 7);
    add(&service, BEGIN + 2 * MINUTE + 40 * SECOND, "open", 8);
    end(&service, true);

    begin(&service, BEGIN + 10 * MINUTE); /* nothing is there twice */
    load(&service, BEGIN, BEGIN + HOUR, 15);
    end(&service, true);
}

static void whoever_is_killed__loses_two_minutes_at_most(void **state)
{
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    for (unsigned i = 0; i < 5; i++) {
        profile_store_tick(service.store, BEGIN + i * MINUTE + 30 * SECOND);
        add(&service, BEGIN + i * MINUTE + 30 * SECOND, "main", 1);
        turn(&service);
    }
    end(&service, false);

    begin(&service, BEGIN + 10 * MINUTE);
    load(&service, BEGIN, BEGIN + HOUR, 3);
    end(&service, false);
}

static void hours__replace_their_minutes(void **state)
{
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    for (unsigned i = 0; i < 30; i++) {
        add(&service, BEGIN + i * MINUTE + SECOND, "main", 1);
        profile_store_tick(service.store, BEGIN + (i + 1) * MINUTE);
    }
    turn(&service);
    end(&service, true);

    begin(&service, BEGIN + 3 * HOUR); /* they are minutes when they are taken in */
    load(&service, BEGIN, BEGIN + HOUR, 30);
    profile_store_tick(service.store, BEGIN + 4 * HOUR);
    turn(&service);
    end(&service, true);

    begin(&service, BEGIN + 4 * HOUR);
    load(&service, BEGIN, BEGIN + HOUR, 30);
    assert_int_equal(samples(&service, BEGIN, BEGIN + MINUTE), 30); /* an hour, as a whole */
    end(&service, true);
}

static void a_store_that_is_made_anew__has_what_was_kept(void **state)
{
    const struct profile_limits limits = {
        .nodes = 2000, .functions = 500, .slice_bytes = 1 << 20, .recent = 100, .targets = 10};
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    add(&service, BEGIN + SECOND, "main", 5);
    end_store(&service);
    service.store = profile_store_new(&limits, 100);
    assert_non_null(service.store);
    profile_store_tick(service.store, BEGIN + 30 * SECOND);
    load(&service, BEGIN, BEGIN + HOUR, 5);
    add(&service, BEGIN + 40 * SECOND, "main", 6);
    end(&service, true);

    begin(&service, BEGIN + HOUR);
    load(&service, BEGIN, BEGIN + HOUR, 11);
    end(&service, true);
}

static void who_ends_before_the_past_is_read__replaces_nothing(void **state)
{
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    add(&service, BEGIN + SECOND, "main", 5);
    end(&service, true);

    begin(&service, BEGIN + 2 * SECOND);
    profile_keeper_turn(service.keeper, service.store); /* it has asked, and takes no answer */
    add(&service, BEGIN + 3 * SECOND, "main", 1);
    end(&service, true);

    begin(&service, BEGIN + HOUR);
    load(&service, BEGIN, BEGIN + HOUR, 5);
    end(&service, true);
}

static void a_clock_that_is_set_forward_by_years__holds_up_nothing(void **state)
{
    const uint64_t then = BEGIN + UINT64_C(20) * 365 * 24 * HOUR;
    struct service service;

    (void)state;
    begin(&service, BEGIN);
    turn(&service);
    add(&service, BEGIN + SECOND, "main", 1);
    profile_store_tick(service.store, then);
    add(&service, then, "main", 2);
    profile_store_tick(service.store, then + 3 * MINUTE);
    turn(&service);
    end(&service, false);

    begin(&service, then + 5 * MINUTE);
    load(&service, then - HOUR, then + HOUR, 2);
    end(&service, false);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_sampled__is_there_after_a_restart),
        TEST(whoever_is_killed__loses_two_minutes_at_most),
        TEST(hours__replace_their_minutes),
        TEST(a_store_that_is_made_anew__has_what_was_kept),
        TEST(a_clock_that_is_set_forward_by_years__holds_up_nothing),
        TEST(who_ends_before_the_past_is_read__replaces_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
