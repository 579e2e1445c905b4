/* SPDX-License-Identifier: Apache-2.0 */

/* Each family is a line of the table at the end, with the function that writes its samples. */
#include "expose/own_labelled.h"

#include "metric/catalogue.h"
#include "metric/exporter_status.h"
#include "metric/http_status.h"
#include "metric/roster.h"
#include "profile/sampler.h"
#include "reader/object_reader.h"
#include "sys/system_call.h"

/* The family that is being written, and where its numbers are. */
struct samples {
    struct text *text;
    const char *name;
    const struct snapshot *snapshot;
    const struct exposition_facts *facts;
};

/* One line up to its value: name{labels}. There is at least one label. */
static void begin_sample(const struct samples *samples, const struct label *labels, size_t n_labels)
{
    text_append_string(samples->text, samples->name);
    format_append_labels(samples->text, labels, n_labels);
    text_append_string(samples->text, "} ");
}

static void append_sample(const struct samples *samples, const struct label *labels,
                          size_t n_labels, uint64_t value)
{
    begin_sample(samples, labels, n_labels);
    text_append_u64(samples->text, value);
    text_append_char(samples->text, '\n');
}

static void append_build_info(const struct samples *samples)
{
    const struct label labels[] = {{"version", samples->facts->version},
                                   {"revision", samples->facts->revision}};

    append_sample(samples, labels, ARRAY_SIZE(labels), 1);
}

static void append_event_info(const struct samples *samples)
{
    const struct catalogue *const catalogue = samples->snapshot->roster->catalogue;

    for (size_t i = 0; i < catalogue->n_events; i++) {
        const struct event_status *event = &catalogue->events[i];
        const struct label labels[] = {{"scope", event->scope},
                                       {"event", event->event},
                                       {"metric", event->metric},
                                       {"group", event->group},
                                       {"pmu", event->pmu},
                                       {"encoding", event->encoding},
                                       {"counted_as", event->counted_as}};
        const size_t n = ARRAY_SIZE(labels) - (event->counted_as ? 0 : 1);

        if (event->absence == ABSENCE_NONE)
            append_sample(samples, labels, n, 1);
    }
}

/*
 * An event that is not counted keeps its sample, with 0 and the reason: absence alone explains
 * nothing.
 */
static void append_event_supported(const struct samples *samples)
{
    const struct catalogue *const catalogue = samples->snapshot->roster->catalogue;

    for (size_t i = 0; i < catalogue->n_events; i++) {
        const struct event_status *event = &catalogue->events[i];
        const struct label labels[] = {{"scope", event->scope},
                                       {"event", event->event},
                                       {"group", event->group},
                                       {"pmu", event->pmu},
                                       {"reason", absence_name(event->absence)}};

        append_sample(samples, labels, ARRAY_SIZE(labels), event->absence == ABSENCE_NONE);
    }
}

static void append_mechanisms(const struct samples *samples)
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++) {
        const struct mechanism_status *mechanism = &samples->snapshot->status.mechanisms[kind];
        const struct label labels[] = {{"scope", scope_kind_name(kind)},
                                       {"mechanism", mechanism->name},
                                       {"reason", mechanism->reason}};

        if (mechanism->name)
            append_sample(samples, labels, ARRAY_SIZE(labels), 1);
    }
}

static void append_targets(const struct samples *samples)
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++) {
        const struct label label = {"kind", scope_kind_name(kind)};

        append_sample(samples, &label, 1, samples->snapshot->status.targets[kind]);
    }
}

/* One sample for each kind of target and each reason with a number above 0: there are many. */
static void append_reasons(const struct samples *samples,
                           const uint64_t numbers[SCOPE_KIND_COUNT_][ABSENCE_COUNT_])
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
            const struct label labels[] = {{"kind", scope_kind_name(kind)},
                                           {"reason", absence_name(reason)}};

            if (numbers[kind][reason] > 0)
                append_sample(samples, labels, ARRAY_SIZE(labels), numbers[kind][reason]);
        }
}

static void append_uncounted(const struct samples *samples)
{
    append_reasons(samples, samples->snapshot->status.uncounted);
}

static void append_dropped(const struct samples *samples)
{
    append_reasons(samples, samples->snapshot->status.dropped);
}

/* Each of the three numbers is written if it is known. */
static void append_pmu_counters(const struct samples *samples)
{
    const struct exporter_status *const status = &samples->snapshot->status;
    const struct {
        const char *state;
        uint64_t n;
    } states[] = {
        {"free", status->pmu_free}, {"budget", status->pmu_budget}, {"used", status->pmu_used}};

    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        const struct label label = {"state", states[i].state};

        if (states[i].n != NUMBER_ABSENT_COUNT)
            append_sample(samples, &label, 1, states[i].n);
    }
}

/* What nobody asks for is neither supported nor not. */
static void append_latency(const struct samples *samples)
{
    for (size_t i = 0; i < LATENCY_PARTS; i++) {
        const struct latency_status *const latency = &samples->snapshot->status.latency[i];
        const struct label labels[] = {{"kind", (char *)latency_parts[i].word},
                                       {"reason", latency->reason ? latency->reason : ""}};

        if (latency->wanted)
            append_sample(samples, labels, ARRAY_SIZE(labels), !latency->reason);
    }
}

