#include "study/compare/study_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "net/files/formats.h"
#include "net/nodes.h"
#include "route/engine.h"
#include "topo/topology.h"

#define DEFINITION 1 /* grows when a figure of the same definition becomes another one */

/* --- a plan ------------------------------------------------------------------------------------------------------- */

/* Says where in the study the VALUE stands of which the last message is. */
static int fail_value(const struct cw_study *study, const struct cw_study_value *value, int rc)
{
    if (rc == CW_ENOMEM || rc == CW_EINTERRUPTED || value->line == 0) return rc;
    char *message = cw_copy_text(cw_error_message(), strlen(cw_error_message()));
    if (!message) return CW_ENOMEM;
    rc = cw_fail_at(study->file, value->line, "%s%s", message,
                    value->parted ? "; in a list, quotes keep together what has commas: [\"dragonfly:2,4,2\"]" : "");
    free(message);
    return rc;
}

static int open_network(const struct cw_study *study, const char *spec, struct cw_study_network *out)
{
    const struct cw_reading how = {.format = cw_study_single(study, CW_STUDY_INPUT_FORMAT),
                                   .node_names = cw_study_single(study, CW_STUDY_NODE_NAMES)};
    cw_inputs_begin_part(&out->inputs);
    const char *nodes = cw_study_single(study, CW_STUDY_NODES);
    struct cw_network *fabric;
    int rc = cw_network_open_as(&how, spec, nodes ? &fabric : &out->net);
    if (!rc && nodes) rc = cw_nodes_add(fabric, nodes, &out->net);
    cw_inputs_end_part(&out->inputs);
    return rc;
}

static int open_networks(struct cw_study_plan *plan)
{
    const struct cw_study_values *values = &plan->study->keys[CW_STUDY_NETWORK];
    plan->networks = cw_new_array(values->n, sizeof *plan->networks, "networks of a study");
    if (!plan->networks) return CW_ENOMEM;
    for (size_t i = 0; i < values->n; i++) {
        plan->n_networks = i + 1;
        const int rc = open_network(plan->study, values->items[i].text, &plan->networks[i]);
        if (rc) return fail_value(plan->study, &values->items[i], rc);
    }
    return 0;
}

static int check_engines(const struct cw_study *study, enum cw_study_key key)
{
    for (size_t i = 0; i < study->keys[key].n; i++) {
        const int rc = cw_engine_check(study->keys[key].items[i].text);
        if (rc) return fail_value(study, &study->keys[key].items[i], rc);
    }
    return 0;
}

/* A file that is read is none that this program writes, and tables are there before hours of work. */
static int check_files(const struct cw_study *study)
{
    static const enum cw_study_key keys[] = {CW_STUDY_NETWORK, CW_STUDY_LFT,      CW_STUDY_ENDPOINTS,
                                             CW_STUDY_FAILED,  CW_STUDY_DEGRADED, CW_STUDY_NODE_NAMES,
                                             CW_STUDY_NODES};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < study->keys[keys[k]].n; i++) {
            const struct cw_study_value *value = &study->keys[keys[k]].items[i];
            struct cw_source *source = NULL;
            int rc = cw_inputs_check_read(value->text);
            if (!rc && keys[k] == CW_STUDY_LFT) rc = cw_source_open(value->text, &source);
            cw_source_close(source);
            if (rc) return fail_value(study, value, rc);
        }
    return 0;
}

static int read_measures(struct cw_study_plan *plan)
{
    const struct cw_study_values *values = &plan->study->keys[CW_STUDY_MEASURES];
    struct cw_text all = {0};
    int rc = 0;
    for (size_t i = 0; i < values->n && !rc; i++) {
        struct cw_measure *measure = NULL;
        size_t n = 0;
        rc = cw_measures_parse(values->items[i].text, &measure, &n);
        cw_measures_free(measure, n);
        if (rc) rc = fail_value(plan->study, &values->items[i], rc);
        cw_text_printf(&all, "%s%s", i > 0 ? "," : "", values->items[i].text);
    }
    if (!rc) rc = cw_text_check(&all);
    if (!rc) rc = cw_measures_parse(all.data, &plan->measures, &plan->n_measures);
    cw_text_free(&all);
    return rc;
}

/* Cases that nobody named a routing for have the one that suits their network as it is, whatever fails. */
static int make_cases(struct cw_study_plan *plan)
{
    const int rc = cw_study_cases(plan->study, &plan->cases, &plan->n);
    for (size_t i = 0; !rc && i < plan->n; i++) {
        struct cw_study_case *is = &plan->cases[i];
        if (!is->of[CW_STUDY_LFT] && !is->of[CW_STUDY_ROUTING])
            is->of[CW_STUDY_ROUTING] = cw_engine_default(plan->networks[is->network].net);
        if (!is->of[CW_STUDY_ENDPOINTS]) is->of[CW_STUDY_ENDPOINTS] = "hca";
    }
    return rc;
}

int cw_study_plan_make(const struct cw_study *study, struct cw_study_plan *out)
{
    struct cw_study_plan plan = {.study = study};
    int rc = check_engines(study, CW_STUDY_ROUTING);
    if (!rc) rc = check_engines(study, CW_STUDY_REPAIR);
    if (!rc) rc = check_files(study);
    if (!rc) rc = read_measures(&plan);
    if (!rc) rc = open_networks(&plan);
    if (!rc) rc = make_cases(&plan);
    if (rc)
        cw_study_plan_free(&plan);
    else
        *out = plan;
    return rc;
}

void cw_study_plan_free(struct cw_study_plan *plan)
{
    for (size_t i = 0; i < plan->n_networks; i++) {
        cw_network_free(plan->networks[i].net);
        cw_inputs_free(&plan->networks[i].inputs);
    }
    free(plan->networks);
    free(plan->cases);
    cw_measures_free(plan->measures, plan->n_measures);
    *plan = (struct cw_study_plan){0};
}

/* --- a definition ------------------------------------------------------------------------------------------------- */

int cw_study_define(const struct cw_study_plan *plan, const struct cw_study_case *is, const struct cw_measure *measure,
                    struct cw_text *text)
{
    static const enum cw_study_key singles[] = {CW_STUDY_INPUT_FORMAT, CW_STUDY_NODE_NAMES, CW_STUDY_NODES};
    *text = (struct cw_text){0};
    cw_text_printf(text, "crosswind %s study %d\n", cw_version(), DEFINITION);
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (cw_study_single(plan->study, singles[i]))
            cw_text_printf(text, "%s %s\n", cw_study_key_name(singles[i]), cw_study_single(plan->study, singles[i]));
    if (is->of[CW_STUDY_LFT] && cw_study_single(plan->study, CW_STUDY_REPAIR))
        cw_text_printf(text, "repair %s\n", cw_study_single(plan->study, CW_STUDY_REPAIR));
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++)
        if (is->of[axis] && *is->of[axis])
            cw_text_printf(text, "%s %s\n", cw_study_key_name((enum cw_study_key)axis), is->of[axis]);
    cw_text_printf(text, "measure %s\n", measure->spec);
    return cw_text_check(text);
}
