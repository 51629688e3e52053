#include "study/jobs/job_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/text.h"
#include "net/host_list.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "study/flit/flit_case.h"
#include "traffic/goal_file.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/recorded/recording.h"
#include "traffic/schedule.h"
#include "traffic/workload.h"

#define COLLECTIVE_BYTES 64 /* of a collective that says nothing of it */

/* What begins a job that is a program. */
static const char goal[] = "goal:", recorded[] = "recorded:";

/* The words of a job. */
struct words {
    int64_t repeat;
    double load, start;
    uint64_t bytes;
    char *ranks, *hosts, *placement, *collectives;
    struct cw_text rules; /* all that collectives= have said */
    unsigned given;       /* a bit for each of these that was set */
};

static const struct cw_option word_options[] = {
    {.name = "ranks", .type = CW_OPTION_TEXT, .offset = offsetof(struct words, ranks)},
    {.name = "hosts", .type = CW_OPTION_TEXT, .offset = offsetof(struct words, hosts)},
    {.name = "load", .type = CW_OPTION_REAL, .offset = offsetof(struct words, load), .min = 1e-6, .max = 1},
    {.name = "bytes", .type = CW_OPTION_BYTES, .offset = offsetof(struct words, bytes), .min = 1, .max = 1e18},
    {.name = "placement", .type = CW_OPTION_TEXT, .offset = offsetof(struct words, placement)},
    {.name = "collectives", .type = CW_OPTION_TEXT, .offset = offsetof(struct words, collectives)},
    {.name = "start", .type = CW_OPTION_TIME, .offset = offsetof(struct words, start), .min = 0, .max = 1e6},
    {.name = "repeat", .type = CW_OPTION_INT, .offset = offsetof(struct words, repeat), .min = 1, .max = 1e6},
    {.name = NULL},
};

