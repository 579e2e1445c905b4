/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_rules_fixture.h"
#include "target/state_reader.h"

#define ID "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"

static void name__is_the_base_of_the_executable_by_default(void **state)
{
    ADD(*state, LIST(comm, "app", "kworker/0:1"));
    expect(*state, TITLE, 0, "python3.11");
    expect(*state, KWORKER, 0, "kworker/0:1");
}

static void name__takes_named_groups_of_all_patterns(void **state)
{
    ADD(*state, .name = "{{.Matches.jar}}:{{.Matches.port}}{{.Matches.none}}",
        LIST(cmdline, "-jar\\s+(?P<jar>\\S+)", "--port=(?P<port>\\d+)(?P<none>!)?"));
    expect(*state, JAVA, 0, "/srv/shop.jar:80");
}

static void name__of_two_groups_of_one_name_the_last_counts(void **state)
{
    ADD(*state, .name = "{{.Matches.x}}", LIST(cmdline, "(?P<x>-jar)", "(?P<x>--port)"));
    expect(*state, JAVA, 0, "--port");
}

static void name__has_the_pid_and_is_single(void **state)
{
    ADD(*state, .name = "{{.Comm}}-{{.PID}}", LIST(comm, "java"));
    ADD(*state, .name = "{{.StartTime}}", LIST(comm, "sleep"));
    ADD(*state, .name = "{{.Comm}}", LIST(comm, "nginx"));
    expect(*state, JAVA, 0, "java-101");
    assert_true(process_rules_is_single(*state, 0));
    assert_true(process_rules_is_single(*state, 1));
    assert_false(process_rules_is_single(*state, 2));
}

/* The process started 123 s after the machine did. */
static void name__has_the_start_as_a_time_of_day(void **state)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;
    struct timespec now, since_boot;
    struct tm parts = {0};
    double difference;

    ADD(*state, .name = "{{.StartTime}}", LIST(comm, "java"));
    assert_int_equal(match(*state, JAVA, &text), 0);
    name = text_take(&text);
    assert_non_null(name);
    assert_ptr_equal(strptime(name, "%Y-%m-%dT%H:%M:%SZ", &parts), name + strlen(name));
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &since_boot), 0);
    difference = (double)timegm(&parts) - (double)(now.tv_sec - since_boot.tv_sec) -
                 12345.0 / (double)sysconf(_SC_CLK_TCK);
    assert_true(difference > -3 && difference < 3);
}

static void name__has_the_user_who_owns_the_process(void **state)
{
    const struct passwd *user = getpwuid(geteuid());
    char number[16];

    (void)snprintf(number, sizeof(number), "%u", geteuid());
    ADD(*state, .name = "{{.Username}}", LIST(comm, "java"));
    for (bool late = true; late;) {
        AUTO(process) struct process *process = NULL;
        AUTO_TEXT struct text name = {0};
        struct process_matching matching = {.most_work = SIZE_MAX};

        assert_int_equal(process_open(tree.fd, JAVA, &process), 0);
        assert_int_equal(process_rules_match(*state, process, &matching, &name), 0);
        late = matching.late; /* the machine is busy */
    }
    expect(*state, JAVA, 0, user ? user->pw_name : number);
}

static void name__that_is_late_is_the_number_and_said_to_be(void **state)
{
    struct name_service *service = name_service_new(&slow_names);
    AUTO(process_template) struct process_template *template = NULL;
    AUTO(user_names) struct user_names *users = NULL;
    AUTO(process) struct process *process = NULL;
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *label = NULL;
    struct process_rule_error error;
    char number[16];

    (void)state;
    (void)snprintf(number, sizeof(number), "%u", geteuid());
    assert_int_equal(process_template_parse("{{.Username}}", NULL, 0, &template, &error), 0);
    assert_int_equal(user_names_new(service, &users), 0);
    assert_int_equal(process_open(tree.fd, JAVA, &process), 0);
    slow_names_hang(true);
    assert_int_equal(
        process_name_append(template, NULL, process, &(struct process_namers){users, NULL}, &name),
        PROCESS_USER_LATE);
    slow_names_hang(false);
    label = text_take(&name);
    assert_string_equal(label, number);
    (void)name_service_free(service);
}

/* A tree that is the root of a host, and who names by it. */
struct host {
    struct fixture_tree root;
    struct object_reader *reader;
    struct target_names *names;
};

static struct host host_open(const char *csv)
{
    struct host host = {.root = fixture_tree_open()};
    char path[128];
    struct target_names_settings settings = {.containers = true, .file = path};

    (void)snprintf(path, sizeof(path), "%s/names.csv", host.root.path);
    fixture_tree_write(&host.root, "names.csv", csv);
    assert_int_equal(state_reader_new(&host.reader), 0);
    assert_int_equal(target_names_new(host.root.fd, -1, host.reader, &host.names), 0);
    assert_int_equal(target_names_configure(host.names, &settings), 0);
    return host;
}

static void host_close(struct host *host)
{
    host->names = target_names_free(host->names);
    host->reader = object_reader_free(host->reader);
    fixture_tree_close(&host->root);
}

