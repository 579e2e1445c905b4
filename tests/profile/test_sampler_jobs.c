/* SPDX-License-Identifier: Apache-2.0 */
/* For whom the reader works next, and that all its work is counted. */
#include "support/check.h"

#include <string.h>

#include "profile/sampler_parts.h"

#define JOB_CPU_NS 1000

/* Who has something to be read, and what was. */
static struct {
    bool has_file, has_map, has_code;
    bool is_reading;
    char taken[16]; /* a letter for each job that was done: who has it */
    size_t n;
} world;

static void note(char who)
{
    assert_true(world.n + 1 < sizeof(world.taken));
    world.taken[world.n++] = who;
}

bool __wrap_known_files_next_job(struct known_files *files, uint64_t now_ns,
                                 struct object_job *ret_job)
{
    (void)files, (void)now_ns;
    *ret_job = (struct object_job){.fd = -1, .debug_fd = -1};
    return world.has_file;
}

void __wrap_known_files_take(struct known_files *files, const struct object_result *result,
                             uint64_t now_ns)
{
    (void)files, (void)result, (void)now_ns;
    note('f');
}

bool __wrap_jit_maps_next_job(struct jit_maps *maps, uint64_t now_ns, struct object_job *ret_job)
{
    (void)maps, (void)now_ns;
    *ret_job = (struct object_job){.fd = -1, .debug_fd = -1};
    return world.has_map;
}

void __wrap_jit_maps_take(struct jit_maps *maps, const struct object_result *result,
                          uint64_t now_ns)
{
    (void)maps, (void)result, (void)now_ns;
    note('m');
}

bool __wrap_code_desk_next_job(struct code_desk *desk, const struct known_files *files,
                               struct object_job *ret_job)
{
    (void)desk, (void)files;
    *ret_job = (struct object_job){.fd = -1, .debug_fd = -1};
    return world.has_code;
}

void __wrap_code_desk_take(struct code_desk *desk, const struct known_files *files,
                           const struct object_result *result)
{
    (void)desk, (void)files, (void)result;
    note('c');
    world.has_code = false;
}

int __wrap_object_reader_begin(struct object_reader *reader, const struct object_job *job)
{
    (void)reader, (void)job;
    assert_false(world.is_reading);
    world.is_reading = true;
    return 0;
}

int __wrap_object_reader_finish(struct object_reader *reader, struct object_result *ret_result)
{
    (void)reader;
    assert_true(world.is_reading);
    world.is_reading = false;
    *ret_result = (struct object_result){.outcome = OBJECT_TOO_LARGE, .cpu_ns = JOB_CPU_NS};
    return 0;
}

void __wrap_known_files_figures(const struct known_files *files,
                                struct known_files_figures *ret_figures)
{
    (void)files;
    *ret_figures = (struct known_files_figures){.outcomes = {[OBJECT_READ] = 5}};
}

void __wrap_address_spaces_figures(const struct address_spaces *spaces,
                                   struct address_spaces_figures *ret_figures)
{
    (void)spaces;
    *ret_figures = (struct address_spaces_figures){0};
}

struct profile_program_figures __wrap_profile_program_figures(const struct profile_program *program)
{
    (void)program;
    return (struct profile_program_figures){0};
}

size_t __wrap_unwind_pool_bytes(const struct unwind_pool *pool)
{
    (void)pool;
    return 0;
}

uint64_t __wrap_jit_maps_without_room(const struct jit_maps *maps)
{
    (void)maps;
    return 0;
}

size_t __wrap_jit_maps_bytes(const struct jit_maps *maps)
{
    (void)maps;
    return 0;
}

/* What a turn does beside. */
void __wrap_known_files_settle(struct known_files *files)
{
    (void)files;
}

void __wrap_address_spaces_sweep(struct address_spaces *spaces, const struct space_sweep *sweep)
{
    (void)spaces, (void)sweep;
}

void __wrap_jit_maps_sweep(struct jit_maps *maps, uint64_t now_ns)
{
    (void)maps, (void)now_ns;
}

int __wrap_profile_program_read(struct profile_program *program,
                                int (*take)(void *context, const struct profile_sample *sample),
                                void *context)
{
    (void)program, (void)take, (void)context;
    return 0;
}

void __wrap_sampler_look(struct sampler *sampler, uint64_t now_ns)
{
    (void)sampler, (void)now_ns;
}

void __wrap_sampler_process(struct sampler *sampler, uint64_t now_ns)
{
    (void)sampler, (void)now_ns;
}

void __wrap_profile_store_tick(struct profile_store *store, uint64_t now_ns)
{
    (void)store, (void)now_ns;
}

static int set_up(void **state)
{
    (void)state;
    memset(&world, 0, sizeof(world));
    return 0;
}

static void turn(struct sampler *sampler, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(sampler_turn(sampler), 0);
}

/* Neither can keep the reader from the other by having something to be read all the time. */
static void perf_maps_and_files__take_turns(void **state)
{
    struct sampler sampler = {0};

    (void)state;
    world.has_file = world.has_map = true;
    turn(&sampler, 7); /* the last job is under way */
    assert_string_equal(world.taken, "mfmfmf");
}

static void files_alone__are_read_one_after_the_other(void **state)
{
    struct sampler sampler = {0};

    (void)state;
    world.has_file = true;
    turn(&sampler, 4);
    assert_string_equal(world.taken, "fff");
}

/* Who asks for code again and again leaves the reader to the others all the same. */
static void code__that_somebody_waits_for__takes_its_turn(void **state)
{
    struct sampler sampler = {0};

    (void)state;
    world.has_file = world.has_map = world.has_code = true;
    turn(&sampler, 4);
    assert_string_equal(world.taken, "cmf");
    world.has_code = true;
    turn(&sampler, 3);
    assert_string_equal(world.taken, "cmfmfc");
}

static void all_jobs__are_counted(void **state)
{
    struct sampler sampler = {0};
    struct sampler_figures figures;

    (void)state;
    world.has_file = world.has_map = world.has_code = true;
    turn(&sampler, 4);
    assert_string_equal(world.taken, "cmf");
    sampler_figures(&sampler, &figures);
    assert_int_equal(figures.reader_cpu_ns, 3 * JOB_CPU_NS);
    assert_int_equal(figures.jobs[OBJECT_TOO_LARGE], 2); /* those of files are counted there */
    assert_int_equal(figures.jobs[OBJECT_READ], 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        TEST(perf_maps_and_files__take_turns),
        TEST(files_alone__are_read_one_after_the_other),
        TEST(code__that_somebody_waits_for__takes_its_turn),
        TEST(all_jobs__are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
