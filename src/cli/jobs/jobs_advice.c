/* What would make jobs faster. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/interval_note.h"
#include "cli/jobs/jobs_run.h"
#include "net/hosts.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/engine.h"
#include "study/compare/install.h"
#include "study/jobs/advice.h"
#include "study/jobs/seat_swaps.h"

static const struct cw_column advice_columns[] = {
    {"kind", CW_COLUMN_TEXT, NULL, "what is changed: placement, collective, routing or cable"},
    {"change", CW_COLUMN_TEXT, NULL,
     "the last job's placement, one with hosts swapped, its algorithm, all routes, a cable's speed, or cables that "
     "were missing"},
    {"time_mean", CW_COLUMN_REAL, "s", "the job's time beside the others"},
    {"time_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
    {"slowed_mean", CW_COLUMN_REAL, NULL, "by the others: time / time alone"},
    {"slowed_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"slows_mean", CW_COLUMN_REAL, NULL, "the others: their time beside this job alone / alone, mean of all that end"},
    {"slows_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"gain_mean", CW_COLUMN_REAL, NULL, "the job's time as it was asked for / with this change"},
    {"gain_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"all_gain_mean", CW_COLUMN_REAL, NULL, "the same of all jobs that end, geometric mean"},
    {"all_gain_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"proof_mean", CW_COLUMN_REAL, NULL,
     "the gain with other seeds, of routing and cable that of all jobs; only of what is a gain"},
    {"proof_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

/* Appends in FORM where the last job runs, on ENDPOINTS. */
static int list_hosts(const struct jobs_run *run, const uint32_t *endpoints, enum cw_hosts_form form,
                      struct cw_text *text)
{
    return cw_hosts_write(run->fabric.net, form, endpoints, run->jobs.items[run->jobs.n - 1].ranks, text);
}

static int write_hosts(const struct jobs_run *run, const uint32_t *endpoints)
{
    struct cw_text text = {0};
    int rc = list_hosts(run, endpoints, (enum cw_hosts_form)run->values->hosts_format, &text);
    if (!rc) rc = cw_file_write(run->values->hosts, &text);
    cw_text_free(&text);
    return rc;
}

/* How the last job is run where it is best placed: where hosts have names of their own. */
static int note_hosts(const struct jobs_run *run, const uint32_t *endpoints)
{
    struct cw_text text = {0};
    if (!run->fabric.net->names) return 0;
    const int rc = list_hosts(run, endpoints, CW_HOSTS_NODELIST, &text);
    if (!rc)
        cw_result_note(run->invocation->result,
                       "Run job %zu with srun --nodelist=%.*s; --hosts FILE says which rank is where.", run->jobs.n,
                       (int)strcspn(text.data, "\n"), text.data);
    cw_text_free(&text);
    return rc;
}

/* Where the last job had better run, or runs if BEST is NULL. */
static int show_hosts(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup,
                      const struct cw_advice_trial *best)
{
    uint32_t *found = NULL;
    int rc = 0;
    if (!best && !run->values->hosts) return 0;
    if (!best || !best->endpoints)
        rc = cw_advice_endpoints(setup, best ? best->change : run->jobs.items[run->jobs.n - 1].placement, &found);
    const uint32_t *endpoints = found ? found : best ? best->endpoints : NULL;
    if (!rc && best) rc = note_hosts(run, endpoints);
    if (!rc && run->values->hosts) rc = write_hosts(run, endpoints);
    free(found);
    return rc;
}

static const char *const advice_kinds[CW_ADVICE_KINDS] = {"placement", "collective", "routing", "cable"};

/* The first change of KIND that is advised, or NULL. */
static const struct cw_advice_trial *best_of(const struct cw_advice *advice, enum cw_advice_kind kind)
{
    for (size_t i = 0; i < advice->n; i++)
        if (advice->trials[i].kind == kind && advice->trials[i].advised) return &advice->trials[i];
    return NULL;
}