static void free_owned(struct cw_job_request *job)
{
    cw_program_free(job->program);
    free(job->endpoints);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool is_collective(const char *what)
{
    char name[CW_SPEC_NAME_SIZE];
    cw_spec_split(what, name, sizeof name);
    return cw_schedule_find(name);
}

static bool is_rule(const char *name)
{
    return strcmp(name, "collectives") == 0;
}

/* CW_EUSAGE if this option of a job was given before; of rules there may be several, for ';' ends a job. */
static int check_new(const char *owner, struct words *words, const char *name)
{
    for (size_t i = 0; word_options[i].name; i++) {
        if (strcmp(word_options[i].name, name) != 0 || is_rule(name)) continue;
        if (words->given & 1u << i) return cw_fail(CW_EUSAGE, "%s: %s is given twice", owner, name);
        words->given |= 1u << i;
    }
    return 0;
}

static int parse_words(const char *owner, char *text, struct words *words)
{
    int rc = cw_options_init(word_options, words);
    for (char *word; !rc && (word = cw_next_word(&text)) != NULL;) {
        char *value = strchr(word, '=');
        if (!value)
            return cw_fail(CW_EUSAGE,
                           "%s: '%s' is not understood; expected hosts=N, hosts=NAMES, ranks=N, load=X, bytes=SIZE, "
                           "placement=P, start=TIME, repeat=N or collectives=RULE",
                           owner, word);
        *value = 0;
        rc = check_new(owner, words, word);
        if (!rc) rc = cw_options_set(owner, word_options, words, word, value + 1);
        if (!rc && is_rule(word)) cw_text_printf(&words->rules, "%s%s", words->rules.length > 0 ? ";" : "", value + 1);
    }
    return rc ? rc : cw_text_check(&words->rules);
}

/* Words that a job of another kind has no use for. */
static int check_words(const char *owner, const char *what, const struct words *words, const struct cw_job_request *job)
{
    const char *kind = job->program ? "program" : "collective";
    if ((job->program || job->collective) && words->load > 0)
        return cw_fail(CW_EUSAGE, "%s: %s is a %s, which sends as soon as it can; load= is for traffic patterns", owner,
                       what, kind);
    if (job->program && words->bytes > 0)
        return cw_fail(CW_EUSAGE,
                       "%s: %s is a program, whose file says how long its messages are; expected no bytes=", owner,
                       what);
    if (job->program && job->ranks > 0 && job->ranks != job->program->n_ranks)
        return cw_fail(CW_EUSAGE, "%s: %s has %u ranks; expected no ranks=, or the same", owner, what,
                       job->program->n_ranks);
    if (words->collectives && strncmp(what, recorded, strlen(recorded)) != 0)
        return cw_fail(CW_EUSAGE, "%s: %s is no recording; collectives= says which schedules those of one are", owner,
                       what);
    if (words->repeat > 1 && !cw_job_ends(job))
        return cw_fail(CW_EUSAGE, "%s: %s never ends; repeat= is for what does, as with bytes=SIZE", owner, what);
    return 0;
}

static int read_recording(const char *path, const char *rule, struct cw_job_request *job)
{
    struct cw_recording *recording;
    uint64_t left_out;
    int rc = cw_recording_read(path, &recording);
    if (rc) return rc;
    rc = cw_recording_program(recording, rule, &job->program, &left_out);
    job->recorded = cw_recording_seconds(recording);
    job->waited = cw_recording_waited(recording);
    if (!cw_recording_crowded(recording, &job->crowd, &job->processors)) job->crowd = 0;
    cw_recording_free(recording);
    return rc;
}

/* The program of a job that is one. */
static int read_program(const char *owner, const char *what, const char *rule, struct cw_job_request *job)
{
    const bool was_recorded = strncmp(what, recorded, strlen(recorded)) == 0;
    const char *kind = was_recorded ? recorded : goal;
    if (strncmp(what, "moves:", strlen("moves:")) == 0)
        return cw_fail(CW_EUSAGE, "%s: %s shares the network with nobody; expected no other job", owner, what);
    if (strncmp(what, kind, strlen(kind)) != 0) return 0;
    const char *file = what + strlen(kind);
    if (!*file) return cw_fail(CW_EUSAGE, "%s: %s names no file; expected %sFILE", owner, what, kind);
    return was_recorded ? read_recording(file, rule, job) : cw_goal_read(file, &job->program);
}

/* The number that TEXT (NULL: 0) is, or the share of N_ENDPOINTS, to the nearest. */
static int parse_ranks(const char *owner, const char *text, uint32_t n_endpoints, uint32_t *ranks)
{
    double value = 0;
    int64_t number;
    char what[64];
    *ranks = 0;
    if (!text) return 0;
    snprintf(what, sizeof what, "%s: ranks", owner);
    const bool share = strchr(text, '%');
    int rc = share ? cw_parse_real(what, text, &value) : cw_parse_int(what, text, &number);
    if (!rc) value = share ? floor(value * n_endpoints + 0.5) : (double)number;
    if (!rc && !(value >= 1 && value <= UINT32_MAX))
        rc = cw_fail(CW_EUSAGE, "%s: ranks=%s is no job; expected 1 or more, or more than 0%%", owner, text);
    if (!rc) *ranks = (uint32_t)value;
    return rc;
}

/* What hosts= names, while it is read. */
struct naming {
    const char *owner;
    const struct cw_network *net;
    struct cw_name_index *names;
    bool *named;         /* [endpoints of NET], as the next */
    uint32_t *endpoints; /* in their order */
    uint32_t n;
};

static int add_endpoint(struct naming *naming, uint32_t endpoint)
{
    char name[CW_NAME_SIZE];
    if (naming->named[endpoint])
        return cw_fail(CW_EUSAGE, "%s: hosts= names %s twice", naming->owner,
                       cw_network_name(naming->net, endpoint, name, sizeof name));
    naming->named[endpoint] = true;
    naming->endpoints[naming->n++] = endpoint;
    return 0;
}

static int add_named(void *context, const char *text, bool last)
{
    struct naming *naming = context;
    const uint32_t v = cw_name_index_vertex(naming->names, text);
    int rc = 0;
    if (v != CW_NONE && cw_network_is_endpoint(naming->net, v)) return add_endpoint(naming, v);
    const uint32_t first = v == CW_NONE ? cw_name_index_host(naming->names, text) : CW_NONE;
    for (uint32_t e = first; !rc && e != CW_NONE; e = cw_name_index_host_next(naming->names, e))
        rc = add_endpoint(naming, e);
    if (first != CW_NONE) return rc;
    if (!last) return CW_HOST_UNKNOWN;
    return cw_fail(CW_EUSAGE, "%s: hosts= names no endpoint '%s'; expected a number, or names (crosswind help names)",
                   naming->owner, text);
}

/* Sets JOB's endpoints to those that TEXT names. */
static int parse_names(const char *owner, const char *text, const struct cw_network *net, struct cw_job_request *job)
{
    struct naming naming = {.owner = owner, .net = net};
    if (job->ranks > 0) return cw_fail(CW_EUSAGE, "%s: hosts= and ranks= say the same; give one of them", owner);
    if (!net) return cw_fail(CW_EUSAGE, "%s: hosts=%s names endpoints, and none has a name", owner, text);
    naming.named = cw_new_array(net->n_endpoints, sizeof *naming.named, "hosts of a job");
    naming.endpoints = job->endpoints = cw_new_array(net->n_endpoints, sizeof *naming.endpoints, "hosts of a job");
    int rc = naming.named && naming.endpoints ? cw_name_index_new(net, &naming.names) : CW_ENOMEM;
    if (!rc) rc = cw_host_list_each(text, add_named, &naming);
    cw_name_index_free(naming.names);
    free(naming.named);
    job->ranks = naming.n;
    return rc;
}

/* How many ranks a job has, and where. */
static int parse_hosts(const char *owner, const struct words *words, uint32_t n_endpoints, const struct cw_network *net,
                       struct cw_job_request *job)
{
    const char *hosts = words->hosts;
    int rc = parse_ranks(owner, words->ranks, n_endpoints, &job->ranks);
    if (rc || !hosts) return rc;
    if (strspn(hosts, "0123456789.%") < strlen(hosts)) {
        if (words->placement)
            return cw_fail(CW_EUSAGE, "%s: hosts= names where its ranks are; expected no placement=", owner);
        return parse_names(owner, hosts, net, job);
    }
    if (job->ranks > 0) return cw_fail(CW_EUSAGE, "%s: hosts= and ranks= say the same; give one of them", owner);
    return parse_ranks(owner, hosts, n_endpoints, &job->ranks);
}

/* TEXT is overwritten. */
static int parse_job(size_t number, char *text, const char *placement, uint32_t n_endpoints,
                     const struct cw_network *net, struct cw_jobs *jobs)
{
    char owner[32];
    struct words words = {0};
    snprintf(owner, sizeof owner, "job %zu", number);
    const char *what = cw_next_word(&text);
    int rc = parse_words(owner, text, &words);
    struct cw_job_request job = {.collective = is_collective(what),
                                 .repeat = words.repeat > 1 ? (uint32_t)words.repeat : 1,
                                 .start = words.start,
                                 .load = words.load > 0 ? words.load : 1,
                                 .bytes = words.bytes};
    if (job.collective && job.bytes == 0) job.bytes = COLLECTIVE_BYTES;
    if (!rc) rc = parse_hosts(owner, &words, n_endpoints, net, &job);
    if (!rc) rc = read_program(owner, what, words.rules.data, &job);
    if (!rc) rc = check_words(owner, what, &words, &job);
    if (job.program) job.ranks = job.program->n_ranks;
    if (rc)
        free_owned(&job);
    else
        rc = cw_jobs_add(jobs, what, words.placement ? words.placement : placement, job);
    cw_options_free(word_options, &words);
    cw_text_free(&words.rules);
    return rc;
}

/* Gives the one job without ranks what the others leave. */
static int share_endpoints(struct cw_jobs *jobs, uint32_t n_endpoints)
{
    struct cw_job_request *rest = NULL;
    uint64_t taken = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        taken += jobs->items[i].ranks;
        if (jobs->items[i].ranks > 0) continue;
        if (rest) return cw_fail(CW_EUSAGE, "job %zu: expected ranks=N; only one job can leave it out", i + 1);
        rest = &jobs->items[i];
    }
    if (taken > n_endpoints || (rest && n_endpoints - taken < 2))
        return cw_fail(CW_EUSAGE, "the jobs have %llu ranks%s, but there are %u endpoints", (unsigned long long)taken,
                       rest ? " and one of them gets the remaining endpoints" : "", n_endpoints);
    if (rest) rest->ranks = (uint32_t)(n_endpoints - taken);
    return 0;
}

