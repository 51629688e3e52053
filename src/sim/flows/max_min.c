#include "sim/flows/max_min.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"

#define NONE     UINT32_MAX
#define ACCURACY 1e-12 /* levels that differ by less are equal, and a link with less left is full */
#define WAITS    (-1.) /* instead of a level */

static const char what[] = "flows that share links";

/* A link of a flow. */
struct crossing {
    uint32_t link, place; /* where it stands among the members of the link */
    bool counted;         /* in this settling, while it waits: the link may decide its level */
    double load;          /* on the link for a level of 1: share · weight */
    double alone;         /* its level if no other flow were on the link */
};

struct flow {
    struct crossing *crossings; /* [n], of room */
    uint32_t n, room;
    uint32_t bottleneck;  /* NONE: it is new or waits */
    bool waits;           /* for its next level */
    double weight, level; /* the last one */
};

struct member {
    uint32_t flow, crossing;
    double load; /* that of the crossing */
};

struct link {
    double capacity;
    size_t n;
    uint32_t n_held; /* members whose bottleneck it is, */
    double level;    /* the lowest level of these */
    bool loose;      /* in the list of the sharing */

    uint32_t touched; /* the settling in which it was looked at last; what follows is of it */
    uint32_t waiting; /* members that wait */
    uint32_t place;   /* in the heap; NONE: it is not there */
    double left;      /* of the capacity, by members that do not wait */
    double load;      /* of those that do */
    double most;      /* no member has a higher level, but for those that got it in this settling */
    double held;      /* the level up to which it must be full for members that it holds; INFINITY: for none */

    struct member *members; /* [n], of room */
    size_t room;
};

/* The level at which something may happen on a link. */
struct due {
    double level;
    uint32_t link;
};

struct cw_max_min {
    uint32_t n_links;
    struct link *links;
    struct flow *flows;
    size_t n_flows, flows_room;
    double *levels; /* those of flows, close to each other for whoever looks at all members of a link; or WAITS */
    size_t levels_room;
    uint32_t *unused; /* numbers that were given back */
    size_t n_unused, unused_room;
    uint32_t *fresh; /* flows that came since all was settled; some may have gone again */
    size_t n_fresh, fresh_room;
    uint32_t *loose; /* links that flows have left since then; room for all */
    size_t n_loose;
    uint32_t *changed; /* flows of this settling; room for all */
    size_t n_changed, changed_room;
    struct due *dues; /* a heap; room for all links */
    size_t n_dues;
    size_t waiting;    /* flows that wait */
    size_t holding;    /* links that have to be full at a level that is still to come */
    uint32_t settling; /* its number, from 1 */
};

int cw_max_min_new(uint32_t n_links, const double *capacity, struct cw_max_min **out)
{
    struct cw_max_min *sharing = cw_new_array(1, sizeof *sharing, what);
    if (!sharing) return CW_ENOMEM;
    sharing->links = cw_new_array(n_links, sizeof *sharing->links, what);
    sharing->loose = cw_new_array(n_links, sizeof *sharing->loose, what);
    sharing->dues = cw_new_array(n_links, sizeof *sharing->dues, what);
    if (!sharing->links || !sharing->loose || !sharing->dues) {
        cw_max_min_free(sharing);
        return CW_ENOMEM;
    }
    sharing->n_links = n_links;
    for (uint32_t i = 0; i < n_links; i++) sharing->links[i].capacity = capacity[i];
    *out = sharing;
    return 0;
}

void cw_max_min_free(struct cw_max_min *sharing)
{
    if (!sharing) return;
    for (size_t i = 0; i < sharing->n_flows; i++) free(sharing->flows[i].crossings);
    for (uint32_t i = 0; i < sharing->n_links; i++) free(sharing->links[i].members);
    free(sharing->flows);
    free(sharing->levels);
    free(sharing->unused);
    free(sharing->fresh);
    free(sharing->loose);
    free(sharing->changed);
    free(sharing->dues);
    free(sharing->links);
    free(sharing);
}

double cw_max_min_rate(const struct cw_max_min *sharing, uint32_t flow)
{
    return sharing->flows[flow].level * sharing->flows[flow].weight;
}

