#include "cli/reproduce/figures.h"

#include <stdio.h>
#include <string.h>

#include "base/registry.h"
#include "base/registry_internal.h"

static int choose(const char *name, const struct figure_name *names, bool wanted[MAX_FIGURES])
{
    const struct cw_registry registry = {.items = names,
                                         .size = sizeof *names,
                                         .near = "--figures: there is no figure '%s' to reproduce, did you mean '%s'",
                                         .none =
                                             "--figures: there is no figure '%s' to reproduce, expected some of %s"};
    const struct figure_name *found = cw_registry_find(&registry, name);
    if (!found) return cw_registry_unknown(&registry, name);
    wanted[found->figure] = true;
    return 0;
}

int figures_choose(const char *list, const struct figure_name *names, bool wanted[MAX_FIGURES])
{
    memset(wanted, 0, MAX_FIGURES * sizeof *wanted);
    if (strcmp(list, "all") == 0) {
        for (; names->name; names++) wanted[names->figure] = true;
        return 0;
    }
    int rc = 0;
    while (!rc && list) {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        rc = choose(name, names, wanted);
        list = list[length] ? list + length + 1 : NULL;
    }
    return rc;
}

int figure_csv(const struct cw_table *table, const char *directory, const char *name)
{
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/%s.csv", directory, name);
    int rc = cw_text_check(&path);
    if (!rc) rc = cw_table_save_csv(table, path.data);
    cw_text_free(&path);
    return rc;
}

int figure_draw(const struct cw_plot *plot, const char *directory, const char *name)
{
    struct cw_text path = {0};
    cw_text_printf(&path, "%s/%s.svg", directory, name);
    int rc = cw_text_check(&path);
    if (!rc) rc = cw_plot_write(plot, path.data);
    cw_text_free(&path);
    return rc;
}