int cw_jobs_parse(const char *text, const char *placement, uint32_t n_endpoints, const struct cw_network *net,
                  struct cw_jobs *out)
{
    struct cw_jobs jobs = {0};
    char *copy = cw_copy_text(text, strlen(text)), *next = copy;
    int rc = copy ? 0 : CW_ENOMEM;
    while (!rc && next) {
        char *job = next;
        next = strpbrk(job, ";\n");
        if (next) *next++ = 0;
        if (strspn(job, " \t\r") < strlen(job)) rc = parse_job(jobs.n + 1, job, placement, n_endpoints, net, &jobs);
    }
    free(copy);
    if (!rc && jobs.n == 0)
        rc = cw_fail(CW_EUSAGE, "no jobs are given; expected for example 'bitcomp ranks=8; uniform'");
    if (!rc) rc = share_endpoints(&jobs, n_endpoints);
    if (rc)
        cw_jobs_free(&jobs);
    else
        *out = jobs;
    return rc;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

int cw_jobs_add(struct cw_jobs *jobs, const char *what, const char *placement, struct cw_job_request job)
{
    struct cw_job_request *items = realloc(jobs->items, (jobs->n + 1) * sizeof *items);
    if (!items) {
        free_owned(&job);
        return cw_fail_memory((jobs->n + 1) * sizeof *items, "jobs");
    }
    jobs->items = items;
    job.what = cw_copy_text(what, strlen(what));
    job.placement = cw_copy_text(placement, strlen(placement));
    jobs->items[jobs->n++] = job;
    return job.what && job.placement ? 0 : CW_ENOMEM;
}

void cw_jobs_free(struct cw_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        free(jobs->items[i].what);
        free(jobs->items[i].placement);
        free_owned(&jobs->items[i]);
    }
    free(jobs->items);
    *jobs = (struct cw_jobs){0};
}