static void append_spans(const struct samples *samples)
{
    const struct span_statuses *const spans = &samples->snapshot->status.spans;

    for (size_t i = 0; i < spans->n; i++) {
        const struct span_status *const span = &spans->spans[i];
        const struct label labels[] = {{"span", (char *)span->name},
                                       {"reason", (char *)span->reason}};

        append_sample(samples, labels, ARRAY_SIZE(labels), !*span->reason);
    }
}

static void append_timed_calls(const struct samples *samples)
{
    const struct timed_calls_status *const timed = &samples->snapshot->status.timed_calls;

    for (size_t i = 0; i < timed->n; i++) {
        const struct label labels[] = {{"call", system_call_name(timed->calls[i])},
                                       {"class", system_call_class(timed->calls[i])},
                                       {"reason", timed->reason ? timed->reason : ""}};

        append_sample(samples, labels, ARRAY_SIZE(labels), timed->reason ? 0 : timed->one_in);
    }
}

static const struct profile_status *profile_of(const struct samples *samples)
{
    return &samples->snapshot->status.profile;
}

/* Where nothing is sampled, there are no numbers of it. */
static bool is_sampled(const struct samples *samples)
{
    return profile_of(samples)->wanted && !profile_of(samples)->reason;
}

static void append_profile(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);
    const struct label label = {"reason", profile->reason ? profile->reason : ""};

    if (profile->wanted)
        append_sample(samples, &label, 1, !profile->reason);
}

static void append_stacks(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);

    for (enum profile_outcome i = 0; is_sampled(samples) && i < PROFILE_OUTCOME_COUNT_; i++) {
        const struct label label = {"outcome", profile_outcome_name(i)};

        append_sample(samples, &label, 1, profile->stacks[i]);
    }
}

static void append_reads(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);

    for (enum object_outcome i = 0; is_sampled(samples) && i < OBJECT_OUTCOME_COUNT_; i++) {
        const struct label label = {"outcome", object_outcome_name(i)};

        append_sample(samples, &label, 1, profile->jobs[i]);
    }
}

static void append_files(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);
    const struct {
        const char *state;
        uint64_t n;
    } states[] = {{"read", profile->files_read},
                  {"awaited", profile->files_awaited},
                  {"refused", profile->files_refused},
                  {"missing", profile->files_missing},
                  {"kept", profile->files_kept}};

    for (size_t i = 0; is_sampled(samples) && i < ARRAY_SIZE(states); i++) {
        const struct label label = {"state", states[i].state};

        append_sample(samples, &label, 1, states[i].n);
    }
}

static void append_without_room(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);
    const struct label process = {"kind", "process"}, file = {"kind", "file"};
    const struct label table = {"kind", "table"}, map = {"kind", "map"};

    if (!is_sampled(samples))
        return;
    append_sample(samples, &process, 1, profile->processes_without_room);
    append_sample(samples, &file, 1, profile->files_without_room);
    append_sample(samples, &table, 1, profile->tables_without_room);
    append_sample(samples, &map, 1, profile->maps_without_room);
}

static void append_profile_times(const struct samples *samples)
{
    const struct profile_status *const profile = profile_of(samples);
    const struct {
        const char *part;
        uint64_t ns;
    } parts[] = {{"program", profile->program_ns},
                 {"sampler", profile->sampler_cpu_ns},
                 {"reader", profile->reader_cpu_ns}};

    for (size_t i = 0; is_sampled(samples) && i < ARRAY_SIZE(parts); i++) {
        const struct label label = {"part", parts[i].part};

        begin_sample(samples, &label, 1);
        text_append_seconds(samples->text, parts[i].ns);
        text_append_char(samples->text, '\n');
    }
}

/*
 * One sample for each reason, also if its number is 0: rate() sees the first increase only if there
 * was a sample before it.
 */
static void append_by_reason(const struct samples *samples, const char *const *reasons,
                             const uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct label label = {"reason", reasons[i]};

        append_sample(samples, &label, 1, numbers[i]);
    }
}

static void append_closed(const struct samples *samples)
{
    static const char *const reasons[HTTP_CLOSINGS_] = {
        [HTTP_CLOSED_IDLE] = "idle", [HTTP_CLOSED_SLOW] = "slow", [HTTP_CLOSED_ROOM] = "room"};

    append_by_reason(samples, reasons, samples->facts->http->closed, ARRAY_SIZE(reasons));
}

static void append_refused(const struct samples *samples)
{
    static const char *const reasons[HTTP_REFUSALS_] = {[HTTP_REFUSED_BUSY] = "busy",
                                                        [HTTP_REFUSED_NO_DESCRIPTORS] =
                                                            "no_descriptors",
                                                        [HTTP_REFUSED_NO_MEMORY] = "no_memory"};

    append_by_reason(samples, reasons, samples->facts->http->refused, ARRAY_SIZE(reasons));
}