uint32_t cw_max_min_bottleneck(const struct cw_max_min *sharing, uint32_t flow)
{
    return sharing->flows[flow].bottleneck;
}

static void loosen(struct cw_max_min *sharing, uint32_t number)
{
    if (!sharing->links[number].loose) sharing->loose[sharing->n_loose++] = number;
    sharing->links[number].loose = true;
}

/* --- flows come and go -------------------------------------------------------------------------------------------- */

static int grow(uint32_t **items, size_t *room, size_t needed)
{
    return cw_grow_array((void **)items, room, needed, sizeof **items, what);
}

/* A number for a flow of N links, and all the room that it will need, so that nothing fails later. */
static int make_room(struct cw_max_min *sharing, size_t n, uint32_t *number)
{
    int rc = grow(&sharing->fresh, &sharing->fresh_room, sharing->n_fresh + 1);
    if (!rc && sharing->n_unused == 0) {
        rc = cw_grow_array((void **)&sharing->flows, &sharing->flows_room, sharing->n_flows + 1, sizeof(struct flow),
                           what);
        if (!rc)
            rc = cw_grow_array((void **)&sharing->levels, &sharing->levels_room, sharing->n_flows + 1,
                               sizeof *sharing->levels, what);
        if (!rc) rc = grow(&sharing->changed, &sharing->changed_room, sharing->n_flows + 1);
        if (!rc) rc = grow(&sharing->unused, &sharing->unused_room, sharing->n_flows + 1);
        if (rc) return rc;
        sharing->flows[sharing->n_flows] = (struct flow){0};
        sharing->unused[sharing->n_unused++] = (uint32_t)sharing->n_flows++;
    }
    if (rc) return rc;
    *number = sharing->unused[sharing->n_unused - 1];
    struct flow *flow = &sharing->flows[*number];
    size_t room = flow->room;
    rc = cw_grow_array((void **)&flow->crossings, &room, n, sizeof *flow->crossings, what);
    flow->room = (uint32_t)room;
    return rc;
}

int cw_max_min_add(struct cw_max_min *sharing, double weight, size_t n, const uint32_t *links, const double *shares,
                   uint32_t *out)
{
    uint32_t number;
    int rc = make_room(sharing, n, &number);
    for (size_t i = 0; !rc && i < n; i++) {
        struct link *link = &sharing->links[links[i]];
        rc = cw_grow_array((void **)&link->members, &link->room, link->n + 1, sizeof *link->members, what);
    }
    if (rc) return rc;
    struct flow *flow = &sharing->flows[number];
    flow->n = (uint32_t)n;
    flow->weight = weight;
    flow->level = sharing->levels[number] = 0;
    flow->bottleneck = NONE;
    flow->waits = false;
    for (uint32_t i = 0; i < n; i++) {
        struct link *link = &sharing->links[links[i]];
        const double load = weight * (shares ? shares[i] : 1);
        flow->crossings[i] = (struct crossing){
            .link = links[i], .place = (uint32_t)link->n, .load = load, .alone = link->capacity / load};
        link->members[link->n++] = (struct member){number, i, load};
    }
    sharing->n_unused--;
    sharing->fresh[sharing->n_fresh++] = number;
    *out = number;
    return 0;
}

void cw_max_min_remove(struct cw_max_min *sharing, uint32_t number)
{
    struct flow *flow = &sharing->flows[number];
    if (flow->bottleneck != NONE) sharing->links[flow->bottleneck].n_held--;
    for (uint32_t i = 0; i < flow->n; i++) {
        struct link *link = &sharing->links[flow->crossings[i].link];
        const struct member last = link->members[--link->n];
        link->members[flow->crossings[i].place] = last;
        sharing->flows[last.flow].crossings[last.crossing].place = flow->crossings[i].place;
        loosen(sharing, flow->crossings[i].link);
    }
    flow->n = 0;
    sharing->unused[sharing->n_unused++] = number;
}

/* --- sharing out -------------------------------------------------------------------------------------------------- */