size_t cw_jobs_ending(const struct cw_jobs *jobs)
{
    size_t ending = 0;
    for (size_t i = 0; i < jobs->n; i++) ending += cw_job_ends(&jobs->items[i]);
    return ending;
}

static int is_drawn(const struct cw_job_request *job, const struct cw_network *net,
                    const struct cw_selection *selection, bool *drawn)
{
    char name[CW_SPEC_NAME_SIZE];
    struct cw_placement *placement;
    const int rc = cw_placement_new(job->placement, net, selection, &placement);
    if (rc) return rc;
    *drawn |= !job->endpoints && cw_placement_is_random(placement);
    cw_placement_free(placement);
    if (job->collective || job->program) return 0;
    cw_spec_split(job->what, name, sizeof name);
    const struct cw_pattern_kind *kind = cw_registry_find(&cw_pattern_registry, name);
    if (!kind) return cw_registry_unknown(&cw_pattern_registry, name);
    *drawn |= kind->random;
    return 0;
}

int cw_jobs_are_drawn(const struct cw_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                      bool *drawn)
{
    int rc = 0;
    *drawn = false;
    for (size_t i = 0; !rc && i < jobs->n; i++) rc = is_drawn(&jobs->items[i], net, selection, drawn);
    return rc;
}

int cw_jobs_check_flits(const struct cw_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct cw_job_request *job = &jobs->items[i];
        const char *cannot = job->program                          ? "are programs"
                             : job->repeat > 1                     ? "are repeated"
                             : job->start > 0 && !cw_job_ends(job) ? "begin later and never end"
                                                                   : NULL;
        if (cannot)
            return cw_fail(CW_EUSAGE, "job %zu (%s): flit by flit there are no jobs that %s; --model flows has them",
                           i + 1, job->what, cannot);
    }
    return 0;
}