/* A busy machine may be late with an answer, and then the names are empty: it is asked again. */
static void expect_named(struct process_rules *rules, pid_t pid, const char *wanted)
{
    AUTO_FREE char *label = NULL;

    for (bool late = true; late;) {
        AUTO(process) struct process *process = NULL;
        AUTO_TEXT struct text name = {0};
        struct process_matching matching = {.most_work = SIZE_MAX};

        assert_int_equal(process_open(tree.fd, pid, &process), 0);
        assert_true(process_rules_match(rules, process, &matching, &name) >= 0);
        free(matching.verdicts);
        late = matching.late;
        free(label);
        label = text_take(&name);
    }
    assert_string_equal(label, wanted);
}

static void name__has_those_of_the_cgroup_and_of_the_process(void **state)
{
    struct host host = host_open("/system.slice/docker-*,cache,shop,store\npid:101,miner\n");

    fixture_tree_write(&tree, "101/cgroup",
                       "4:cpu:/elsewhere\n0::/system.slice/docker-" ID ".scope\n");
    fixture_tree_write(&host.root, "var/lib/docker/containers/" ID "/config.v2.json",
                       "{\"Name\":\"/redis\"}");
    ADD(*state, .name = "{{.Name}}-{{.Group}}-{{.Role}}-{{.Container}}-{{.Pod}}",
        LIST(comm, "java"));
    assert_true(process_rules_use_names(*state));
    expect(*state, JAVA, 0, "----"); /* nobody is there to ask */
    process_rules_set_names(*state, host.names);
    expect_named(*state, JAVA, "miner-shop-store-redis-");
    host_close(&host);
}

static void name__of_a_process_without_a_cgroup_is_that_of_its_number(void **state)
{
    struct host host = host_open("/**,all\npid:101,miner\n");

    if (faccessat(tree.fd, "101/cgroup", F_OK, 0) == 0)
        fixture_tree_remove(&tree, "101/cgroup");
    ADD(*state, .name = "{{.Name}}+", LIST(comm, "java", "sleep"));
    process_rules_set_names(*state, host.names);
    expect_named(*state, JAVA, "miner+");
    host_close(&host);
}

static void name__what_is_not_clean_is_encoded(void **state)
{
    ADD(*state, .name = "{{.Comm}}", LIST(cmdline, "^b"));
    ADD(*state, .name = "{{.Matches.x}}", LIST(cmdline, "(?P<x>a\\nb)"));
    expect(*state, BYTES, 0, "%/a%FF) R 1 (");
    expect(*state, TITLE, 1, "%/a%0Ab");
}

static void name__one_that_looks_encoded_is_encoded(void **state)
{
    ADD(*state, .name = "{{.Comm}}", LIST(comm, "%/x"));
    expect(*state, SLASHES, 0, "%/%25/x");
}

static void name__that_is_empty_is_a_label_nevertheless(void **state)
{
    ADD(*state, .name = "{{.ExeBase}}", LIST(comm, ""));
    expect(*state, NOTHING, 0, "%/");
}

static void name__that_is_too_long_is_cut_with_a_hash(void **state)
{
    char name[1101], other[1101];
    AUTO_TEXT struct text text = {0}, second = {0};

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    memcpy(other, name, sizeof(name));
    other[sizeof(other) - 2] = 'm';
    ADD(*state, .name = name, LIST(comm, "java"));
    ADD(*state, .name = other, LIST(comm, "nginx"));
    assert_int_equal(match(*state, JAVA, &text), 0);
    assert_int_equal(match(*state, NGINX, &second), 1);
    assert_int_equal(text.length, 1024);
    assert_int_equal(second.length, 1024);
    assert_memory_equal(text.data, "%/nnn", 5);
    assert_memory_equal(text.data, second.data, 1000);
    assert_memory_not_equal(text.data, second.data, 1024);
}

static void name__is_appended(void **state)
{
    AUTO_TEXT struct text text = {0};

    ADD(*state, LIST(comm, "java"));
    text_append_string(&text, "x");
    assert_int_equal(match(*state, JAVA, &text), 0);
    assert_int_equal(text.length, 5);
    assert_memory_equal(text.data, "xjava", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(name__is_the_base_of_the_executable_by_default),
        TEST(name__takes_named_groups_of_all_patterns),
        TEST(name__of_two_groups_of_one_name_the_last_counts),
        TEST(name__has_the_pid_and_is_single),
        TEST(name__has_the_start_as_a_time_of_day),
        TEST(name__has_the_user_who_owns_the_process),
        TEST(name__that_is_late_is_the_number_and_said_to_be),
        TEST(name__has_those_of_the_cgroup_and_of_the_process),
        TEST(name__of_a_process_without_a_cgroup_is_that_of_its_number),
        TEST(name__what_is_not_clean_is_encoded),
        TEST(name__one_that_looks_encoded_is_encoded),
        TEST(name__that_is_empty_is_a_label_nevertheless),
        TEST(name__that_is_too_long_is_cut_with_a_hash),
        TEST(name__is_appended),
    };

    return cmocka_run_group_tests_name("process_name", tests, setup_tree, teardown_tree);
}
