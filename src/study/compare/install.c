#include "study/compare/install.h"

#include <string.h>

#include "base/error.h"
#include "base/option.h"
#include "base/registry.h"
#include "route/engine.h"
#include "route/routes_internal.h"

/* --- OpenSM's own engines ----------------------------------------------------------------------------------------- */

/* Parameters as they stand in opensm.conf; its max_op_vls has a number for some numbers of lanes only. */
static const struct keyword {
    const char *engine, *parameter, *keyword; /* engine NULL: of any */
} keywords[] = {{NULL, "roots", "root_guid_file"},
                {NULL, "compute", "cn_guid_file"},
                {NULL, "io", "io_guid_file"},
                {NULL, "max_reverse_hops", "max_reverse_hops"},
                {NULL, "ids", "ids_guid_file"},
                {NULL, "order", "guid_routing_order_file"},
                {NULL, "ports", "port_search_ordering_file"},
                {NULL, "weights", "hop_weights_file"},
                {NULL, "lmc", "lmc"},
                {NULL, "config", "torus_config"},
                {"lash", "start", "lash_start_vl"},
                {"lash", "mesh", "do_mesh_analysis"},
                {"lash", "lanes", "max_op_vls"},
                {"dfsssp", "lanes", "max_op_vls"},
                {"nue", "lanes", "nue_max_num_vls"}};

static const struct keyword *find_keyword(const char *engine, const char *parameter, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i].parameter) == length && strncmp(keywords[i].parameter, parameter, length) == 0 &&
            (!keywords[i].engine || strcmp(keywords[i].engine, engine) == 0))
            return &keywords[i];
    return NULL;
}

/* The number that opensm.conf has for VALUE of KEYWORD, or VALUE; NULL: there is none. */
static const char *value_in_conf(const struct keyword *keyword, const char *value)
{
    static const char *const lanes[][2] = {{"1", "1"}, {"2", "2"}, {"4", "3"}, {"8", "4"}, {"15", "5"}};
    if (strcmp(keyword->keyword, "max_op_vls") != 0) return value;
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (strcmp(value, lanes[i][0]) == 0) return lanes[i][1];
    return NULL;
}

/* One of PARAMETERS, LENGTH bytes, as opensm.conf has it; *KNOWN is false if it has no such thing. Words of updn and of
 * lmc that mean the default stand for nothing. */
static void add_parameter(const char *engine, const char *parameter, size_t length, struct cw_text *text, bool *known)
{
    char value[256];
    const size_t name = strcspn(parameter, "=,"), begin = name < length ? name + 1 : length;
    const struct keyword *keyword = find_keyword(engine, parameter, name < length ? name : length);
    if (!keyword || length - begin >= sizeof value) {
        *known = false;
        return;
    }
    memcpy(value, parameter + begin, length - begin);
    value[length - begin] = 0;
    if (strcmp(value, "map") == 0 || strcmp(value, "found") == 0 || strcmp(value, "any") == 0) return;
    const char *is = *value ? value_in_conf(keyword, value) : "TRUE";
    *known &= is != NULL;
    if (is) cw_text_printf(text, ", %s %s", keyword->keyword, is);
}

/* One of PARAMETERS is NAME, which stands for a file. */
static bool has_file(const char *parameters, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = parameters; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=' && strcmp(at + length, "=any") != 0) return true;
    }
    return false;
}

/* Files that OpenSM needs where crosswind finds by itself what is in them. */
static int add_files(const struct cw_network *net, const struct cw_engine *engine, const char *parameters,
                     struct cw_install *out)
{
    const char *files = NULL;
    if (!engine->opensm_files || has_file(parameters, "roots") || has_file(parameters, "compute") ||
        has_file(parameters, "io"))
        return 0;
    const int rc = engine->opensm_files(net, &files);
    if (files) cw_text_printf(&out->words, ", %s", files);
    out->by_roots = files != NULL;
    return rc;
}

/* *KNOWN: opensm.conf can say all PARAMETERS (NULL: none) of ENGINE; else there are no words. */
static int add_engine(const struct cw_routes *routes, const struct cw_engine *engine, const char *parameters,
                      struct cw_install *out, bool *known)
{
    *known = true;
    cw_text_printf(&out->words, "routing_engine %s", engine->opensm);
    for (const char *at = parameters; at && *known;) {
        const size_t length = strcspn(at, ",");
        add_parameter(engine->name, at, length, &out->words, known);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (!*known) {
        cw_text_free(&out->words);
        return 0;
    }
    if (cw_routes_lanes(routes) > 1) cw_text_add(&out->words, ", qos TRUE");
    return add_files(cw_routes_network(routes), engine, parameters, out);
}

/* --- files of tables ---------------------------------------------------------------------------------------------- */

/* Why no tables, with levels or without, give ROUTES, appended to TEXT. */
static bool refuse_file(const struct cw_routes *routes, bool deadlocks, struct cw_text *text)
{
    const size_t before = text->length;
    const uint32_t lanes = cw_routes_lanes(routes);
    if (cw_routes_kind(routes) == CW_ROUTES_WAYS)
        cw_text_add(text, "no: packets take several ways");
    else if (!cw_routes_by_destination(routes))
        cw_text_add(text, "no: ways depend on the source");
    else if (lanes > 1 && !routes->levels)
        cw_text_printf(text, "no: needs %u lanes, not by service levels", lanes);
    else if (deadlocks && lanes == 1)
        cw_text_add(text, "no: deadlocks on one lane as written");
    else if (deadlocks)
        cw_text_printf(text, "no: deadlocks on %u lanes", lanes);
    return text->length > before;
}

/* Routes that OpenSM does not make itself. Its engine `file` sets no service levels. */
static void add_file(const struct cw_routes *routes, bool deadlocks, struct cw_install *out)
{
    out->is_done = out->by_file = !refuse_file(routes, deadlocks, &out->words);
    if (!out->by_file) return;
    out->by_levels = cw_routes_lanes(routes) > 1;
    out->is_done = !out->by_levels;
    cw_text_printf(&out->words, "opensm -R file -U FILE%s", out->by_levels ? ", levels and sl2vl" : "");
}

int cw_install_find(const struct cw_routes *routes, const char *spec, const char *verdict, struct cw_install *out)
{
    char name[CW_SPEC_NAME_SIZE];
    const char *parameters = cw_spec_split(spec, name, sizeof name);
    const struct cw_engine *engine = cw_registry_find(&cw_engine_registry, name);
    const bool deadlocks = strcmp(verdict, "no") == 0;
    bool known = false;
    *out = (struct cw_install){.is_done = !deadlocks};
    int rc = engine && engine->opensm ? add_engine(routes, engine, parameters, out, &known) : 0;
    if (known && deadlocks) cw_text_add(&out->words, " (can deadlock)");
    if (!rc && !known) add_file(routes, deadlocks, out);
    if (!rc) rc = cw_text_check(&out->words);
    if (rc) cw_text_free(&out->words);
    return rc;
}