static bool due_before(const struct link *links, const struct due *a, const struct due *b)
{
    (void)links;
    return a->level < b->level || (a->level == b->level && a->link < b->link);
}
#define PUT_DUE(links, items, at, item) ((items)[at] = (item), (links)[(item).link].place = (uint32_t)(at))
CW_HEAP(due, struct due, 4, struct link *, due_before, PUT_DUE)

/* The level at which members that wait fill the link; INFINITY: none does. */
static double fill_of(const struct link *link)
{
    if (link->waiting == 0) return INFINITY;
    return link->left > 0 ? link->left / link->load : 0;
}

/* When it is filled, or has to be full for those that it holds; INFINITY: never. */
static double due_of(const struct link *link)
{
    const double fill = fill_of(link);
    return fill < link->held ? fill : link->held;
}

static void put(struct cw_max_min *sharing, uint32_t number)
{
    const struct link *link = &sharing->links[number];
    const double level = due_of(link);
    if (level == INFINITY) return;
    if (link->place == NONE)
        due_push(sharing->links, sharing->dues, &sharing->n_dues, (struct due){level, number});
    else if (level < sharing->dues[link->place].level)
        due_rise(sharing->links, sharing->dues, link->place, (struct due){level, number});
}

/* Loose links may be due earlier now. */
static void put_loose(struct cw_max_min *sharing)
{
    for (size_t i = 0; i < sharing->n_loose; i++) {
        sharing->links[sharing->loose[i]].loose = false;
        put(sharing, sharing->loose[i]);
    }
    sharing->n_loose = 0;
}

/* What members take, and their loads. */
static void weigh(const double *levels, struct link *link)
{
    link->left = link->capacity;
    link->load = link->most = 0;
    for (size_t i = 0; i < link->n; i++) {
        const double level = levels[link->members[i].flow];
        if (level < 0) {
            link->load += link->members[i].load;
        } else {
            link->left -= link->members[i].load * level;
            if (level > link->most) link->most = level;
        }
    }
}

static void touch(struct cw_max_min *sharing, struct link *link)
{
    if (link->touched == sharing->settling) return;
    link->touched = sharing->settling;
    link->waiting = 0;
    link->place = NONE;
    link->held = link->n_held > 0 ? link->level : INFINITY;
    sharing->holding += link->n_held > 0;
    weigh(sharing->levels, link);
}

/* It need not be full any more, or is. */
static void settle_held(struct cw_max_min *sharing, struct link *link)
{
    sharing->holding -= link->held < INFINITY;
    link->held = INFINITY;
}

static void count(struct cw_max_min *sharing, struct crossing *crossing, double level)
{
    struct link *link = &sharing->links[crossing->link];
    touch(sharing, link);
    crossing->counted = true;
    link->load += crossing->load;
    link->left += crossing->load * level;
    if (++link->waiting == link->n) link->left = link->capacity;
    loosen(sharing, crossing->link);
}

/* A link that is the flow's alone decides its level only if it is narrower than all others of the flow: the rest need
 * not be looked at. */
static void set_free(struct cw_max_min *sharing, uint32_t number)
{
    struct flow *flow = &sharing->flows[number];
    struct crossing *narrowest = NULL;
    double shared = INFINITY; /* the least level that links allow which are not its alone */
    if (flow->waits) return;
    flow->waits = true;
    sharing->waiting++;
    if (flow->bottleneck != NONE) sharing->links[flow->bottleneck].n_held--;
    flow->bottleneck = NONE;
    for (uint32_t i = 0; i < flow->n; i++) {
        struct crossing *crossing = &flow->crossings[i];
        const struct link *link = &sharing->links[crossing->link];
        crossing->counted = false;
        if (link->n > 1 || link->touched == sharing->settling) {
            count(sharing, crossing, flow->level);
            if (crossing->alone < shared) shared = crossing->alone;
        } else if (!narrowest || crossing->alone < narrowest->alone)
            narrowest = crossing;
    }
    if (narrowest && !(shared <= narrowest->alone)) count(sharing, narrowest, flow->level);
    sharing->levels[number] = WAITS; /* only now: links that were touched have taken it for one that has its level */
}

