#include "flow/files/flow_export.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* Names in all three forms: fI is the flow of path I, dJ the balance of demand J, cK the limit of channel K; paths and
 * demands count from 0. Only channels that have a limit and that some path uses have a row. */

struct program {
    const struct cw_flow_problem *problem;
    const struct cw_k_paths *paths;
    size_t *first; /* [channels + 1] */
    size_t *users; /* paths that use channel c: users[first[c]] … users[first[c + 1] - 1]; none if it has no limit */
    size_t *owner; /* [paths] demand */
    struct cw_text *text;
    size_t line; /* where the current line of the text begins */
};

static double demand_of(const struct program *program, size_t d)
{
    return (double)program->problem->demands->items[d].bytes / (double)program->problem->unit_bytes;
}

static double limit_of(const struct program *program, uint32_t channel)
{
    return program->problem->capacity[channel] / program->problem->unit_capacity;
}

static bool has_row(const struct program *program, uint32_t channel)
{
    return program->first[channel + 1] > program->first[channel];
}

/* Lists the paths of every channel by counting. */
static int index_channels(struct program *program)
{
    const struct cw_k_paths *paths = program->paths;
    const uint32_t n = program->problem->net->n_channels;
    const double *capacity = program->problem->capacity;
    program->first = cw_new_array((size_t)n + 2, sizeof *program->first, "channels of paths");
    program->users = cw_new_array(paths->begin[paths->n_paths], sizeof *program->users, "channels of paths");
    program->owner = cw_new_array(paths->n_paths, sizeof *program->owner, "paths");
    if (!program->first || !program->users || !program->owner) return CW_ENOMEM;
    for (size_t d = 0; d < paths->n_demands; d++)
        for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) program->owner[i] = d;
    size_t *next = program->first + 1; /* one ahead, so that filling leaves the beginnings */
    for (size_t at = 0; at < paths->begin[paths->n_paths]; at++)
        if (!isinf(capacity[paths->channel[at]])) next[paths->channel[at] + 1]++;
    for (uint32_t c = 0; c < n; c++) next[c + 1] += next[c];
    for (size_t i = 0; i < paths->n_paths; i++)
        for (size_t at = paths->begin[i]; at < paths->begin[i + 1]; at++)
            if (!isinf(capacity[paths->channel[at]])) program->users[next[paths->channel[at]]++] = i;
    return 0;
}

/* --- CPLEX LP ----------------------------------------------------------------------------------------------------- */

/* Readers limit the length of lines. */
static void break_line(struct program *program)
{
    if (program->text->length - program->line < 72) return;
    cw_text_add(program->text, "\n  ");
    program->line = program->text->length;
}

static void begin_row(struct program *program, char kind, size_t index)
{
    program->line = program->text->length;
    cw_text_printf(program->text, " %c%zu:", kind, index);
}

static void add_flow(struct program *program, bool first, size_t path)
{
    break_line(program);
    cw_text_printf(program->text, "%s f%zu", first ? "" : " +", path);
}

static void write_lp(struct program *program)
{
    struct cw_text *text = program->text;
    const struct cw_k_paths *paths = program->paths;
    cw_text_add(text, "\\ fI: flow of path I; Z: fraction of all demands moved per unit of time\n"
                      "Maximize\n rate: Z\nSubject To\n");
    for (size_t d = 0; d < paths->n_demands; d++) {
        begin_row(program, 'd', d);
        for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) add_flow(program, i == paths->first[d], i);
        cw_text_printf(text, " - %.17g Z = 0\n", demand_of(program, d));
    }
    for (uint32_t c = 0; c < program->problem->net->n_channels; c++) {
        if (!has_row(program, c)) continue;
        begin_row(program, 'c', c);
        for (size_t u = program->first[c]; u < program->first[c + 1]; u++)
            add_flow(program, u == program->first[c], program->users[u]);
        cw_text_printf(text, " <= %.17g\n", limit_of(program, c));
    }
    cw_text_add(text, "End\n");
}

/* --- free MPS ----------------------------------------------------------------------------------------------------- */

static void write_mps_rows(const struct program *program)
{
    struct cw_text *text = program->text;
    cw_text_add(text, "* Model 1: fI: flow of path I; Z: fraction of all demands moved per unit of time.\n"
                      "* The format minimises: the optimum is -Z.\n"
                      "NAME crosswind\nROWS\n N rate\n");
    for (size_t d = 0; d < program->paths->n_demands; d++) cw_text_printf(text, " E d%zu\n", d);
    for (uint32_t c = 0; c < program->problem->net->n_channels; c++)
        if (has_row(program, c)) cw_text_printf(text, " L c%u\n", c);
}

