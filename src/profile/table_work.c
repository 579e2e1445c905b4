/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/table_work.h"

#include <string.h>

#include "profile/frame_list.h"
#include "profile/frame_rows.h"
#include "profile/function_starts.h"
#include "profile/object_message.h"
#include "reader/worker_output.h"

/* Opens the section that says something, and lists its functions. 0 or -ENOMEM. */
static int open_section(const struct object_file *file, struct frame_section *section,
                        struct code_ranges *functions)
{
    int r = frame_section_open_eh(file, section);

    if (r == 0 && section->cfi)
        r = frame_list_read(section, functions);
    if (r < 0 || functions->n > 0)
        return r;
    frame_section_done(section);
    r = frame_section_open_debug(file, section);
    return r == 0 && section->cfi ? frame_list_read(section, functions) : r;
}

static int write_table(const struct worker_job *job, struct object_table_head *head,
                       const struct row_list *list, const struct function_starts *starts)
{
    int r;

    head->mark = OBJECT_TABLE_MARK;
    head->n_rows = list->n_rows;
    head->n_rules = list->n_rules;
    head->n_starts = starts->n;
    r = worker_output_write(job->output, head, sizeof(*head));
    if (r == OBJECT_READ)
        r = worker_output_write(job->output, list->rows, list->n_rows * sizeof(*list->rows));
    if (r == OBJECT_READ)
        r = worker_output_write(job->output, list->rules, list->n_rules * sizeof(*list->rules));
    if (r == OBJECT_READ)
        r = worker_output_write(job->output, starts->starts, starts->n * sizeof(*starts->starts));
    return r;
}

/* Makes the rows, and lists the functions that have some. */
static int make_rows(const struct object_file *file, struct code_ranges *functions,
                     struct row_list *list)
{
    AUTO_FRAME_SECTION struct frame_section section = {0};
    int r = row_list_init(list);

    if (r == 0)
        r = open_section(file, &section, functions);
    if (r == 0)
        r = function_starts_signal(file, functions);
    code_ranges_settle(functions);
    return r == 0 ? frame_rows_add(&section, functions, list) : r;
}

static int make_starts(const struct object_file *file, const struct code_ranges *functions,
                       struct function_starts *starts)
{
    AUTO_CODE_RANGES struct code_ranges symbols = {0};
    const int r = function_starts_symbols(file, &symbols);

    return r == 0 ? function_starts_make(file, functions, &symbols, starts) : r;
}

static void set_head(const struct object_file *file, struct object_table_head *head)
{
    head->base = file->base;
    head->n_segments = file->n_segments;
    memcpy(head->segments, file->segments, sizeof(head->segments));
    head->n_build_id = object_file_build_id(file, head->build_id);
}

int table_work(const struct worker_job *job)
{
    AUTO_OBJECT_FILE struct object_file file = {0};
    AUTO_ROW_LIST struct row_list list = {0};
    AUTO_CODE_RANGES struct code_ranges functions = {0};
    AUTO_FUNCTION_STARTS struct function_starts starts = {0};
    struct object_table_head head = {0};
    int r = object_file_open(job->fd, &file);

    if (r == OBJECT_READ)
        r = object_file_read_segments(&file);
    if (r != OBJECT_READ)
        return r;
    set_head(&file, &head);
    r = make_rows(&file, &functions, &list);
    head.has_unwind = functions.n > 0;
    if (r == OBJECT_READ)
        r = make_starts(&file, &functions, &starts);
    return r == OBJECT_READ ? write_table(job, &head, &list, &starts) : r;
}
