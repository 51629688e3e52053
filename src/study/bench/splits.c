#include "study/bench/splits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "net/host_list.h"
#include "net/network_internal.h"
#include "study/bench/bench_run.h"

/* --- places ------------------------------------------------------------------------------------------------------- */

uint32_t cw_rank_places_number(const char *const *hosts, uint32_t n_ranks, uint32_t *host_of, const char **names)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t host = rank > 0 ? host_of[rank - 1] : 0; /* most often the one before */
        if (n == 0 || strcmp(names[host], hosts[rank]) != 0)
            for (host = 0; host < n && strcmp(names[host], hosts[rank]) != 0;) host++;
        if (host == n) names[n++] = hosts[rank];
        host_of[rank] = host;
    }
    return n;
}

/* While the file is read. */
struct leaf_file {
    const char *const *names;
    uint32_t n_hosts;
    struct cw_lines lines;
    unsigned long *line_of; /* [n_hosts] the line that names it, from 1 on */
};

static int enter_host(void *context, const char *name, bool last)
{
    const struct leaf_file *file = context;
    uint32_t host = 0;
    while (host < file->n_hosts && strcmp(file->names[host], name) != 0) host++;
    if (host == file->n_hosts) return last ? 0 : CW_HOST_UNKNOWN;
    if (file->line_of[host] > 0)
        return cw_fail_at(file->lines.file, file->lines.number, "host %s is on the leaf of line %lu already", name,
                          file->line_of[host]);
    file->line_of[host] = file->lines.number;
    return 0;
}

/* Names and lists of names, with blanks or commas between them. */
static int enter_leaf(struct leaf_file *file)
{
    static const char blanks[] = " \t,";
    char *line = cw_line_content(&file->lines);
    int rc = line ? 0 : CW_ENOMEM;
    for (const char *c = line; !rc && *(c += strspn(c, blanks));) {
        const size_t word = strcspn(c, " \t"), item = cw_host_list_item(c), length = word < item ? word : item;
        char *names = cw_copy_text(c, length);
        rc = names ? cw_host_list_each(names, enter_host, file) : CW_ENOMEM;
        if (rc == CW_EUSAGE) rc = cw_fail_at(file->lines.file, file->lines.number, "%s", cw_error_message());
        free(names);
        c += length;
    }
    free(line);
    return rc;
}

int cw_rank_places_read_leaves(const char *path, const char *const *names, uint32_t n_hosts, uint32_t *leaf_of)
{
    struct cw_text text = {0};
    struct leaf_file file = {.names = names, .n_hosts = n_hosts};
    file.line_of = cw_new_array(n_hosts, sizeof *file.line_of, "leaves");
    int rc = file.line_of ? cw_file_read(path, &text) : CW_ENOMEM;
    file.lines = cw_lines_of(path, text.data, text.length);
    while (!rc && cw_lines_next(&file.lines)) rc = enter_leaf(&file);
    for (uint32_t host = 0; !rc && host < n_hosts; host++) {
        if (file.line_of[host] == 0) rc = cw_fail_at(path, 0, "host %s is on none of the leaves", names[host]);
        leaf_of[host] = 0;
        while (file.line_of[leaf_of[host]] != file.line_of[host]) leaf_of[host]++;
    }
    cw_text_free(&text);
    free(file.line_of);
    return rc;
}

