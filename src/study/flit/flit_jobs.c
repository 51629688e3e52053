#include "study/flit/flit_jobs.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "traffic/schedule.h"

#define COLLECTIVE_BYTES 64 /* of a collective that says nothing of it */

/* The words of a job. */
struct words {
    int64_t ranks;
    double load;
    uint64_t bytes;
    char *placement;
    unsigned given; /* a bit for each of these that was set */
};

static const struct cw_option word_options[] = {
    {.name = "ranks", .type = CW_OPTION_INT, .offset = offsetof(struct words, ranks), .min = 1, .max = UINT32_MAX},
    {.name = "load", .type = CW_OPTION_REAL, .offset = offsetof(struct words, load), .min = 1e-6, .max = 1},
    {.name = "bytes", .type = CW_OPTION_BYTES, .offset = offsetof(struct words, bytes), .min = 1, .max = 1e18},
    {.name = "placement", .type = CW_OPTION_TEXT, .offset = offsetof(struct words, placement)},
    {.name = NULL},
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool is_collective(const char *what)
{
    char name[CW_SPEC_NAME_SIZE];
    cw_spec_split(what, name, sizeof name);
    return cw_schedule_find(name);
}

/* The next word of *TEXT, ended by a 0, or NULL. */
static char *next_word(char **text)
{
    char *word = *text;
    while (isspace((unsigned char)*word)) word++;
    if (!*word) return NULL;
    char *end = word;
    while (*end && !isspace((unsigned char)*end)) end++;
    *text = *end ? end + 1 : end;
    *end = 0;
    return word;
}

/* CW_EUSAGE if this option of a job was given before. */
static int check_new(const char *owner, struct words *words, const char *name)
{
    for (size_t i = 0; word_options[i].name; i++) {
        if (strcmp(word_options[i].name, name) != 0) continue;
        if (words->given & 1u << i) return cw_fail(CW_EUSAGE, "%s: %s is given twice", owner, name);
        words->given |= 1u << i;
    }
    return 0;
}

static int parse_words(const char *owner, char *text, struct words *words)
{
    int rc = cw_options_init(word_options, words);
    for (char *word; !rc && (word = next_word(&text)) != NULL;) {
        char *value = strchr(word, '=');
        if (!value)
            return cw_fail(CW_EUSAGE, "%s: '%s' is not understood; expected ranks=N, load=X, bytes=SIZE or placement=P",
                           owner, word);
        *value = 0;
        rc = check_new(owner, words, word);
        if (!rc) rc = cw_options_set(owner, word_options, words, word, value + 1);
    }
    return rc;
}

/* TEXT is overwritten. */
static int parse_job(size_t number, char *text, const char *placement, struct cw_flit_jobs *jobs)
{
    char owner[32];
    struct words words = {0};
    snprintf(owner, sizeof owner, "job %zu", number);
    const char *what = next_word(&text);
    int rc = parse_words(owner, text, &words);
    const bool collective = is_collective(what);
    if (!rc && collective && words.load > 0)
        rc = cw_fail(CW_EUSAGE, "%s: %s is a collective, which sends as soon as it can; load= is for traffic patterns",
                     owner, what);
    struct cw_flit_request job = {.collective = collective,
                                  .ranks = (uint32_t)words.ranks,
                                  .load = words.load > 0 ? words.load : 1,
                                  .bytes = words.bytes > 0 || !collective ? words.bytes : COLLECTIVE_BYTES};
    if (!rc) rc = cw_flit_jobs_add(jobs, what, words.placement ? words.placement : placement, job);
    cw_options_free(word_options, &words);
    return rc;
}

/* Gives the one job without ranks what the others leave. */
static int share_endpoints(struct cw_flit_jobs *jobs, uint32_t n_endpoints)
{
    struct cw_flit_request *rest = NULL;
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

int cw_flit_jobs_parse(const char *text, const char *placement, uint32_t n_endpoints, struct cw_flit_jobs *out)
{
    struct cw_flit_jobs jobs = {0};
    char *copy = cw_copy_text(text, strlen(text)), *next = copy;
    int rc = copy ? 0 : CW_ENOMEM;
    while (!rc && next) {
        char *job = next;
        next = strpbrk(job, ";\n");
        if (next) *next++ = 0;
        if (strspn(job, " \t\r") < strlen(job)) rc = parse_job(jobs.n + 1, job, placement, &jobs);
    }
    free(copy);
    if (!rc && jobs.n == 0)
        rc = cw_fail(CW_EUSAGE, "no jobs are given; expected for example 'bitcomp ranks=8; uniform'");
    if (!rc) rc = share_endpoints(&jobs, n_endpoints);
    if (rc)
        cw_flit_jobs_free(&jobs);
    else
        *out = jobs;
    return rc;
}

int cw_flit_jobs_perturb(const char *collective, uint64_t bytes, double ratio, double load, uint32_t n_endpoints,
                         struct cw_flit_jobs *out)
{
    const uint32_t perturbing = (uint32_t)floor(ratio * n_endpoints + 0.5), left = n_endpoints - perturbing;
    struct cw_flit_jobs jobs = {0};
    if (left < 2)
        return cw_fail(CW_EUSAGE, "ratio %g of %u endpoints leaves %u to the application, expected at least 2", ratio,
                       n_endpoints, left);
    int rc = cw_flit_jobs_add(&jobs, collective, "random",
                              (struct cw_flit_request){.collective = true, .ranks = left, .bytes = bytes});
    if (!rc && perturbing >= 2)
        rc = cw_flit_jobs_add(&jobs, "permutation", "random",
                              (struct cw_flit_request){.ranks = perturbing, .load = load});
    if (rc)
        cw_flit_jobs_free(&jobs);
    else
        *out = jobs;
    return rc;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

int cw_flit_jobs_add(struct cw_flit_jobs *jobs, const char *what, const char *placement, struct cw_flit_request job)
{
    struct cw_flit_request *items = realloc(jobs->items, (jobs->n + 1) * sizeof *items);
    if (!items) return cw_fail_memory((jobs->n + 1) * sizeof *items, "jobs");
    jobs->items = items;
    job.what = cw_copy_text(what, strlen(what));
    job.placement = cw_copy_text(placement, strlen(placement));
    jobs->items[jobs->n++] = job;
    return job.what && job.placement ? 0 : CW_ENOMEM;
}

void cw_flit_jobs_free(struct cw_flit_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        free(jobs->items[i].what);
        free(jobs->items[i].placement);
    }
    free(jobs->items);
    *jobs = (struct cw_flit_jobs){0};
}

size_t cw_flit_jobs_ending(const struct cw_flit_jobs *jobs)
{
    size_t ending = 0;
    for (size_t i = 0; i < jobs->n; i++) ending += jobs->items[i].collective || jobs->items[i].bytes > 0;
    return ending;
}
