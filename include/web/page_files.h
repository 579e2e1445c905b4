/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The files of the page at "/", which are kept in the program. Each is an entry of PAGE_FILES:
 * its symbol, the folder, the name and the Content-Type. They are in src/web/page/, and those of
 * dygraphs where Debian's libjs-dygraphs has them; flame.js is made at build time (web/flame/).
 */

#include <stddef.h>

#define CONTENT_CSS        "text/css; charset=utf-8"
#define CONTENT_JAVASCRIPT "text/javascript; charset=utf-8"
#define CONTENT_SVG        "image/svg+xml"

#define PAGE_FILES(FILE)                                                                           \
    FILE(page_css, PAGE_FOLDER, "page.css", CONTENT_CSS)                                           \
    FILE(icon_svg, PAGE_FOLDER, "icon.svg", CONTENT_SVG)                                           \
    FILE(main_js, PAGE_FOLDER, "main.js", CONTENT_JAVASCRIPT)                                      \
    FILE(api_js, PAGE_FOLDER, "api.js", CONTENT_JAVASCRIPT)                                        \
    FILE(elements_js, PAGE_FOLDER, "elements.js", CONTENT_JAVASCRIPT)                              \
    FILE(event_groups_js, PAGE_FOLDER, "event_groups.js", CONTENT_JAVASCRIPT)                      \
    FILE(format_js, PAGE_FOLDER, "format.js", CONTENT_JAVASCRIPT)                                  \
    FILE(now_js, PAGE_FOLDER, "now.js", CONTENT_JAVASCRIPT)                                        \
    FILE(now_columns_js, PAGE_FOLDER, "now_columns.js", CONTENT_JAVASCRIPT)                        \
    FILE(grid_js, PAGE_FOLDER, "grid.js", CONTENT_JAVASCRIPT)                                      \
    FILE(reasons_js, PAGE_FOLDER, "reasons.js", CONTENT_JAVASCRIPT)                                \
    FILE(curves_js, PAGE_FOLDER, "curves.js", CONTENT_JAVASCRIPT)                                  \
    FILE(chooser_js, PAGE_FOLDER, "chooser.js", CONTENT_JAVASCRIPT)                                \
    FILE(run_form_js, PAGE_FOLDER, "run_form.js", CONTENT_JAVASCRIPT)                              \
    FILE(run_names_js, PAGE_FOLDER, "run_names.js", CONTENT_JAVASCRIPT)                            \
    FILE(run_points_js, PAGE_FOLDER, "run_points.js", CONTENT_JAVASCRIPT)                          \
    FILE(run_tables_js, PAGE_FOLDER, "run_tables.js", CONTENT_JAVASCRIPT)                          \
    FILE(runs_css, PAGE_FOLDER, "runs.css", CONTENT_CSS)                                           \
    FILE(run_plot_js, PAGE_FOLDER, "run_plot.js", CONTENT_JAVASCRIPT)                              \
    FILE(run_heatmap_js, PAGE_FOLDER, "run_heatmap.js", CONTENT_JAVASCRIPT)                        \
    FILE(run_schedule_js, PAGE_FOLDER, "run_schedule.js", CONTENT_JAVASCRIPT)                      \
    FILE(schedule_lanes_js, PAGE_FOLDER, "schedule_lanes.js", CONTENT_JAVASCRIPT)                  \
    FILE(schedule_map_js, PAGE_FOLDER, "schedule_map.js", CONTENT_JAVASCRIPT)                      \
    FILE(schedule_tables_js, PAGE_FOLDER, "schedule_tables.js", CONTENT_JAVASCRIPT)                \
    FILE(schedule_threads_js, PAGE_FOLDER, "schedule_threads.js", CONTENT_JAVASCRIPT)              \
    FILE(past_js, PAGE_FOLDER, "past.js", CONTENT_JAVASCRIPT)                                      \
    FILE(scopes_js, PAGE_FOLDER, "scopes.js", CONTENT_JAVASCRIPT)                                  \
    FILE(sparkline_js, PAGE_FOLDER, "sparkline.js", CONTENT_JAVASCRIPT)                            \
    FILE(targets_js, PAGE_FOLDER, "targets.js", CONTENT_JAVASCRIPT)                                \
    FILE(tiles_js, PAGE_FOLDER, "tiles.js", CONTENT_JAVASCRIPT)                                    \
    FILE(time_js, PAGE_FOLDER, "time.js", CONTENT_JAVASCRIPT)                                      \
    FILE(profile_js, PAGE_FOLDER, "profile.js", CONTENT_JAVASCRIPT)                                \
    FILE(profile_css, PAGE_FOLDER, "profile.css", CONTENT_CSS)                                     \
    FILE(profile_code_js, PAGE_FOLDER, "profile_code.js", CONTENT_JAVASCRIPT)                      \
    FILE(profile_colours_js, PAGE_FOLDER, "profile_colours.js", CONTENT_JAVASCRIPT)                \
    FILE(profile_data_js, PAGE_FOLDER, "profile_data.js", CONTENT_JAVASCRIPT)                      \
    FILE(profile_flame_js, PAGE_FOLDER, "profile_flame.js", CONTENT_JAVASCRIPT)                    \
    FILE(profile_list_js, PAGE_FOLDER, "profile_list.js", CONTENT_JAVASCRIPT)                      \
    FILE(profile_offer_js, PAGE_FOLDER, "profile_offer.js", CONTENT_JAVASCRIPT)                    \
    FILE(profile_seconds_js, PAGE_FOLDER, "profile_seconds.js", CONTENT_JAVASCRIPT)                \
    FILE(profile_state_js, PAGE_FOLDER, "profile_state.js", CONTENT_JAVASCRIPT)                    \
    FILE(profile_table_js, PAGE_FOLDER, "profile_table.js", CONTENT_JAVASCRIPT)                    \
    FILE(profile_tools_js, PAGE_FOLDER, "profile_tools.js", CONTENT_JAVASCRIPT)                    \
    FILE(flame_js, FLAME_FOLDER, "flame.js", CONTENT_JAVASCRIPT)                                   \
    FILE(runs_js, PAGE_FOLDER, "runs.js", CONTENT_JAVASCRIPT)                                      \
    FILE(events_js, PAGE_FOLDER, "events.js", CONTENT_JAVASCRIPT)                                  \
    FILE(status_js, PAGE_FOLDER, "status.js", CONTENT_JAVASCRIPT)                                  \
    FILE(time_css, PAGE_FOLDER, "time.css", CONTENT_CSS)                                           \
    FILE(align_js, PAGE_FOLDER, "align.js", CONTENT_JAVASCRIPT)                                    \
    FILE(before_after_js, PAGE_FOLDER, "before_after.js", CONTENT_JAVASCRIPT)                      \
    FILE(colours_js, PAGE_FOLDER, "colours.js", CONTENT_JAVASCRIPT)                                \
    FILE(columns_js, PAGE_FOLDER, "columns.js", CONTENT_JAVASCRIPT)                                \
    FILE(cpu_map_js, PAGE_FOLDER, "cpu_map.js", CONTENT_JAVASCRIPT)                                \
    FILE(heatmap_js, PAGE_FOLDER, "heatmap.js", CONTENT_JAVASCRIPT)                                \
    FILE(keyed_js, PAGE_FOLDER, "keyed.js", CONTENT_JAVASCRIPT)                                    \
    FILE(keyed_map_js, PAGE_FOLDER, "keyed_map.js", CONTENT_JAVASCRIPT)                            \
    FILE(latency_js, PAGE_FOLDER, "latency.js", CONTENT_JAVASCRIPT)                                \
    FILE(latency_map_js, PAGE_FOLDER, "latency_map.js", CONTENT_JAVASCRIPT)                        \
    FILE(mark_lines_js, PAGE_FOLDER, "mark_lines.js", CONTENT_JAVASCRIPT)                          \
    FILE(picker_js, PAGE_FOLDER, "picker.js", CONTENT_JAVASCRIPT)                                  \
    FILE(plot_js, PAGE_FOLDER, "plot.js", CONTENT_JAVASCRIPT)                                      \
    FILE(range_js, PAGE_FOLDER, "range.js", CONTENT_JAVASCRIPT)                                    \
    FILE(surface_js, PAGE_FOLDER, "surface.js", CONTENT_JAVASCRIPT)                                \
    FILE(ticks_js, PAGE_FOLDER, "ticks.js", CONTENT_JAVASCRIPT)                                    \
    FILE(time_cpus_js, PAGE_FOLDER, "time_cpus.js", CONTENT_JAVASCRIPT)                            \
    FILE(time_columns_js, PAGE_FOLDER, "time_columns.js", CONTENT_JAVASCRIPT)                      \
    FILE(time_csv_js, PAGE_FOLDER, "time_csv.js", CONTENT_JAVASCRIPT)                              \
    FILE(time_data_js, PAGE_FOLDER, "time_data.js", CONTENT_JAVASCRIPT)                            \
    FILE(time_keyed_js, PAGE_FOLDER, "time_keyed.js", CONTENT_JAVASCRIPT)                          \
    FILE(time_latency_js, PAGE_FOLDER, "time_latency.js", CONTENT_JAVASCRIPT)                      \
    FILE(time_live_js, PAGE_FOLDER, "time_live.js", CONTENT_JAVASCRIPT)                            \
    FILE(time_marks_js, PAGE_FOLDER, "time_marks.js", CONTENT_JAVASCRIPT)                          \
    FILE(time_tools_js, PAGE_FOLDER, "time_tools.js", CONTENT_JAVASCRIPT)                          \
    FILE(value_table_js, PAGE_FOLDER, "value_table.js", CONTENT_JAVASCRIPT)                        \
    FILE(dygraph_min_js, DYGRAPHS_FOLDER, "dygraph.min.js", CONTENT_JAVASCRIPT)                    \
    FILE(dygraph_min_css, DYGRAPHS_FOLDER, "dygraph.min.css", CONTENT_CSS)

#define PAGE_FILE_NAME(symbol, folder, name, content_type) PAGE_FILE_##symbol,
enum page_file {
    PAGE_FILE_index_html, /* It is shown at "/", see service/face_page.h. */
    PAGE_FILES(PAGE_FILE_NAME) N_PAGE_FILES,
};

/* Returns the text of a file, which is not terminated, and sets its length. */
const char *page_file_text(enum page_file file, size_t *ret_length);
