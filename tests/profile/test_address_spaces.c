/* SPDX-License-Identifier: Apache-2.0 */

/* What is known of processes when there are more programs and libraries, or more mappings, than
 * there is room for. The program in the kernel is a table here. */
#include <fcntl.h>
#include <unistd.h>

#include "support/check.h"

#include "profile/address_spaces.h"
#include "profile/store_fixture.h"

#define FILES     3 /* numbers of files, of which 0 is for those that have none */
#define MAPPINGS  8
#define PROCESSES 2
#define START     0x1000
#define SIZE      0x1000

/* Two processes that live as long as the test: ours and our parent's. */
struct fake_process {
    pid_t pid;
    uint64_t inodes[MAPPINGS + 1]; /* of the files that it has mapped */
    size_t n;                      /* 0: it has mapped nothing any more */
    struct profile_process known;
    bool is_known;
    bool is_to_be_looked_at; /* a sweep has said so */
};

static struct fake_process processes[PROCESSES];
static struct profile_mapping mappings[MAPPINGS];
static struct profile_file files[FILES];
static const struct profile_arrays arrays = {.files = files, .mappings = mappings};

struct fixture {
    struct profile_store *store;
    struct known_files *files;
    struct address_spaces *spaces;
    int procfs_fd;
};

static bool is_table_full;
static int result_of_all;            /* of a listing of all processes; 0: nobody asks for it */
static struct fake_process stranger; /* of this machine; it has nothing mapped */

static struct fake_process *process_of(pid_t pid)
{
    for (size_t i = 0; i < PROCESSES; i++)
        if (processes[i].pid == pid)
            return &processes[i];
    if (result_of_all < 0)
        return &stranger;
    fail_msg("no process has the number %d", (int)pid);
    return NULL;
}

struct profile_arrays __wrap_profile_program_arrays(const struct profile_program *program)
{
    (void)program;
    return arrays;
}

int __wrap_profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                         int (*take)(void *context, const struct profile_vma *vma),
                                         void *context)
{
    const struct fake_process *process;
    int r = 0;

    (void)program;
    if (pid == 0 && result_of_all < 0)
        return result_of_all;
    process = process_of(pid);
    for (size_t i = 0; r == 0 && i < process->n; i++) {
        const struct profile_vma vma = {.memory = 1,
                                        .start = START + 2 * i * SIZE,
                                        .end = START + 2 * i * SIZE + SIZE,
                                        .inode = process->inodes[i],
                                        .pid = (uint32_t)pid,
                                        .kind = PROFILE_VMA_FILE,
                                        .path = "/no/such/library"};

        r = take(context, &vma);
    }
    return r;
}

bool __wrap_profile_program_find_process(const struct profile_program *program, pid_t pid,
                                         struct profile_process *ret_process)
{
    const struct fake_process *process = process_of(pid);

    (void)program;
    *ret_process = process->known;
    return process->is_known;
}

int __wrap_profile_program_set_process(struct profile_program *program, pid_t pid,
                                       const struct profile_process *process)
{
    struct fake_process *fake = process_of(pid);

    (void)program;
    if (is_table_full)
        return -E2BIG;
    fake->known = *process;
    fake->is_known = true;
    return 0;
}

void __wrap_profile_program_clear_process(struct profile_program *program, pid_t pid)
{
    (void)program;
    process_of(pid)->is_known = false;
}

int __wrap_profile_program_visit(struct profile_program *program,
                                 void (*visit)(void *context, pid_t pid,
                                               const struct profile_process *process),
                                 void *context)
{
    (void)program;
    for (size_t i = 0; i < PROCESSES; i++)
        if (processes[i].is_known)
            visit(context, processes[i].pid, &processes[i].known);
    return 0;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    processes[0] = (struct fake_process){.pid = getpid()};
    processes[1] = (struct fake_process){.pid = getppid()};
    f->store = store_of(&roomy);
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->files = known_files_new(&(struct known_files_setup){
        .arrays = &arrays, .store = f->store, .n = FILES, .procfs_fd = f->procfs_fd});
    assert_non_null(f->files);
    f->spaces = address_spaces_new(NULL, f->files, MAPPINGS, f->procfs_fd);
    assert_non_null(f->spaces);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)address_spaces_free(f->spaces);
    (void)known_files_free(f->files);
    (void)profile_store_free(f->store);
    (void)close(f->procfs_fd);
    free(f);
    return 0;
}

