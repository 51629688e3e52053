#include "cli/reproduce/noise_fabrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "base/error.h"
#include "base/memory.h"
#include "topo/topology.h"

/* The folder of the sample, from which text is appended to PATH; false if it is not there. */
static bool find_sample(struct cw_text *path)
{
    static const char *const places[] = {"../share/crosswind/sample", "../../examples/sample", NULL};
    char *folder = cw_find_beside_program(places);
    if (folder) cw_text_add(path, folder);
    free(folder);
    return folder != NULL;
}

/* Opens MAP with TABLES (NULL: the network's own engine) as the fabric called NAME, whose hosts take part. */
static int open_one(struct invocation *invocation, const char *name, const char *map, char *tables,
                    struct noise_fabrics *fabrics, struct cw_noise_points *points)
{
    if (fabrics->n == MAX_FABRICS)
        return cw_fail(CW_EUSAGE, "--fabrics names more than %d maps, which is the most that figure 11 shows",
                       MAX_FABRICS);
    for (size_t i = 0; i < fabrics->n; i++)
        if (strcmp(fabrics->names[i], name) == 0) return cw_fail(CW_EUSAGE, "--fabrics names %s twice", name);
    const size_t i = fabrics->n;
    const struct routing routing = {.lft = tables};
    fabrics->names[i] = cw_copy_text(name, strlen(name));
    if (!fabrics->names[i]) return CW_ENOMEM;
    fabrics->n++;
    int rc = cw_network_open(map, &fabrics->items[i].net);
    if (!rc) rc = fabric_route(invocation, &routing, &fabrics->items[i]);
    if (!rc) rc = cw_selection_new(fabrics->items[i].net, "hca", &fabrics->items[i].selection);
    return rc ? rc
              : cw_noise_points_add_fabric(points, fabrics->names[i], fabrics->items[i].routes,
                                           fabrics->items[i].selection);
}

static int open_sample(struct invocation *invocation, struct noise_fabrics *fabrics, struct cw_noise_points *points)
{
    struct cw_text folder = {0}, map = {0}, tables = {0};
    int rc = 0;
    if (find_sample(&folder)) {
        cw_text_printf(&map, "%s/fabric.ibnetdiscover", folder.data);
        cw_text_printf(&tables, "%s/opensm-lfts.dump", folder.data);
        rc = cw_text_check(&map);
        if (!rc) rc = cw_text_check(&tables);
        if (!rc) rc = open_one(invocation, "the sample fabric (143 hosts)", map.data, tables.data, fabrics, points);
    } else {
        cw_result_note(invocation->result,
                       "The sample fabric is not beside the program, and --fabrics names none: there "
                       "is no figure 11.");
    }
    cw_text_free(&folder);
    cw_text_free(&map);
    cw_text_free(&tables);
    return rc;
}

/* Cuts LIST at its commas and colons, in place. */
static int open_list(struct invocation *invocation, char *list, struct noise_fabrics *fabrics,
                     struct cw_noise_points *points)
{
    int rc = 0;
    while (!rc && list) {
        char *map = list;
        list = strchr(list, ',');
        if (list) *list++ = 0;
        char *tables = strchr(map, ':');
        if (tables) *tables++ = 0;
        if (!*map || (tables && !*tables))
            return cw_fail(CW_EUSAGE, "--fabrics has an empty name, expected MAP[:TABLES][,MAP[:TABLES]...]");
        struct cw_text name = {0};
        cw_text_printf(&name, tables ? "%s by %s" : "%s", map, tables);
        rc = cw_text_check(&name);
        if (!rc) rc = open_one(invocation, name.data, map, tables, fabrics, points);
        cw_text_free(&name);
    }
    return rc;
}

int noise_fabrics_open(struct invocation *invocation, const char *list, struct noise_fabrics *fabrics,
                       struct cw_noise_points *points)
{
    if (!list) return open_sample(invocation, fabrics, points);
    char *copy = cw_copy_text(list, strlen(list));
    if (!copy) return CW_ENOMEM;
    const int rc = open_list(invocation, copy, fabrics, points);
    free(copy);
    return rc;
}

void noise_fabrics_free(struct noise_fabrics *fabrics)
{
    for (size_t i = 0; i < fabrics->n; i++) {
        fabric_free(&fabrics->items[i]);
        free(fabrics->names[i]);
    }
    *fabrics = (struct noise_fabrics){0};
}
