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

/* A link of a bundle. */
struct crossing {
    uint32_t link, place; /* where it stands among the members of the link */
    bool counted;         /* in this settling, while it waits: the link may decide its level */
    double share;         /* of the rate of each flow */
    double load;          /* of all flows on the link for a level of 1: share · weight · n_flows */
    double alone;         /* its level if no other bundle were on the link */
};

struct flow {
    uint32_t bundle, next; /* the flow after it in the bundle, and … */
    uint32_t before;       /* … that before it; NONE: it is the last one, or the first */
    bool fresh;            /* it came since all was settled: it has no rate yet */
};

/* Flows of one weight on the same links, with the same shares: they always have the same level. */
struct bundle {
    uint32_t n_flows, first;    /* of them; the one that came last */
    uint32_t next;              /* of the same bucket, or unused, too; NONE: none */
    struct crossing *crossings; /* [n], of room */
    uint32_t n, room;
    uint32_t bottleneck;  /* NONE: it is new or waits */
    bool waits;           /* for its next level */
    double weight, level; /* the last one */
};

struct member {
    uint32_t bundle, crossing;
    double load; /* that of the crossing */
};

struct link {
    double capacity;
    size_t n;
    uint32_t n_held; /* bundles, which are its members, whose bottleneck it is, */
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
    struct bundle *bundles;
    size_t n_bundles, bundles_room;
    uint32_t spare;    /* the first of those that are unused; NONE: there are none */
    uint32_t *buckets; /* [n_buckets, a power of two] the first bundle of each; NONE: it is empty */
    size_t n_buckets;
    double *levels; /* those of bundles, close to each other for whoever looks at all members of a link; or WAITS */
    size_t levels_room;
    uint32_t *unused; /* numbers that were given back */
    size_t n_unused, unused_room;
    uint32_t *fresh; /* bundles to which flows came since all was settled; some may have gone again */
    size_t n_fresh, fresh_room;
    uint32_t *loose; /* links that flows have left since then; room for all */
    size_t n_loose;
    uint32_t *changed; /* flows of this settling; room for all */
    size_t n_changed, changed_room;
    struct due *dues; /* a heap; room for all links */
    size_t n_dues;
    size_t waiting;    /* bundles that wait */
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
    sharing->spare = NONE;
    for (uint32_t i = 0; i < n_links; i++) sharing->links[i].capacity = capacity[i];
    *out = sharing;
    return 0;
}

void cw_max_min_free(struct cw_max_min *sharing)
{
    if (!sharing) return;
    for (size_t i = 0; i < sharing->n_bundles; i++) free(sharing->bundles[i].crossings);
    for (uint32_t i = 0; i < sharing->n_links; i++) free(sharing->links[i].members);
    free(sharing->flows);
    free(sharing->bundles);
    free(sharing->buckets);
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
    const struct bundle *bundle = &sharing->bundles[sharing->flows[flow].bundle];
    return sharing->flows[flow].fresh ? 0 : bundle->level * bundle->weight;
}

uint32_t cw_max_min_bottleneck(const struct cw_max_min *sharing, uint32_t flow)
{
    return sharing->bundles[sharing->flows[flow].bundle].bottleneck;
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

static uint64_t bucket_of(const struct cw_max_min *sharing, const struct bundle *bundle)
{
    uint64_t hash = bundle->n;
    for (uint32_t i = 0; i < bundle->n; i++)
        hash = (hash ^ bundle->crossings[i].link) * 0x9e3779b97f4a7c15 + (hash >> 32);
    return hash >> 32 & (sharing->n_buckets - 1);
}

static void put_into_bucket(struct cw_max_min *sharing, uint32_t number)
{
    uint32_t *bucket = &sharing->buckets[bucket_of(sharing, &sharing->bundles[number])];
    sharing->bundles[number].next = *bucket;
    *bucket = number;
}

static void take_from_bucket(struct cw_max_min *sharing, uint32_t number)
{
    uint32_t *at = &sharing->buckets[bucket_of(sharing, &sharing->bundles[number])];
    while (*at != number) at = &sharing->bundles[*at].next;
    *at = sharing->bundles[number].next;
}

/* Twice as many buckets as before; there are never fewer than bundles. */
static int add_buckets(struct cw_max_min *sharing)
{
    const size_t n = sharing->n_buckets > 0 ? 2 * sharing->n_buckets : 64;
    uint32_t *buckets = cw_new_array(n, sizeof *buckets, what);
    if (!buckets) return CW_ENOMEM;
    free(sharing->buckets);
    sharing->buckets = buckets;
    sharing->n_buckets = n;
    for (size_t i = 0; i < n; i++) buckets[i] = NONE;
    for (uint32_t i = 0; i < sharing->n_bundles; i++)
        if (sharing->bundles[i].n_flows > 0) put_into_bucket(sharing, i);
    return 0;
}

/* An unused bundle, *NUMBER, with room for N links. */
static int make_bundle(struct cw_max_min *sharing, size_t n, uint32_t *number)
{
    int rc = sharing->n_bundles < sharing->n_buckets ? 0 : add_buckets(sharing);
    if (!rc && sharing->spare == NONE) {
        rc = cw_grow_array((void **)&sharing->bundles, &sharing->bundles_room, sharing->n_bundles + 1,
                           sizeof(struct bundle), what);
        if (!rc)
            rc = cw_grow_array((void **)&sharing->levels, &sharing->levels_room, sharing->n_bundles + 1,
                               sizeof *sharing->levels, what);
        if (rc) return rc;
        sharing->bundles[sharing->n_bundles] = (struct bundle){.next = NONE};
        sharing->spare = (uint32_t)sharing->n_bundles++;
    }
    if (rc) return rc;
    *number = sharing->spare;
    struct bundle *bundle = &sharing->bundles[*number];
    size_t room = bundle->room;
    rc = cw_grow_array((void **)&bundle->crossings, &room, n, sizeof *bundle->crossings, what);
    bundle->room = (uint32_t)room;
    return rc;
}

/* Its loads on links become those of as many flows as there are now. */
static void load_links(struct cw_max_min *sharing, const struct bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->n; i++) {
        struct crossing *crossing = &bundle->crossings[i];
        struct link *link = &sharing->links[crossing->link];
        crossing->load = crossing->share * bundle->weight * bundle->n_flows;
        crossing->alone = link->capacity / crossing->load;
        link->members[crossing->place].load = crossing->load;
    }
}