/* Flow NUMBER, which waits, gets LEVEL, at which LINK is full. */
static void fix(struct cw_max_min *sharing, uint32_t number, double level, uint32_t link)
{
    struct flow *flow = &sharing->flows[number];
    if (fabs(level - flow->level) > ACCURACY / 100 * flow->level) {
        flow->level = level;
        sharing->changed[sharing->n_changed++] = number;
    }
    sharing->levels[number] = flow->level;
    flow->waits = false;
    sharing->waiting--;
    flow->bottleneck = link;
    sharing->links[link].n_held++;
    for (uint32_t i = 0; i < flow->n; i++) {
        const struct crossing *crossing = &flow->crossings[i];
        struct link *at = &sharing->links[crossing->link];
        if (!crossing->counted) continue;
        at->waiting--;
        at->load -= crossing->load;
        at->left -= crossing->load * flow->level;
        if (at->waiting > 0 && !(at->load > 0))
            weigh(sharing->levels, at); /* light ones are left, of which rounding left nothing */
    }
}

/* Frees members whose level is higher than MOST. */
static void free_higher(struct cw_max_min *sharing, struct link *link, double most)
{
    for (size_t i = 0; i < link->n; i++)
        if (sharing->levels[link->members[i].flow] > most) set_free(sharing, link->members[i].flow);
    link->most = most;
}

static void free_held(struct cw_max_min *sharing, uint32_t number)
{
    const struct link *link = &sharing->links[number];
    for (size_t i = 0; i < link->n; i++) {
        const uint32_t flow = link->members[i].flow;
        if (sharing->flows[flow].bottleneck == number) set_free(sharing, flow);
    }
}

/* All members that wait get LEVEL: it fills the link. */
static void decide(struct cw_max_min *sharing, uint32_t number, double level)
{
    struct link *link = &sharing->links[number];
    if (link->n_held == 0 || level < link->level) link->level = level;
    settle_held(sharing, link);
    for (size_t i = 0; link->waiting > 0; i++)
        if (sharing->levels[link->members[i].flow] < 0) fix(sharing, link->members[i].flow, level, number);
}

/* The level has come to where LINK holds members: if it is not full by then, they wait for another level. */
static void check_held(struct cw_max_min *sharing, uint32_t number)
{
    struct link *link = &sharing->links[number];
    const bool full =
        link->waiting > 0 ? fill_of(link) <= link->held * (1 + ACCURACY) : link->left <= ACCURACY * link->capacity;
    settle_held(sharing, link);
    if (!full) free_held(sharing, number);
}

/* From the lowest level to the highest, what is due. Links come later than they stand in the heap where members were
 * held up elsewhere meanwhile. */
static void share_out(struct cw_max_min *sharing)
{
    double level = 0;
    while (sharing->n_dues > 0 && (sharing->waiting > 0 || sharing->holding > 0)) {
        const struct due first = sharing->dues[0];
        struct link *link = &sharing->links[first.link];
        const double next = due_of(link);
        if (next == INFINITY) {
            due_pop(sharing->links, sharing->dues, &sharing->n_dues);
            link->place = NONE;
            continue;
        }
        if (next > first.level) {
            due_sink(sharing->links, sharing->dues, sharing->n_dues, 0, (struct due){next, first.link});
            continue;
        }
        if (next > level) level = next;
        if (link->held <= next)
            check_held(sharing, first.link);
        else if (link->most > level * (1 + ACCURACY))
            free_higher(sharing, link, level * (1 + ACCURACY));
        else
            decide(sharing, first.link, level);
        put_loose(sharing);
    }
    sharing->n_dues = sharing->waiting = sharing->holding = 0;
}

void cw_max_min_settle(struct cw_max_min *sharing, const uint32_t **changed, size_t *n_changed)
{
    sharing->settling++;
    sharing->n_changed = 0;
    for (size_t i = 0; i < sharing->n_loose; i++) touch(sharing, &sharing->links[sharing->loose[i]]);
    for (size_t i = 0; i < sharing->n_fresh; i++)
        if (sharing->flows[sharing->fresh[i]].n > 0) set_free(sharing, sharing->fresh[i]);
    sharing->n_fresh = 0;
    put_loose(sharing);
    share_out(sharing);
    *changed = sharing->changed;
    *n_changed = sharing->n_changed;
}