int cw_rank_places_find_leaves(const struct cw_rank_places *places, const struct cw_network *net,
                               const uint32_t *endpoints, uint32_t *leaf_of)
{
    uint32_t *leaves = cw_new_array(places->n_hosts, sizeof *leaves, "leaf switches");
    if (!leaves) return CW_ENOMEM;
    for (uint32_t rank = 0; rank < places->n_ranks; rank++)
        leaves[places->host_of[rank]] = net->head[net->first[endpoints[rank]]];
    for (uint32_t host = 0; host < places->n_hosts; host++)
        for (leaf_of[host] = 0; leaves[leaf_of[host]] != leaves[host];) leaf_of[host]++;
    free(leaves);
    return 0;
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

/* Ratios differ by at least a millionth where splits must differ. */
static struct cw_random generator(const struct cw_split_rule *rule, double ratio, uint32_t number)
{
    return cw_random_of(rule->seed, CW_STREAM_SPLIT, (uint64_t)llround(ratio * 1e6) << 32 | number);
}

/* The units that are drawn: ranks, or hosts with all of their ranks. */
struct units {
    uint32_t n, ranks; /* how many, and the ranks of those that are not idle */
    uint32_t *order;   /* [n] as drawn: idle ones first, then those that perturb */
    uint32_t *size;    /* [n] ranks of each */
};

static int count_units(const struct cw_rank_places *places, const struct cw_split_rule *rule, struct units *units)
{
    units->n = rule->by_node ? places->n_hosts : places->n_ranks;
    units->order = cw_new_array(units->n, sizeof *units->order, "ranks of a split");
    units->size = cw_new_array(units->n, sizeof *units->size, "ranks of a split");
    if (!units->order || !units->size) return CW_ENOMEM;
    for (uint32_t rank = 0; rank < places->n_ranks; rank++) units->size[rule->by_node ? places->host_of[rank] : rank]++;
    return 0;
}

static int too_few(const struct cw_split_rule *rule, const struct units *units)
{
    const char *plural = cw_plural(units->n);
    char idle[48] = "";
    if (rule->idle) snprintf(idle, sizeof idle, ", of which %u are idle,", rule->idle);
    return cw_fail(CW_EUSAGE, "%u %s%s%s %s too few: application and perturbation need %u each", units->n,
                   rule->by_node ? "host" : "rank", plural, idle, units->n == 1 ? "is" : "are",
                   rule->by_node ? 1 : CW_SPLIT_LEAST);
}

/* How many of the units behind the idle ones perturb, and how many ranks that are: the nearest to WANTED ranks. */
static uint32_t take(const struct units *units, uint32_t idle, double wanted, uint32_t *perturbing)
{
    uint32_t n = 1, ranks = units->size[units->order[idle]];
    while (idle + n + 1 < units->n) {
        const uint32_t more = ranks + units->size[units->order[idle + n]];
        if (fabs(more - wanted) > fabs(ranks - wanted)) break;
        ranks = more;
        n++;
    }
    *perturbing = ranks;
    return n;
}

static int check_sides(const struct cw_split_rule *rule, double ratio, uint32_t ranks, uint32_t perturbing)
{
    const uint32_t application = ranks - perturbing;
    if (application >= CW_SPLIT_LEAST && perturbing >= CW_SPLIT_LEAST) return 0;
    const char *what = rule->by_node ? ", by node," : "";
    if (ranks < 2 * CW_SPLIT_LEAST)
        return cw_fail(CW_EUSAGE, "%u ranks%s are too few: application and perturbation need %u each", ranks, what,
                       CW_SPLIT_LEAST);
    const double least = CW_SPLIT_LEAST / (double)ranks;
    return cw_fail(CW_EUSAGE,
                   "ratio %g of %u ranks%s leaves %u to perturb and %u to the application, expected %u or more each: "
                   "ratios from %.2g to %.2g",
                   ratio, ranks, what, perturbing, application, CW_SPLIT_LEAST, least, 1 - least);
}

static int draw(const struct cw_rank_places *places, const struct cw_split_rule *rule, double ratio, uint32_t number,
                struct units *units, uint8_t *role_of)
{
    const uint32_t least = rule->by_node ? 1 : CW_SPLIT_LEAST;
    if (units->n < 2 * least || rule->idle > units->n - 2 * least) return too_few(rule, units);
    struct cw_random random = generator(rule, ratio, number);
    cw_random_permutation(&random, units->n, units->order);
    units->ranks = places->n_ranks;
    for (uint32_t i = 0; i < rule->idle; i++) units->ranks -= units->size[units->order[i]];
    uint32_t perturbing;
    const uint32_t n = take(units, rule->idle, ratio * units->ranks, &perturbing);
    const int rc = check_sides(rule, ratio, units->ranks, perturbing);
    if (rc) return rc;
    for (uint32_t i = 0; i < units->n; i++)
        role_of[units->order[i]] = i < rule->idle       ? CW_BENCH_IDLE
                                   : i < rule->idle + n ? CW_BENCH_PERTURBING
                                                        : CW_BENCH_APPLICATION;
    return 0;
}

int cw_split_draw(const struct cw_rank_places *places, const struct cw_split_rule *rule, double ratio, uint32_t number,
                  uint8_t *roles)
{
    struct units units = {0};
    uint8_t *role_of = NULL; /* of each unit */
    int rc = ratio > 0 && ratio < 1 ? 0 : cw_fail(CW_EUSAGE, "perturbation ratio %g, expected between 0 and 1", ratio);
    if (!rc) rc = count_units(places, rule, &units);
    if (!rc && !(role_of = cw_new_array(units.n, 1, "roles of a split"))) rc = CW_ENOMEM;
    if (!rc) rc = draw(places, rule, ratio, number, &units, role_of);
    if (!rc)
        for (uint32_t rank = 0; rank < places->n_ranks; rank++)
            roles[rank] = role_of[rule->by_node ? places->host_of[rank] : rank];
    free(role_of);
    free(units.order);
    free(units.size);
    return rc;
}

/* A group is a host, or a leaf, which have the numbers behind them. MIXED[host]: an application rank is there. */
static uint32_t group_of(const struct cw_rank_places *places, const bool *mixed, enum cw_control control, uint32_t rank)
{
    const uint32_t host = places->host_of[rank];
    const bool on_leaf = control == CW_CONTROL_LEAF && places->leaf_of && !mixed[host];
    return on_leaf ? places->n_hosts + places->leaf_of[host] : host;
}

int cw_split_control(const struct cw_rank_places *places, const uint8_t *roles, enum cw_control control,
                     uint32_t *groups, uint32_t *exchanging)
{
    uint32_t *size = cw_new_array(2 * (size_t)places->n_hosts, sizeof *size, "groups of the control");
    uint32_t *first = cw_new_array(2 * (size_t)places->n_hosts, sizeof *first, "groups of the control");
    bool *mixed = cw_new_array(places->n_hosts, sizeof *mixed, "hosts of the application");
    const int rc = size && first && mixed ? 0 : CW_ENOMEM;
    for (uint32_t rank = 0; !rc && rank < places->n_ranks; rank++)
        if (roles[rank] == CW_BENCH_APPLICATION) mixed[places->host_of[rank]] = true;
    for (uint32_t rank = 0; !rc && rank < places->n_ranks; rank++) {
        if (roles[rank] != CW_BENCH_PERTURBING) continue;
        const uint32_t group = group_of(places, mixed, control, rank);
        if (!size[group]++) first[group] = rank;
    }
    for (uint32_t rank = *exchanging = 0; !rc && rank < places->n_ranks; rank++) {
        groups[rank] = CW_NONE;
        if (roles[rank] != CW_BENCH_PERTURBING) continue;
        const uint32_t group = group_of(places, mixed, control, rank);
        if (size[group] < 2) continue;
        groups[rank] = first[group];
        ++*exchanging;
    }
    free(mixed);
    free(first);
    free(size);
    return rc;
}

const char *cw_split_no_control(enum cw_control control)
{
    return control == CW_CONTROL_NODE ? "no host has two perturbing ranks"
                                      : "no leaf has two perturbing ranks on hosts without application ranks";
}