/* A process has so many files mapped from now on, whose inodes are `first` and those after it. */
static int map(const struct fixture *f, size_t process, uint64_t first, size_t n)
{
    struct space_change change;

    processes[process].n = n;
    for (size_t i = 0; i < n; i++)
        processes[process].inodes[i] = first + i;
    return address_spaces_look(f->spaces, processes[process].pid, &change);
}

/* The process ends, and its number is not given again. */
static void end(size_t process)
{
    processes[process].n = 0;
    processes[process].is_known = false;
}

static void note_look(void *context, pid_t pid)
{
    (void)context;
    process_of(pid)->is_to_be_looked_at = true;
}

/* A list goes at the second sweep, and its files with it. */
static void sweep(const struct fixture *f)
{
    for (size_t i = 0; i < PROCESSES; i++)
        processes[i].is_to_be_looked_at = false;
    for (uint64_t i = 1; i <= 3; i++)
        address_spaces_sweep(f->spaces,
                             &(struct space_sweep){.look_again = note_look, .now_ns = i * SECOND});
}

static uint32_t file_at(const struct fixture *f, size_t process)
{
    uint32_t file = UINT32_MAX, place;

    assert_int_equal(
        address_spaces_find(f->spaces, processes[process].pid, 1, START, &file, &place),
        SPACE_FILE);
    return file;
}

/* What is known of the process stays until the look has replaced it: samples may wait for it. */
static void files_without_a_number__get_one_when_others_have_gone(void **state)
{
    const struct fixture *f = *state;
    struct known_files_figures figures;

    assert_int_equal(map(f, 0, 10, FILES - 1), 0); /* it takes all */
    assert_int_equal(map(f, 1, 20, 1), 0);
    assert_int_equal(file_at(f, 1), 0);
    known_files_figures(f->files, &figures);
    assert_int_equal(figures.without_number, 1);
    sweep(f);
    assert_false(processes[1].is_to_be_looked_at); /* another look would find no more */

    end(0);
    sweep(f);
    assert_true(processes[1].is_to_be_looked_at);
    assert_int_equal(file_at(f, 1), 0);
    assert_int_equal(map(f, 1, 20, 1), 0);
    assert_int_not_equal(file_at(f, 1), 0);
    sweep(f);
    assert_false(processes[1].is_to_be_looked_at);
}

static void process_without_room__is_not_known_and_counted(void **state)
{
    const struct fixture *f = *state;
    struct address_spaces_figures figures;

    assert_int_equal(map(f, 0, 10, MAPPINGS), 0);
    assert_int_equal(map(f, 1, 10, 1), -ENOSPC);
    assert_false(processes[1].is_known);
    address_spaces_figures(f->spaces, &figures);
    assert_int_equal(figures.without_room, 1);
    end(0);
    sweep(f);
    assert_int_equal(map(f, 1, 10, 1), 0);
    assert_true(processes[1].is_known);
}

static void process_without_room_in_the_kernel__is_counted(void **state)
{
    const struct fixture *f = *state;
    struct address_spaces_figures figures;

    is_table_full = true;
    assert_int_equal(map(f, 0, 10, 1), -E2BIG);
    is_table_full = false;
    address_spaces_figures(f->spaces, &figures);
    assert_int_equal(figures.without_room, 1);
}

static int look_at_all(const struct fixture *f, int result)
{
    int r;

    result_of_all = result;
    r = address_spaces_look_at_all(f->spaces);
    result_of_all = 0;
    return r;
}

/* Who holds up a listing of all does not hold up one of each. */
static void look_at_all__that_was_held_up__looks_at_each(void **state)
{
    const struct fixture *f = *state;

    for (size_t i = 0; i < PROCESSES; i++) {
        processes[i].n = 1;
        processes[i].inodes[0] = 10 + i;
    }
    assert_int_equal(look_at_all(f, -EPERM), -EPERM);
    assert_false(processes[0].is_known);
    assert_int_equal(look_at_all(f, -ETIME), 0);
    for (size_t i = 0; i < PROCESSES; i++)
        assert_true(processes[i].is_known);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_without_a_number__get_one_when_others_have_gone),
        TEST(process_without_room__is_not_known_and_counted),
        TEST(process_without_room_in_the_kernel__is_counted),
        TEST(look_at_all__that_was_held_up__looks_at_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