static void enter_links(struct cw_max_min *sharing, uint32_t number)
{
    struct bundle *bundle = &sharing->bundles[number];
    for (uint32_t i = 0; i < bundle->n; i++) {
        struct link *link = &sharing->links[bundle->crossings[i].link];
        bundle->crossings[i].place = (uint32_t)link->n;
        link->members[link->n++] = (struct member){number, i, 0};
    }
}

static void leave_links(struct cw_max_min *sharing, const struct bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->n; i++) {
        struct link *link = &sharing->links[bundle->crossings[i].link];
        const struct member last = link->members[--link->n];
        link->members[bundle->crossings[i].place] = last;
        sharing->bundles[last.bundle].crossings[last.crossing].place = bundle->crossings[i].place;
    }
}

/* A number for a flow, and all the room that it will need, so that nothing fails later. */
static int make_room(struct cw_max_min *sharing, size_t n, const uint32_t *links)
{
    int rc = grow(&sharing->fresh, &sharing->fresh_room, sharing->n_fresh + 1);
    for (size_t i = 0; !rc && i < n; i++) {
        struct link *link = &sharing->links[links[i]];
        rc = cw_grow_array((void **)&link->members, &link->room, link->n + 1, sizeof *link->members, what);
    }
    if (rc || sharing->n_unused > 0) return rc;
    rc = cw_grow_array((void **)&sharing->flows, &sharing->flows_room, sharing->n_flows + 1, sizeof(struct flow), what);
    if (!rc) rc = grow(&sharing->changed, &sharing->changed_room, sharing->n_flows + 1);
    if (!rc) rc = grow(&sharing->unused, &sharing->unused_room, sharing->n_flows + 1);
    if (!rc) sharing->unused[sharing->n_unused++] = (uint32_t)sharing->n_flows++;
    return rc;
}

static bool is_alike(const struct bundle *a, const struct bundle *b)
{
    if (a->n != b->n || a->weight != b->weight) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->crossings[i].link != b->crossings[i].link || a->crossings[i].share != b->crossings[i].share)
            return false;
    return true;
}

/* The one with flows that is like unused bundle NUMBER, or else that, which is taken. */
static uint32_t find_bundle(struct cw_max_min *sharing, uint32_t number)
{
    struct bundle *bundle = &sharing->bundles[number];
    uint32_t like = sharing->buckets[bucket_of(sharing, bundle)];
    while (like != NONE && !is_alike(&sharing->bundles[like], bundle)) like = sharing->bundles[like].next;
    if (like != NONE) return like;
    sharing->spare = bundle->next;
    bundle->n_flows = 0;
    bundle->first = bundle->bottleneck = NONE;
    bundle->level = sharing->levels[number] = 0;
    bundle->waits = false;
    put_into_bucket(sharing, number);
    enter_links(sharing, number);
    return number;
}

int cw_max_min_add(struct cw_max_min *sharing, double weight, size_t n, const uint32_t *links, const double *shares,
                   uint32_t *out)
{
    uint32_t number;
    int rc = make_room(sharing, n, links);
    if (!rc) rc = make_bundle(sharing, n, &number);
    if (rc) return rc;
    struct bundle *bundle = &sharing->bundles[number];
    bundle->weight = weight;
    bundle->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        bundle->crossings[i] = (struct crossing){.link = links[i], .share = shares ? shares[i] : 1};
    number = find_bundle(sharing, number);
    bundle = &sharing->bundles[number];
    *out = sharing->unused[--sharing->n_unused];
    sharing->flows[*out] = (struct flow){.bundle = number, .next = bundle->first, .before = NONE, .fresh = true};
    if (bundle->first != NONE) sharing->flows[bundle->first].before = *out;
    bundle->first = *out;
    bundle->n_flows++;
    load_links(sharing, bundle);
    sharing->fresh[sharing->n_fresh++] = number;
    return 0;
}