int cw_jobs_check_counts(const struct cw_jobs *jobs)
{
    size_t collectives = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        const struct cw_job_request *job = &jobs->items[i];
        const char *cannot = cw_job_ends(job) && !job->collective ? "ends and is no collective"
                             : job->start > 0                     ? "begins later"
                             : collectives && job->collective     ? "is a collective beside another"
                                                                  : NULL;
        collectives += job->collective;
        if (cannot)
            return cw_fail(CW_EUSAGE,
                           "job %zu (%s) %s; by counts there is one collective beside traffic without end: "
                           "--model flows has the rest",
                           i + 1, job->what, cannot);
    }
    return 0;
}

/* --- on their endpoints ------------------------------------------------------------------------------------------- */

/* Fills ENDPOINTS with the first of ORDER [N] that are not TAKEN, and takes them: WANTED ones, or all that are left.
 * Returns how many these are. */
static uint32_t take(const uint32_t *order, uint32_t n, bool *taken, uint32_t wanted, uint32_t *endpoints)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n && found < wanted; i++) {
        if (taken[order[i]]) continue;
        taken[order[i]] = true;
        endpoints[found++] = order[i];
    }
    return found;
}

/* Gives job INDEX the endpoints that it names, if it does. */
static int take_named(const struct cw_jobs *jobs, size_t index, const struct cw_network *net,
                      const struct cw_selection *selection, bool *taken, uint32_t *endpoints)
{
    const struct cw_job_request *job = &jobs->items[index];
    char name[CW_NAME_SIZE];
    for (uint32_t r = 0; job->endpoints && r < job->ranks; r++) {
        const uint32_t endpoint = job->endpoints[r];
        const char *why = taken[endpoint]                                                   ? "is another job's"
                          : selection && cw_selection_index(selection, endpoint) == CW_NONE ? "does not take part"
                                                                                            : NULL;
        if (why)
            return cw_fail(CW_EUSAGE, "job %zu: %s %s", index + 1, cw_network_name(net, endpoint, name, sizeof name),
                           why);
        taken[endpoint] = true;
        endpoints[r] = endpoint;
    }
    return 0;
}

static int seat_all(const struct cw_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                    uint64_t seed, uint64_t trial, uint32_t *endpoints)
{
    bool *taken = cw_new_array(net->n_endpoints, sizeof *taken, "a placement");
    uint32_t *at = endpoints;
    int rc = taken ? 0 : CW_ENOMEM;
    for (size_t i = 0; i < jobs->n && !rc; at += jobs->items[i++].ranks)
        rc = take_named(jobs, i, net, selection, taken, at);
    for (size_t i = 0; i < jobs->n && !rc; endpoints += jobs->items[i++].ranks) {
        uint32_t n, *order;
        if (jobs->items[i].endpoints) continue;
        rc = cw_flit_placement_order(jobs->items[i].placement, net, selection, seed, trial, &n, &order);
        if (rc) break;
        const uint32_t wanted = jobs->items[i].ranks, found = take(order, n, taken, wanted, endpoints);
        if (found < wanted)
            rc = cw_fail(CW_EUSAGE, "job %zu has %u ranks, but only %u endpoints are left", i + 1, wanted, found);
        free(order);
    }
    free(taken);
    return rc;
}

