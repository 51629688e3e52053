#include "study/host_choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static int compare(const void *a, const void *b)
{
    const struct cw_host_tree_point *x = a, *y = b;
    if (x->collective != y->collective) return x->collective < y->collective ? -1 : 1;
    if (x->hosts != y->hosts) return x->hosts < y->hosts ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* POINTS[n] are of one collective and number of hosts, by size. */
static int choice_of(const struct cw_host_tree_point *points, size_t n, struct cw_host_choice *out)
{
    struct cw_host_choice choice = {.collective = points->collective,
                                    .first = points->hosts,
                                    .last = points->hosts,
                                    .steps = cw_new_array(n, sizeof *choice.steps, "trees by size"),
                                    .least = INFINITY};
    if (!choice.steps) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const double gain = points[i].time[points[i].started] / points[i].time[points[i].best];
        choice.least = fmin(choice.least, gain);
        choice.most = fmax(choice.most, gain);
        if (choice.n_steps > 0 && choice.steps[choice.n_steps - 1].tree == points[i].best) continue;
        choice.steps[choice.n_steps++] = (struct cw_host_step){points[i].bytes, points[i].best};
    }
    *out = choice;
    return 0;
}

static bool is_same(const struct cw_host_choice *a, const struct cw_host_choice *b)
{
    if (a->collective != b->collective || a->n_steps != b->n_steps) return false;
    for (size_t i = 0; i < a->n_steps; i++)
        if (a->steps[i].bytes != b->steps[i].bytes || a->steps[i].tree != b->steps[i].tree) return false;
    return true;
}

/* CHOICE is taken over: as one of its own, or as part of the last, whose hosts are fewer. */
static void add(const struct cw_host_choice *choice, struct cw_host_choices *choices)
{
    struct cw_host_choice *last = choices->n > 0 ? &choices->items[choices->n - 1] : NULL;
    if (!last || !is_same(last, choice)) {
        choices->items[choices->n++] = *choice;
        return;
    }
    last->last = choice->last;
    last->least = fmin(last->least, choice->least);
    last->most = fmax(last->most, choice->most);
    free(choice->steps);
}

int cw_host_choices_of(const struct cw_host_tree_points *points, struct cw_host_choices *out)
{
    struct cw_host_tree_point *sorted = cw_new_array(points->n, sizeof *sorted, "predictions");
    struct cw_host_choices choices = {cw_new_array(points->n, sizeof *choices.items, "trees"), 0};
    int rc = sorted && choices.items ? 0 : CW_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; !rc && i < points->n; i++)
        if (!points->items[i].straight) sorted[n++] = points->items[i];
    if (!rc) qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0, end; !rc && i < n; i = end) {
        struct cw_host_choice choice;
        for (end = i + 1; end < n; end++)
            if (sorted[end].collective != sorted[i].collective || sorted[end].hosts != sorted[i].hosts) break;
        rc = choice_of(&sorted[i], end - i, &choice);
        if (!rc) add(&choice, &choices);
    }
    free(sorted);
    if (rc)
        cw_host_choices_free(&choices);
    else
        *out = choices;
    return rc;
}

void cw_host_choices_free(struct cw_host_choices *choices)
{
    for (size_t i = 0; i < choices->n; i++) free(choices->items[i].steps);
    free(choices->items);
    *choices = (struct cw_host_choices){.n = 0};
}