/* How an InfiniBand fabric gets the routes of SPEC, and who writes their tables. */
static int say_install(const struct jobs_run *run, const char *spec, struct cw_text *note)
{
    const struct common *common = &run->invocation->common;
    static const char no[] = "no: ";
    struct cw_install install = {.is_done = false};
    struct cw_routes *routes;
    if (run->fabric.net->identity) {
        int rc = cw_engine_route(run->fabric.net, spec, (uint64_t)common->seed, (unsigned)common->threads, &routes);
        if (rc) return rc;
        rc = cw_install_find(routes, spec, "yes", &install); /* nothing else is advised */
        cw_routes_free(routes);
        if (rc) return rc;
        if (strncmp(install.words.data, no, strlen(no)) == 0)
            cw_text_printf(note, " OpenSM cannot have these routes: %s.", install.words.data + strlen(no));
        else
            cw_text_printf(note, " For OpenSM to have these routes: %s.", install.words.data);
    }
    if (!install.words.data || install.by_file || install.by_roots)
        cw_text_printf(note, " crosswind route %s --routing %s %s.", run->invocation->positional[0], spec,
                       install.by_roots ? "writes these files: --write-roots, --write-compute"
                                        : "--write FILE writes its tables");
    cw_text_free(&install.words);
    return 0;
}

static int note_best(const struct jobs_run *run, const struct cw_advice_trial *best)
{
    static const char *const before[CW_ADVICE_KINDS] = {"Placement ", "The algorithm ", "Routing ", "Cable "};
    const struct cw_job_request *job = &run->jobs.items[run->jobs.n - 1];
    const struct cw_summary *gain = cw_advice_gain(best);
    const char *instead = best->kind == CW_ADVISE_PLACEMENT    ? job->placement
                          : best->kind == CW_ADVISE_COLLECTIVE ? job->what
                          : best->kind == CW_ADVISE_ROUTING    ? cw_routes_name(run->fabric.routes)
                                                               : NULL;
    char found[64], proven[64];
    struct cw_text note = {0};
    cw_text_printf(&note, "%s%s makes ", before[best->kind], best->change);
    if (gain == &best->all && run->jobs.n > 1)
        cw_text_printf(&note, "all jobs %.2f times as fast, in geometric mean", gain->mean);
    else
        cw_text_printf(&note, "job %zu (%s) %.2f times as fast", run->jobs.n, job->what, gain->mean);
    if (instead) cw_text_printf(&note, " as %s", instead);
    cw_text_printf(&note, "%s; with other seeds, %.2f times%s.", confidence_words(gain, 1, 2, found, sizeof found),
                   best->proof.mean, confidence_words(&best->proof, 1, 2, proven, sizeof proven));
    if (best->endpoints && !run->fabric.net->names) cw_text_add(&note, " --hosts FILE writes where it runs.");
    const int rc = best->kind == CW_ADVISE_ROUTING ? say_install(run, best->change, &note) : 0;
    if (rc)
        cw_text_free(&note);
    else
        cw_result_note_text(run->invocation->result, &note);
    return rc;
}

