#include "sim/flows/max_min.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"

#define NONE     UINT32_MAX
#define ACCURACY 1e-12 /* levels that differ by less are equal, and a link with less left is full */
#define PATIENCE 6     /* rounds in which only what must be is freed; then whatever shares a link with it */

static const char what[] = "flows that share links";

/* A link of a flow. */
struct crossing {
    uint32_t link, place; /* where it stands among the members of the link */
    bool counted;         /* in this settling: the link may decide its level */
    double load;          /* on the link for a level of 1: share · weight */
    double alone;         /* its level if no other flow were on the link */
};

struct flow {
    struct crossing *crossings; /* [n], of room */
    uint32_t n, room;
    uint32_t bottleneck; /* NONE: it waits for its next level */
    uint32_t freed;      /* the settling in which it was freed last */
    double weight, level, next;
};

struct member {
    uint32_t flow, crossing;
    double load; /* that of the crossing */
};

struct link {
    double capacity;
    size_t n;
    uint32_t touched;          /* the settling in which it was looked at last; what follows is of it */
    uint32_t n_freed, waiting; /* members that are freed; of these, those that wait */
    bool loose;                /* in the list of the sharing */
    double kept, freed;        /* what members put on it that are not freed; load of those that are */
    double most;               /* the highest level of all members before the settling */
    double held;               /* the least of those whose bottleneck it was then; INFINITY: there are none */
    double left, load;         /* in this round: what is left of its capacity, and the load of those that wait */
    double highest, decided;   /* … the last level of a member, and the one that it decides; negative: none */
    struct member *members;    /* [n], of room */
    size_t room;
};

/* The level at which the members of a link that wait would fill it. */
struct fill {
    double level;
    uint32_t link;
};

struct cw_max_min {
    uint32_t n_links;
    struct link *links;
    struct flow *flows;
    size_t n_flows, flows_room;
    uint32_t *unused; /* numbers that were given back */
    size_t n_unused, unused_room;
    uint32_t *fresh; /* flows that came since all was settled; some may have gone again */
    size_t n_fresh, fresh_room;
    uint32_t *loose; /* links that flows have left since then; room for all */
    size_t n_loose;
    uint32_t *freed; /* flows of this settling; then those of them that changed */
    size_t n_freed, freed_room;
    uint32_t *touched; /* links of this settling; room for all, as there is for fills */
    size_t n_touched;
    struct fill *fills;
    uint32_t settling; /* its number, from 1 */
};