/* Job INDEX of SEATING, whose ranks run on ENDPOINTS: the first of SELECTION, or some of them if that is NULL. */
static int make_job(const struct cw_job_request *job, const struct cw_network *net,
                    const struct cw_selection *selection, const uint32_t *endpoints, uint64_t seed,
                    const struct cw_flit_messages *messages, struct cw_flit_seating *seating, size_t index)
{
    struct cw_flit_job *made = &seating->jobs[index];
    *made = (struct cw_flit_job){.kind = job->collective  ? CW_FLIT_SCHEDULE
                                         : job->bytes > 0 ? CW_FLIT_FINITE
                                                          : CW_FLIT_CONTINUOUS,
                                 .n_ranks = job->ranks,
                                 .endpoints = endpoints,
                                 .load = job->load,
                                 .message_flits = messages->flits,
                                 .sizes = messages->sizes,
                                 .n_sizes = messages->n_sizes,
                                 .bytes = job->bytes};
    if (job->program) return 0;
    const char *placement = job->endpoints ? "contiguous" : job->placement;
    const int rc = job->collective ? cw_schedule_new(job->what, &seating->schedules[index])
                                   : cw_flit_workload_new(job->what, placement, net, selection, job->ranks, endpoints,
                                                          seed, &seating->workloads[index]);
    made->schedule = seating->schedules[index];
    made->workload = seating->workloads[index];
    return rc;
}

int cw_flit_seating_make(const struct cw_jobs *jobs, const struct cw_network *net, const struct cw_selection *selection,
                         uint64_t seed, uint64_t trial, const struct cw_flit_messages *messages,
                         struct cw_flit_seating *out)
{
    struct cw_flit_seating made = {
        .n = jobs->n,
        .jobs = cw_new_array(jobs->n, sizeof *made.jobs, "jobs"),
        .workloads = cw_new_array(jobs->n, sizeof *made.workloads, "jobs"),
        .schedules = cw_new_array(jobs->n, sizeof *made.schedules, "jobs"),
        .endpoints = cw_new_array(net->n_endpoints, sizeof *made.endpoints, "a placement"),
    };
    int rc = made.jobs && made.workloads && made.schedules && made.endpoints ? 0 : CW_ENOMEM;
    if (!rc) rc = seat_all(jobs, net, selection, seed, trial, made.endpoints);
    const uint32_t *endpoints = made.endpoints;
    const struct cw_selection *whole = jobs->n == 1 && !jobs->items->endpoints ? selection : NULL;
    for (size_t i = 0; i < jobs->n && !rc; i++) {
        const uint64_t own = cw_random_hash(seed, trial * jobs->n + i);
        rc = make_job(&jobs->items[i], net, whole, endpoints, own, messages, &made, i);
        endpoints += jobs->items[i].ranks;
    }
    if (rc)
        cw_flit_seating_free(&made);
    else
        *out = made;
    return rc;
}

void cw_flit_seating_free(struct cw_flit_seating *seating)
{
    for (size_t i = 0; i < seating->n; i++) {
        if (seating->workloads) cw_workload_free(seating->workloads[i]);
        if (seating->schedules) cw_schedule_free(seating->schedules[i]);
    }
    free(seating->jobs);
    free(seating->workloads);
    free(seating->schedules);
    free(seating->endpoints);
    *seating = (struct cw_flit_seating){0};
}

/* --- by counts ---------------------------------------------------------------------------------------------------- */

static int add_background(struct cw_collective *model, const struct cw_flit_job *job, uint64_t seed)
{
    int rc = 0;
    for (uint32_t r = 0; r < job->n_ranks && !rc; r++) {
        const uint32_t to = cw_workload_destination(job->workload, r, cw_random_hash(seed, r));
        if (to != r) rc = cw_collective_add_background(model, 1, &job->endpoints[r], &job->endpoints[to]);
    }
    return rc;
}

int cw_flit_jobs_count(const struct cw_collective_setup *how, const struct cw_flit_job *jobs, size_t n, size_t job,
                       uint64_t seed, struct cw_times *out)
{
    const struct cw_flit_job *of = &jobs[job];
    struct cw_collective_setup setup = *how;
    struct cw_collective *model;
    setup.schedule = of->schedule;
    setup.bytes = of->bytes;
    int rc = cw_collective_new(&setup, &model);
    if (rc) return rc;
    for (size_t i = 0; i < n && !rc; i++)
        if (jobs[i].workload) rc = add_background(model, &jobs[i], seed);
    if (!rc) rc = cw_collective_run(model, of->n_ranks, of->endpoints, NULL, NULL, out);
    cw_collective_free(model);
    return rc;
}