static void write_mps(struct program *program)
{
    struct cw_text *text = program->text;
    const struct cw_k_paths *paths = program->paths;
    write_mps_rows(program);
    cw_text_add(text, "COLUMNS\n Z rate -1\n");
    for (size_t d = 0; d < paths->n_demands; d++) cw_text_printf(text, " Z d%zu %.17g\n", d, -demand_of(program, d));
    for (size_t i = 0; i < paths->n_paths; i++) {
        cw_text_printf(text, " f%zu d%zu 1\n", i, program->owner[i]);
        for (size_t at = paths->begin[i]; at < paths->begin[i + 1]; at++)
            if (has_row(program, paths->channel[at])) cw_text_printf(text, " f%zu c%u 1\n", i, paths->channel[at]);
    }
    cw_text_add(text, "RHS\n");
    for (uint32_t c = 0; c < program->problem->net->n_channels; c++)
        if (has_row(program, c)) cw_text_printf(text, " limit c%u %.17g\n", c, limit_of(program, c));
    cw_text_add(text, "ENDATA\n");
}

/* --- AMPL --------------------------------------------------------------------------------------------------------- */

/* As Model 1, but a channel lists the paths that use it instead of searching all of them, and has a number instead of
 * two ends, because cables may be parallel. */
static const char ampl_model[] =
    "# Data movement over given paths: the greatest fraction Z of all demands that can be moved per unit of time.\n"
    "set Demands;\n"
    "set Channels;\n"
    "set Paths{Demands};\n"
    "set Users{Channels} dimen 2;  # (demand, path)\n"
    "param demand{Demands} >= 0;\n"
    "param capacity{Channels} >= 0;\n"
    "var Flow{d in Demands, p in Paths[d]} >= 0;\n"
    "var Z >= 0;\n"
    "maximize rate: Z;\n"
    "subject to moved{d in Demands}: sum{p in Paths[d]} Flow[d,p] = demand[d] * Z;\n"
    "subject to limit{c in Channels}: sum{(d,p) in Users[c]} Flow[d,p] <= capacity[c];\n"
    "data;\n";

static void write_ampl_sets(struct program *program)
{
    struct cw_text *text = program->text;
    const struct cw_k_paths *paths = program->paths;
    cw_text_add(text, "set Demands :=");
    for (size_t d = 0; d < paths->n_demands; d++) {
        break_line(program);
        cw_text_printf(text, " %zu", d);
    }
    cw_text_add(text, ";\nset Channels :=");
    for (uint32_t c = 0; c < program->problem->net->n_channels; c++) {
        break_line(program);
        if (has_row(program, c)) cw_text_printf(text, " %u", c);
    }
    cw_text_add(text, ";\n");
    for (size_t d = 0; d < paths->n_demands; d++) {
        program->line = text->length;
        cw_text_printf(text, "set Paths[%zu] :=", d);
        for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) {
            break_line(program);
            cw_text_printf(text, " %zu", i);
        }
        cw_text_add(text, ";\n");
    }
}

static void write_ampl(struct program *program)
{
    struct cw_text *text = program->text;
    const uint32_t n_channels = program->problem->net->n_channels;
    cw_text_add(text, ampl_model);
    program->line = text->length;
    write_ampl_sets(program);
    for (uint32_t c = 0; c < n_channels; c++) {
        if (!has_row(program, c)) continue;
        program->line = text->length;
        cw_text_printf(text, "set Users[%u] :=", c);
        for (size_t u = program->first[c]; u < program->first[c + 1]; u++) {
            break_line(program);
            cw_text_printf(text, " (%zu,%zu)", program->owner[program->users[u]], program->users[u]);
        }
        cw_text_add(text, ";\n");
    }
    cw_text_add(text, "param demand :=");
    for (size_t d = 0; d < program->paths->n_demands; d++)
        cw_text_printf(text, "\n  %zu %.17g", d, demand_of(program, d));
    cw_text_add(text, ";\nparam capacity :=");
    for (uint32_t c = 0; c < n_channels; c++)
        if (has_row(program, c)) cw_text_printf(text, "\n  %u %.17g", c, limit_of(program, c));
    cw_text_add(text, ";\nend;\n");
}

/* ------------------------------------------------------------------------------------------------------------------ */

int cw_flow_export(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, enum cw_export form,
                   struct cw_text *text)
{
    static void (*const write[])(struct program *) = {
        [CW_EXPORT_LP] = write_lp, [CW_EXPORT_MPS] = write_mps, [CW_EXPORT_AMPL] = write_ampl};
    struct program program = {.problem = problem, .paths = paths, .text = text};
    int rc = cw_flow_problem_check(problem);
    for (size_t d = 0; d < paths->n_demands && !rc; d++)
        if (paths->first[d] == paths->first[d + 1])
            rc = cw_fail(CW_EUSAGE, "demand %zu has no path, so the program's only solution is Z = 0", d);
    if (!rc) rc = index_channels(&program);
    if (!rc) write[form](&program);
    if (!rc) rc = cw_text_check(text);
    free(program.first);
    free(program.users);
    free(program.owner);
    return rc;
}