int cw_max_min_new(uint32_t n_links, const double *capacity, struct cw_max_min **out)
{
    struct cw_max_min *sharing = cw_new_array(1, sizeof *sharing, what);
    if (!sharing) return CW_ENOMEM;
    sharing->links = cw_new_array(n_links, sizeof *sharing->links, what);
    sharing->touched = cw_new_array(n_links, sizeof *sharing->touched, what);
    sharing->loose = cw_new_array(n_links, sizeof *sharing->loose, what);
    sharing->fills = cw_new_array(n_links, sizeof *sharing->fills, what);
    if (!sharing->links || !sharing->touched || !sharing->loose || !sharing->fills) {
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
    free(sharing->unused);
    free(sharing->fresh);
    free(sharing->loose);
    free(sharing->freed);
    free(sharing->touched);
    free(sharing->fills);
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
        if (!rc) rc = grow(&sharing->freed, &sharing->freed_room, sharing->n_flows + 1);
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
    flow->level = flow->next = 0;
    flow->bottleneck = NONE;
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
    for (uint32_t i = 0; i < flow->n; i++) {
        struct link *link = &sharing->links[flow->crossings[i].link];
        const struct member last = link->members[--link->n];
        link->members[flow->crossings[i].place] = last;
        sharing->flows[last.flow].crossings[last.crossing].place = flow->crossings[i].place;
        if (!link->loose) sharing->loose[sharing->n_loose++] = flow->crossings[i].link;
        link->loose = true;
    }
    flow->n = 0;
    sharing->unused[sharing->n_unused++] = number;
}

/* --- sharing out -------------------------------------------------------------------------------------------------- */

static void touch(struct cw_max_min *sharing, uint32_t number)
{
    struct link *link = &sharing->links[number];
    if (link->touched == sharing->settling) return;
    link->touched = sharing->settling;
    link->n_freed = 0;
    link->kept = link->freed = link->most = 0;
    link->held = INFINITY;
    for (size_t i = 0; i < link->n; i++) {
        const struct flow *flow = &sharing->flows[link->members[i].flow];
        link->kept += link->members[i].load * flow->level;
        if (flow->level > link->most) link->most = flow->level;
        if (flow->bottleneck == number && flow->level < link->held) link->held = flow->level;
    }
    sharing->touched[sharing->n_touched++] = number;
}

static void count(struct cw_max_min *sharing, struct crossing *crossing, double level)
{
    struct link *link = &sharing->links[crossing->link];
    touch(sharing, crossing->link);
    crossing->counted = true;
    link->freed += crossing->load;
    link->kept -= crossing->load * level;
    if (++link->n_freed == link->n || link->kept < 0) link->kept = 0;
}

/* A link that is the flow's alone decides its level only if it is narrower than all others of the flow: the rest need
 * not be looked at. */
static void set_free(struct cw_max_min *sharing, uint32_t number)
{
    struct flow *flow = &sharing->flows[number];
    struct crossing *narrowest = NULL;
    double shared = INFINITY; /* the least level that links allow which are not its alone */
    if (flow->freed == sharing->settling) return;
    flow->freed = sharing->settling;
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
    sharing->freed[sharing->n_freed++] = number;
}

static bool fills_before(const void *context, const struct fill *a, const struct fill *b)
{
    (void)context;
    return a->level < b->level || (a->level == b->level && a->link < b->link);
}
CW_HEAP(fill, struct fill, 4, const void *, fills_before, CW_HEAP_PUT)

/* FLOW, which waits, gets LEVEL, at which LINK is full. */
static void fix(struct cw_max_min *sharing, struct flow *flow, double level, uint32_t link)
{
    flow->next = level;
    flow->bottleneck = link;
    for (uint32_t i = 0; i < flow->n; i++) {
        const struct crossing *crossing = &flow->crossings[i];
        struct link *at = &sharing->links[crossing->link];
        if (!crossing->counted) continue;
        at->waiting--;
        at->load -= crossing->load;
        at->left -= crossing->load * level;
        at->highest = level; /* they rise */
        if (at->left < 0) at->left = 0;
    }
}

/* All freed flows wait. The links on which they do, with the levels that fill them. */
static size_t begin_round(struct cw_max_min *sharing)
{
    size_t n = 0;
    for (size_t i = 0; i < sharing->n_freed; i++) sharing->flows[sharing->freed[i]].bottleneck = NONE;
    for (size_t i = 0; i < sharing->n_touched; i++) {
        struct link *link = &sharing->links[sharing->touched[i]];
        link->waiting = link->n_freed;
        link->load = link->freed;
        link->left = link->capacity > link->kept ? link->capacity - link->kept : 0;
        link->highest = link->decided = -1;
        if (link->waiting > 0)
            fill_push(NULL, sharing->fills, &n, (struct fill){link->left / link->load, sharing->touched[i]});
    }
    return n;
}

/* Gives every freed flow its next level, the links that are full first coming first. O(links), and for each link that
 * decides, or could have, log links. */
static void share_out(struct cw_max_min *sharing)
{
    double level = 0;
    size_t waiting = sharing->n_freed;
    for (size_t n = begin_round(sharing); waiting > 0;) {
        struct fill first = sharing->fills[0];
        struct link *link = &sharing->links[first.link];
        const double now = link->waiting > 0 ? fmax(level, link->left / link->load) : 0;
        if (link->waiting > 0 && now > first.level) { /* some of its members were held up elsewhere */
            first.level = now;
            fill_sink(NULL, sharing->fills, n, 0, first);
            continue;
        }
        fill_pop(NULL, sharing->fills, &n);
        if (link->waiting == 0) continue;
        level = now;
        waiting -= link->waiting;
        link->decided = level;
        for (size_t i = 0; link->waiting > 0; i++) {
            struct flow *flow = &sharing->flows[link->members[i].flow];
            if (flow->bottleneck == NONE) fix(sharing, flow, level, first.link);
        }
    }
}

/* Frees members of the link that cannot keep their levels, or ALL; true if there were any. Members are looked at only
 * where the extremes of their levels say that there can be some. */
static bool free_members(struct cw_max_min *sharing, uint32_t number, bool all)
{
    const struct link *link = &sharing->links[number];
    const size_t before = sharing->n_freed;
    const bool full = link->left <= ACCURACY * link->capacity;
    const double lost = full ? link->highest : INFINITY; /* below it a member has no bottleneck here any more */
    const double most = link->decided >= 0 ? link->decided * (1 + ACCURACY) : INFINITY;
    const bool loses = link->held < INFINITY && lost > link->held * (1 + ACCURACY);
    if (link->n_freed == link->n || !(all || loses || link->most > most)) return false;
    for (size_t i = 0; i < link->n; i++) {
        const struct flow *flow = &sharing->flows[link->members[i].flow];
        if (flow->freed == sharing->settling) continue;
        const bool loose = flow->bottleneck == number && lost > flow->level * (1 + ACCURACY);
        if (all || loose || flow->level > most) set_free(sharing, link->members[i].flow);
    }
    return sharing->n_freed > before;
}

/* Rounds until no flow but those freed has to change. */
static void share_out_again(struct cw_max_min *sharing)
{
    bool again = true;
    for (int round = 0; again; round++) {
        share_out(sharing);
        again = false;
        const size_t n = sharing->n_touched; /* what is touched from here on is looked at after the next round */
        for (size_t i = 0; i < n; i++) again |= free_members(sharing, sharing->touched[i], false);
        for (size_t i = 0; again && round >= PATIENCE && i < n; i++) free_members(sharing, sharing->touched[i], true);
    }
}

void cw_max_min_settle(struct cw_max_min *sharing, const uint32_t **changed, size_t *n_changed)
{
    size_t n = 0;
    sharing->settling++;
    sharing->n_freed = sharing->n_touched = 0;
    for (size_t i = 0; i < sharing->n_fresh; i++)
        if (sharing->flows[sharing->fresh[i]].n > 0) set_free(sharing, sharing->fresh[i]);
    for (size_t i = 0; i < sharing->n_loose; i++) {
        touch(sharing, sharing->loose[i]);
        sharing->links[sharing->loose[i]].loose = false;
    }
    sharing->n_fresh = sharing->n_loose = 0;
    share_out_again(sharing);
    for (size_t i = 0; i < sharing->n_freed; i++) {
        struct flow *flow = &sharing->flows[sharing->freed[i]];
        if (fabs(flow->next - flow->level) <= ACCURACY / 100 * flow->level) continue;
        flow->level = flow->next;
        sharing->freed[n++] = sharing->freed[i];
    }
    *changed = sharing->freed;
    *n_changed = n;
}