static int note_advice(const struct jobs_run *run, const struct cw_advice *advice, const bool kinds[CW_ADVICE_KINDS])
{
    static const char *const none[CW_ADVICE_KINDS] = {"placement", "other algorithm", "other routing", "faster cable"};
    const char *jobs = run->jobs.n > 1 ? "the jobs" : "the job";
    const struct cw_job_request *job = &run->jobs.items[run->jobs.n - 1];
    int rc = 0;
    for (enum cw_advice_kind k = 0; !rc && k < CW_ADVICE_KINDS; k++) {
        const struct cw_advice_trial *best = best_of(advice, k);
        if (best)
            rc = note_best(run, best);
        else if (kinds[k] && k == CW_ADVISE_PLACEMENT && job->endpoints)
            cw_result_note(run->invocation->result, "Job %zu (%s) names its hosts: with hosts=N others would be tried.",
                           run->jobs.n, job->what);
        else if (kinds[k] && k == CW_ADVISE_COLLECTIVE && !job->collective)
            cw_result_note(run->invocation->result, "Job %zu (%s) is no collective: it has one algorithm.", run->jobs.n,
                           job->what);
        else if (kinds[k] && (k == CW_ADVISE_ROUTING || k == CW_ADVISE_CABLE))
            cw_result_note(run->invocation->result, "No %s that was tried makes %s faster, beyond the interval.",
                           none[k], jobs);
        else if (kinds[k])
            cw_result_note(run->invocation->result,
                           "No %s that was tried makes job %zu (%s) faster, beyond the interval.", none[k], run->jobs.n,
                           job->what);
    }
    return rc;
}

static size_t count_kinds(const struct cw_advice *advice)
{
    bool seen[CW_ADVICE_KINDS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < advice->n; i++) seen[advice->trials[i].kind] = true;
    for (size_t k = 0; k < CW_ADVICE_KINDS; k++) n += seen[k];
    return n;
}

static int add_advice(const struct jobs_run *run, const struct cw_advice *advice)
{
    struct cw_table *table;
    const int rc =
        cw_result_new_detail(run->invocation->result, "advice",
                             count_kinds(advice) > 1 ? "What would make jobs faster" : "What there could be instead",
                             CW_ITEMS(advice_columns), &table);
    for (size_t i = 0; !rc && i < advice->n; i++) {
        const struct cw_advice_trial *at = &advice->trials[i];
        const double proof = at->proof.n > 0 ? at->proof.mean : NAN, interval = at->proof.n > 0 ? at->proof.ci95 : NAN;
        cw_table_row(table, "%s %s %g %g %g %g %g %g %g %g %g %g %g %g", advice_kinds[at->kind], at->change,
                     at->time.mean, at->time.ci95, at->slowed.mean, at->slowed.ci95, at->slows.mean, at->slows.ci95,
                     at->gain.mean, at->gain.ci95, at->all.mean, at->all.ci95, proof, interval);
    }
    return rc;
}

/* Says why hosts were not swapped, where that was asked for and other placements were tried. */
static int note_swaps(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup)
{
    const char *why;
    if (run->jobs.items[run->jobs.n - 1].endpoints) return 0;
    const int rc = cw_seats_check(setup, &why);
    if (!rc && why) cw_result_note(run->invocation->result, "Swaps of single hosts were not tried: %s.", why);
    return rc;
}

int jobs_advise(struct jobs_run *run, const struct cw_flow_jobs_setup *setup)
{
    struct cw_flow_jobs_setup how = *setup;
    struct cw_advice advice = {0};
    bool kinds[CW_ADVICE_KINDS];
    for (enum cw_advice_kind k = 0; k < CW_ADVICE_KINDS; k++) kinds[k] = jobs_advises(run->values, k);
    how.progress = invocation_progress(run->invocation, "advice", cw_advice_steps(setup, kinds));
    const struct routing *routing = &run->invocation->routing;
    const char *engine = routing->name ? routing->name : cw_routes_name(setup->routes);
    const bool known = !routing->lft && !routing->paths && !routing->nodes; /* how a new cable would be used */
    int rc = cw_advice_find(&how, known ? engine : NULL, kinds, &advice);
    cw_progress_free(how.progress);
    if (!rc && advice.n > 0) rc = add_advice(run, &advice);
    if (!rc) rc = note_advice(run, &advice, kinds);
    if (!rc && kinds[CW_ADVISE_PLACEMENT]) rc = note_swaps(run, setup);
    const struct cw_advice_trial *best = rc ? NULL : best_of(&advice, CW_ADVISE_PLACEMENT);
    if (!rc) rc = show_hosts(run, setup, best);
    cw_advice_free(&advice);
    return rc;
}