static const struct {
    struct family_name name;
    const char *help;
    void (*append)(const struct samples *samples);
    bool is_of_http; /* it is absent where there is no server */
} families[] = {
    {{"pmu_exporter_build_info", FAMILY_INFO},
     "Version and revision of the exporter. The value is always 1.",
     append_build_info,
     false},
    {{"pmu_exporter_event_info", FAMILY_INFO},
     "Events that are counted, with their metric, group and encoding, and with the event that is "
     "counted in their place if the PMU does not have them. The value is always 1.",
     append_event_info,
     false},
    {{"pmu_exporter_event_supported", FAMILY_GAUGE},
     "1 if the configured event is counted, else 0 and the reason.",
     append_event_supported,
     false},
    {{"pmu_exporter_mechanism_info", FAMILY_INFO},
     "How the targets of a scope are counted, and why so. The value is always 1.",
     append_mechanisms,
     false},
    {{"pmu_exporter_targets", FAMILY_GAUGE},
     "Number of targets that are counted now, and of which nothing is left out.",
     append_targets,
     false},
    {{"pmu_exporter_targets_uncounted", FAMILY_GAUGE},
     "Number of targets that are wanted but not counted now, or only in part, by reason.",
     append_uncounted,
     false},
    {{"pmu_exporter_targets_dropped_total", FAMILY_COUNTER},
     "Number of targets that were refused since the start, or ended before anything of them was "
     "counted, by reason.",
     append_dropped,
     false},
    {{"pmu_exporter_pmu_counters", FAMILY_GAUGE},
     "Number of hardware counters of a CPU: free are those that were found free before anything "
     "was counted, budget those of them that the exporter may use, used those that it can have in "
     "use at once.",
     append_pmu_counters,
     false},
    {{"pmu_exporter_latency_supported", FAMILY_GAUGE},
     "1 if there are the distributions of latency that the configuration asks for, else 0 and the "
     "reason.",
     append_latency,
     false},
    {{"pmu_exporter_span_supported", FAMILY_GAUGE},
     "1 if the configured span is counted, else 0 and the reason.",
     append_spans,
     false},
    {{"pmu_exporter_system_call_timed_one_in", FAMILY_GAUGE},
     "Of so many system calls of this name one is timed: 1, or 17 of each thread and of all these "
     "names together, by which count and sum are to be multiplied. 0 and the reason if none is.",
     append_timed_calls,
     false},
    {{"pmu_exporter_profile_supported", FAMILY_GAUGE},
     "1 if stacks are sampled, as the configuration asks for, else 0 and the reason.",
     append_profile,
     false},
    {{"pmu_exporter_profile_stacks_total", FAMILY_COUNTER},
     "Number of stacks that were sampled, by how far they could be unwound: complete, or why not.",
     append_stacks,
     false},
    {{"pmu_exporter_profile_files", FAMILY_GAUGE},
     "Number of programs and libraries by which stacks are unwound: those that were read, that "
     "wait "
     "for it, that could not be read, that are not there any more, and that are kept for their "
     "names although no process has them mapped.",
     append_files,
     false},
    {{"pmu_exporter_profile_reads_total", FAMILY_COUNTER},
     "Number of times that a program, a library or a map of functions was read, by how it ended.",
     append_reads,
     false},
    {{"pmu_exporter_profile_without_room_total", FAMILY_COUNTER},
     "Number of times that there was no room for what a process has mapped, so that its stacks end "
     "at their first function; for a program or library, which is then one of \"[other files]\"; "
     "for the table of one, in which stacks end then; or for a map of functions that were compiled "
     "at run time, which have no names then.",
     append_without_room,
     false},
    {{"pmu_exporter_profile_cpu_seconds_total", FAMILY_COUNTER},
     "CPU time that profiles took: of the program in the kernel, which is within the time of what "
     "it samples; of the exporter's thread; and of the process that reads files.",
     append_profile_times,
     false},
    {{"pmu_exporter_http_connections_closed_total", FAMILY_COUNTER},
     "Number of HTTP connections that the exporter has closed, by reason: idle for too long, slow "
     "to ask or to take an answer, or closed to make room for a new connection.",
     append_closed,
     true},
    {{"pmu_exporter_http_connections_refused_total", FAMILY_COUNTER},
     "Number of HTTP connections that were refused, by reason: all others were busy, no descriptor "
     "was left (the client waits, and each attempt counts), or no memory.",
     append_refused,
     true},
};

void own_labelled_append(struct page *page, const struct snapshot *snapshot,
                         const struct exposition_facts *facts)
{
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        const struct samples samples = {page->text, families[i].name.text, snapshot, facts};
        const size_t begin = page->text->length;
        size_t head_end;

        if (!page_wants(page, families[i].name) || (families[i].is_of_http && !facts->http))
            continue;
        page_append_head(page, families[i].name, families[i].help);
        head_end = page->text->length;
        families[i].append(&samples);
        if (page->text->length == head_end)
            page->text->length = begin; /* a family without samples is not shown at all */
    }
}
