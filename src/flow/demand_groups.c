#include "flow/demand_groups.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct keyed {
    uint32_t key, demand;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->demand > y->demand) - (x->demand < y->demand);
}

int cw_demand_groups_make(const uint32_t *key, size_t n, struct cw_demand_groups *out)
{
    struct cw_demand_groups groups = {.order = cw_new_array(n, sizeof *groups.order, "groups of demands"),
                                      .begin = cw_new_array(n + 1, sizeof *groups.begin, "groups of demands")};
    struct keyed *keyed = cw_new_array(n, sizeof *keyed, "groups of demands");
    if (!groups.order || !groups.begin || !keyed) {
        cw_demand_groups_free(&groups);
        free(keyed);
        return CW_ENOMEM;
    }
    for (size_t d = 0; d < n; d++) keyed[d] = (struct keyed){key[d], (uint32_t)d};
    qsort(keyed, n, sizeof *keyed, compare_keyed);
    for (size_t i = 0; i < n; i++) {
        groups.order[i] = keyed[i].demand;
        if (i == 0 || keyed[i].key != keyed[i - 1].key) groups.begin[groups.n++] = i;
    }
    groups.begin[groups.n] = n;
    free(keyed);
    *out = groups;
    return 0;
}

void cw_demand_groups_free(struct cw_demand_groups *groups)
{
    free(groups->order);
    free(groups->begin);
    *groups = (struct cw_demand_groups){0};
}