void cw_max_min_remove(struct cw_max_min *sharing, uint32_t number)
{
    const struct flow flow = sharing->flows[number];
    struct bundle *bundle = &sharing->bundles[flow.bundle];
    if (flow.before == NONE)
        bundle->first = flow.next;
    else
        sharing->flows[flow.before].next = flow.next;
    if (flow.next != NONE) sharing->flows[flow.next].before = flow.before;
    sharing->unused[sharing->n_unused++] = number;
    for (uint32_t i = 0; i < bundle->n; i++) loosen(sharing, bundle->crossings[i].link);
    if (--bundle->n_flows > 0) {
        load_links(sharing, bundle);
        return;
    }
    if (bundle->bottleneck != NONE) sharing->links[bundle->bottleneck].n_held--;
    leave_links(sharing, bundle);
    take_from_bucket(sharing, flow.bundle);
    bundle->next = sharing->spare;
    sharing->spare = flow.bundle;
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
        const double level = levels[link->members[i].bundle];
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
    struct bundle *bundle = &sharing->bundles[number];
    struct crossing *narrowest = NULL;
    double shared = INFINITY; /* the least level that links allow which are not its alone */
    if (bundle->waits) return;
    bundle->waits = true;
    sharing->waiting++;
    if (bundle->bottleneck != NONE) sharing->links[bundle->bottleneck].n_held--;
    bundle->bottleneck = NONE;
    for (uint32_t i = 0; i < bundle->n; i++) {
        struct crossing *crossing = &bundle->crossings[i];
        const struct link *link = &sharing->links[crossing->link];
        crossing->counted = false;
        if (link->n > 1 || link->touched == sharing->settling) {
            count(sharing, crossing, bundle->level);
            if (crossing->alone < shared) shared = crossing->alone;
        } else if (!narrowest || crossing->alone < narrowest->alone)
            narrowest = crossing;
    }
    if (narrowest && !(shared <= narrowest->alone)) count(sharing, narrowest, bundle->level);
    sharing->levels[number] = WAITS; /* only now: links that were touched have taken it for one that has its level */
}

/* Flow NUMBER, which waits, gets LEVEL, at which LINK is full. */
static void fix(struct cw_max_min *sharing, uint32_t number, double level, uint32_t link)
{
    struct bundle *bundle = &sharing->bundles[number];
    const bool changes = fabs(level - bundle->level) > ACCURACY / 100 * bundle->level;
    if (changes) bundle->level = level;
    for (uint32_t i = bundle->first; i != NONE && (changes || sharing->flows[i].fresh); i = sharing->flows[i].next) {
        sharing->flows[i].fresh = false; /* those come first */
        sharing->changed[sharing->n_changed++] = i;
    }
    sharing->levels[number] = bundle->level;
    bundle->waits = false;
    sharing->waiting--;
    bundle->bottleneck = link;
    sharing->links[link].n_held++;
    for (uint32_t i = 0; i < bundle->n; i++) {
        const struct crossing *crossing = &bundle->crossings[i];
        struct link *at = &sharing->links[crossing->link];
        if (!crossing->counted) continue;
        at->waiting--;
        at->load -= crossing->load;
        at->left -= crossing->load * bundle->level;
        if (at->waiting > 0 && !(at->load > 0))
            weigh(sharing->levels, at); /* light ones are left, of which rounding left nothing */
    }
}

/* Frees members whose level is higher than MOST. */
static void free_higher(struct cw_max_min *sharing, struct link *link, double most)
{
    for (size_t i = 0; i < link->n; i++)
        if (sharing->levels[link->members[i].bundle] > most) set_free(sharing, link->members[i].bundle);
    link->most = most;
}

static void free_held(struct cw_max_min *sharing, uint32_t number)
{
    const struct link *link = &sharing->links[number];
    for (size_t i = 0; i < link->n; i++) {
        const uint32_t bundle = link->members[i].bundle;
        if (sharing->bundles[bundle].bottleneck == number) set_free(sharing, bundle);
    }
}

/* All members that wait get LEVEL: it fills the link. */
static void decide(struct cw_max_min *sharing, uint32_t number, double level)
{
    struct link *link = &sharing->links[number];
    if (link->n_held == 0 || level < link->level) link->level = level;
    settle_held(sharing, link);
    for (size_t i = 0; link->waiting > 0; i++)
        if (sharing->levels[link->members[i].bundle] < 0) fix(sharing, link->members[i].bundle, level, number);
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
        if (sharing->bundles[sharing->fresh[i]].n_flows > 0) set_free(sharing, sharing->fresh[i]);
    sharing->n_fresh = 0;
    put_loose(sharing);
    share_out(sharing);
    *changed = sharing->changed;
    *n_changed = sharing->n_changed;
}
