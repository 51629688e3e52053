#include "flow/tidy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define SWEEPS 20

struct tidying {
    struct cw_columns *columns;
    double *load, most; /* [channels]; most loaded channel's load / capacity */
    uint32_t *mark;     /* [channels] number of the last shift that went from a path with it */
    uint32_t marks;
};

static bool is_limited(const struct tidying *t, uint32_t c)
{
    return t->columns->inverse_capacity[c] > 0;
}

/* What may go from FROM to TO until a channel that only TO has is full. */
static double room(struct tidying *t, const struct cw_path_column *from, const struct cw_path_column *to)
{
    const uint32_t *from_channel = t->columns->channels + from->begin, *to_channel = t->columns->channels + to->begin;
    t->marks++;
    for (uint32_t i = 0; i < from->n; i++) t->mark[from_channel[i]] = t->marks;
    double most = from->flow;
    for (uint32_t i = 0; i < to->n && most > 0; i++) {
        const uint32_t c = to_channel[i];
        if (t->mark[c] != t->marks && is_limited(t, c))
            most = fmin(most, t->most / t->columns->inverse_capacity[c] - t->load[c]);
    }
    return most;
}

static void add_load(struct tidying *t, const struct cw_path_column *column, double flow)
{
    const uint32_t *channel = t->columns->channels + column->begin;
    for (uint32_t i = 0; i < column->n; i++) t->load[channel[i]] += flow;
}

/* True if something changed. */
static bool shift(struct tidying *t, struct cw_path_column *from, struct cw_path_column *to)
{
    if (to->n > from->n || (to->n == from->n && !(to->flow >= from->flow))) return false;
    const double flow = room(t, from, to);
    if (!(flow > 0) || (to->n == from->n && flow < from->flow)) return false;
    add_load(t, from, -flow);
    add_load(t, to, flow);
    from->flow = flow < from->flow ? from->flow - flow : 0;
    to->flow += flow;
    return true;
}

static bool sweep(struct tidying *t)
{
    struct cw_columns *columns = t->columns;
    bool changed = false;
    for (size_t d = 0; d < columns->problem->demands->n; d++)
        for (uint32_t i = columns->first[d]; i != CW_NONE; i = columns->items[i].next)
            for (uint32_t j = columns->first[d]; j != CW_NONE && columns->items[i].flow > 0; j = columns->items[j].next)
                if (j != i && shift(t, &columns->items[i], &columns->items[j])) changed = true;
    return changed;
}

int cw_tidy(struct cw_columns *columns)
{
    const size_t n_channels = columns->problem->net->n_channels;
    struct tidying t = {.columns = columns};
    t.load = cw_new_array(n_channels, sizeof *t.load, "channel loads");
    t.mark = cw_new_array(n_channels, sizeof *t.mark, "channel marks");
    const int rc = t.load && t.mark ? 0 : CW_ENOMEM;
    if (rc == 0) {
        t.most = cw_columns_load(columns, t.load);
        for (unsigned i = 0; i < SWEEPS && sweep(&t); i++) cw_columns_load(columns, t.load);
    }
    free(t.load);
    free(t.mark);
    return rc;
}
