#include "flow/rails.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"

#define FIRST_POWER   2     /* q = 2^FIRST_POWER at first, … */
#define LAST_POWER    9     /* … and at last: steeper, and only the busiest channels of all would count */
#define SWEEPS        400   /* at most */
#define MAX_ENDPOINTS 65536 /* whose bytes add up to 64 bits */
#define MAX_RAILS     256   /* of a box */
#define GAINED        0.02  /* a sweep that closes a smaller part of the gap is followed by one with a greater q */

/* Ports are numbered box · rails + rail. */
struct cw_rails {
    const struct cw_network *net;
    uint32_t n, n_rails;      /* boxes, and rails */
    uint32_t *box;            /* [endpoints] */
    uint32_t *first, *member; /* [boxes + 1], [endpoints]: those of a box */
    uint32_t *host[2];        /* [endpoints] the cable to the box, and from it */
    double *host_capacity[2]; /* [endpoints] */
    uint32_t *channel[2];     /* [ports] to the rail, and from it */
    double *capacity[2];      /* [ports] 0: no such port */
    double *whole[2];         /* [boxes] of all ports */
    double *share, *before;   /* [boxes · boxes · rails]; the plan before */
    double *bytes;            /* [boxes · boxes] */
    uint64_t *sent[2];        /* [endpoints] and received */
    double *load[2];          /* [ports] bytes */
    double *power[2];         /* [ports] (load / capacity / greatest)^q */
    double *length;           /* [channels] */
    bool planned;             /* there is one */
};

/* --- boxes and rails ---------------------------------------------------------------------------------------------- */

static int refuse_vertex(const struct cw_network *net, uint32_t v, const char *what)
{
    char name[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "no boxes on rails: %s %s", cw_network_name(net, v, name, sizeof name), what);
}

static double capacity_of(const struct cw_network *net, const double *capacity, uint32_t c)
{
    return capacity ? capacity[c] : net->capacity[c];
}

/* Numbers boxes and rails in PLACE [vertices], boxes from 0, and rails from 0, too. */
static int find_boxes(struct cw_rails *rails, const double *capacity, uint32_t *place)
{
    const struct cw_network *net = rails->net;
    bool *is_box = cw_new_array(net->n_vertices, sizeof *is_box, "boxes");
    if (!is_box) return CW_ENOMEM;
    int rc = 0;
    for (uint32_t e = 0; e < net->n_endpoints && !rc; e++) {
        const uint32_t c = net->first[e];
        rails->box[e] = rails->host[0][e] = rails->host[1][e] = CW_NONE;
        if (cw_network_degree(net, e) == 0) continue; /* it was cut off, and may have nothing to send or receive */
        if (cw_network_degree(net, e) > 1)
            rc = refuse_vertex(net, e, "is an endpoint with several cables; expected one, to the switch of its box");
        else if (cw_network_is_endpoint(net, net->head[c]))
            rc = refuse_vertex(net, e, "is an endpoint that has no switch");
        else
            is_box[net->head[c]] = true;
        if (rc) break;
        rails->host[0][e] = c;
        rails->host[1][e] = net->twin[c];
        for (int way = 0; way < 2; way++)
            rails->host_capacity[way][e] = capacity_of(net, capacity, rails->host[way][e]);
    }
    for (uint32_t v = 0; v < net->n_vertices; v++) place[v] = CW_NONE;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++)
        if (is_box[v]) place[v] = rails->n++;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices && !rc; v++) {
        bool joins = false;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) joins = joins || is_box[net->head[c]];
        if (!is_box[v] && joins) place[v] = rails->n_rails++;
    }
    for (uint32_t e = 0; e < net->n_endpoints && !rc; e++)
        if (rails->host[0][e] != CW_NONE) rails->box[e] = place[net->head[rails->host[0][e]]];
    for (uint32_t c = net->first[net->n_endpoints]; c < net->n_channels && !rc; c++)
        if (is_box[net->tail[c]] && is_box[net->head[c]])
            rc = refuse_vertex(net, net->tail[c], "is a switch with endpoints that has a cable to another such switch");
    if (!rc && rails->n_rails == 0)
        rc = cw_fail(CW_EUSAGE,
                     "no boxes on rails: expected a switch without endpoints that joins those with endpoints");
    free(is_box);
    return rc;
}

static int allocate(struct cw_rails *rails)
{
    const size_t n = rails->net->n_endpoints, ports = (size_t)rails->n * rails->n_rails,
                 pairs = (size_t)rails->n * rails->n;
    rails->first = cw_new_array((size_t)rails->n + 1, sizeof *rails->first, "boxes");
    rails->member = cw_new_array(n, sizeof *rails->member, "boxes");
    rails->share = cw_new_array(pairs * rails->n_rails, sizeof *rails->share, "shares of rails");
    rails->before = cw_new_array(pairs * rails->n_rails, sizeof *rails->before, "shares of rails");
    rails->bytes = cw_new_array(pairs, sizeof *rails->bytes, "bytes of boxes");
    rails->length = cw_new_array(rails->net->n_channels, sizeof *rails->length, "channel lengths");
    bool all = rails->first && rails->member && rails->share && rails->before && rails->bytes && rails->length;
    for (int way = 0; way < 2; way++) {
        rails->channel[way] = cw_new_array(ports, sizeof *rails->channel[way], "ports");
        rails->capacity[way] = cw_new_array(ports, sizeof *rails->capacity[way], "ports");
        rails->whole[way] = cw_new_array(rails->n, sizeof *rails->whole[way], "boxes");
        rails->sent[way] = cw_new_array(n, sizeof *rails->sent[way], "bytes of endpoints");
        rails->load[way] = cw_new_array(ports, sizeof *rails->load[way], "loads of ports");
        rails->power[way] = cw_new_array(ports, sizeof *rails->power[way], "loads of ports");
        all = all && rails->channel[way] && rails->capacity[way] && rails->whole[way] && rails->sent[way] &&
              rails->load[way] && rails->power[way];
    }
    return all ? 0 : CW_ENOMEM;
}

static int find_ports(struct cw_rails *rails, const double *capacity, const uint32_t *place)
{
    const struct cw_network *net = rails->net;
    for (int way = 0; way < 2; way++)
        for (size_t p = 0; p < (size_t)rails->n * rails->n_rails; p++) rails->channel[way][p] = CW_NONE;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (rails->box[e] == CW_NONE || (e > 0 && rails->box[e] == rails->box[e - 1])) continue;
        const uint32_t v = net->head[net->first[e]];
        uint32_t ports = 0;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c]) || place[net->head[c]] == CW_NONE) continue;
            const size_t port = (size_t)place[v] * rails->n_rails + place[net->head[c]];
            const uint32_t both[] = {c, net->twin[c]};
            if (++ports > MAX_RAILS) return refuse_vertex(net, v, "has more than 256 ports to rails");
            for (int way = 0; way < 2; way++) {
                const double can = capacity_of(net, capacity, both[way]);
                if (!(can > 0) || rails->channel[way][port] == both[way]) continue;
                if (rails->channel[way][port] != CW_NONE)
                    return refuse_vertex(net, v, "has two cables to the same rail");
                rails->channel[way][port] = both[way];
                rails->capacity[way][port] = can;
                rails->whole[way][place[v]] += can;
            }
        }
    }
    return 0;
}

static void sort_members(struct cw_rails *rails)
{
    const uint32_t n = rails->net->n_endpoints;
    for (uint32_t e = 0; e < n; e++)
        if (rails->box[e] != CW_NONE) rails->first[rails->box[e] + 1]++;
    for (uint32_t b = 0; b < rails->n; b++) rails->first[b + 1] += rails->first[b];
    for (uint32_t e = 0; e < n; e++)
        if (rails->box[e] != CW_NONE) rails->member[rails->first[rails->box[e]]++] = e;
    for (uint32_t b = rails->n; b > 0; b--) rails->first[b] = rails->first[b - 1];
    rails->first[0] = 0;
}

/* To begin with, a pair's bytes are split by what both ports of a rail can carry. */
static void begin_shares(struct cw_rails *rails)
{
    const uint32_t r = rails->n_rails;
    for (uint32_t a = 0; a < rails->n; a++)
        for (uint32_t b = 0; b < rails->n; b++) {
            const double *up = rails->capacity[0] + (size_t)a * r, *down = rails->capacity[1] + (size_t)b * r;
            double *share = rails->share + ((size_t)a * rails->n + b) * r, sum = 0;
            for (uint32_t j = 0; j < r; j++) sum += fmin(up[j], down[j]);
            if (a != b && sum > 0)
                for (uint32_t j = 0; j < r; j++) share[j] = fmin(up[j], down[j]) / sum;
        }
}

int cw_rails_new(const struct cw_network *net, const double *capacity, struct cw_rails **out)
{
    if (net->n_endpoints > MAX_ENDPOINTS)
        return cw_fail(CW_EUSAGE, "%u endpoints; rails are planned for at most %d", net->n_endpoints, MAX_ENDPOINTS);
    struct cw_rails *rails = cw_new_array(1, sizeof *rails, "rails");
    if (!rails) return CW_ENOMEM;
    rails->net = net;
    uint32_t *place = cw_new_array(net->n_vertices, sizeof *place, "boxes");
    rails->box = cw_new_array(net->n_endpoints, sizeof *rails->box, "boxes");
    bool all = place && rails->box;
    for (int way = 0; way < 2; way++) {
        rails->host[way] = cw_new_array(net->n_endpoints, sizeof *rails->host[way], "endpoints");
        rails->host_capacity[way] = cw_new_array(net->n_endpoints, sizeof *rails->host_capacity[way], "endpoints");
        all = all && rails->host[way] && rails->host_capacity[way];
    }
    int rc = all ? find_boxes(rails, capacity, place) : CW_ENOMEM;
    if (!rc) rc = allocate(rails);
    if (!rc) rc = find_ports(rails, capacity, place);
    free(place);
    if (rc) {
        cw_rails_free(rails);
        return rc;
    }
    sort_members(rails);
    begin_shares(rails);
    *out = rails;
    return 0;
}

void cw_rails_free(struct cw_rails *rails)
{
    if (!rails) return;
    for (int way = 0; way < 2; way++) {
        free(rails->host[way]);
        free(rails->host_capacity[way]);
        free(rails->channel[way]);
        free(rails->capacity[way]);
        free(rails->whole[way]);
        free(rails->sent[way]);
        free(rails->load[way]);
        free(rails->power[way]);
    }
    free(rails->box);
    free(rails->first);
    free(rails->member);
    free(rails->share);
    free(rails->before);
    free(rails->bytes);
    free(rails->length);
    free(rails);
}

uint32_t cw_rails_boxes(const struct cw_rails *rails)
{
    return rails->n;
}

uint32_t cw_rails_rails(const struct cw_rails *rails)
{
    return rails->n_rails;
}

uint32_t cw_rails_box(const struct cw_rails *rails, uint32_t endpoint)
{
    return rails->box[endpoint];
}

uint32_t cw_rails_channel(const struct cw_rails *rails, uint32_t box, uint32_t rail, bool up)
{
    return rails->channel[!up][(size_t)box * rails->n_rails + rail];
}

/* --- bytes and loads ---------------------------------------------------------------------------------------------- */

/* Adds up what endpoints send and receive, and boxes have for each other. */
static int add_up(struct cw_rails *rails, const uint64_t *matrix)
{
    const uint32_t n = rails->net->n_endpoints;
    uint64_t most = 0, *received = rails->sent[1];
    memset(received, 0, n * sizeof *received);
    memset(rails->bytes, 0, (size_t)rails->n * rails->n * sizeof *rails->bytes);
    for (uint32_t s = 0; s < n; s++) {
        const uint64_t *row = matrix + (size_t)s * n;
        const bool cut_off = rails->box[s] == CW_NONE;
        double *of_box = rails->bytes + (cut_off ? 0 : (size_t)rails->box[s] * rails->n);
        uint64_t sent = 0;
        for (uint32_t t = 0; t < n; t++) {
            received[t] += row[t];
            most |= row[t];
        }
        received[s] -= row[s];
        for (uint32_t t = 0; t < n && cut_off; t++) sent |= row[t];
        for (uint32_t b = 0; b < rails->n && !cut_off; b++) {
            uint64_t sum = 0;
            for (uint32_t i = rails->first[b]; i < rails->first[b + 1]; i++) sum += row[rails->member[i]];
            of_box[b] += (double)sum;
            sent += sum;
        }
        rails->sent[0][s] = cut_off ? sent : sent - row[s]; /* of one that is cut off, whether there is any */
    }
    for (size_t i = 0; i < (size_t)n * n && most > CW_RAILS_MAX_BYTES; i++)
        if (matrix[i] > CW_RAILS_MAX_BYTES && i / n != i % n)
            return cw_fail(CW_EUSAGE, "endpoint %zu has more than 2^48 bytes for endpoint %zu", i / n, i % n);
    for (uint32_t b = 0; b < rails->n; b++) rails->bytes[(size_t)b * rails->n + b] = 0;
    return 0;
}

static int check_joined(const struct cw_rails *rails)
{
    for (int way = 0; way < 2; way++)
        for (uint32_t e = 0; e < rails->net->n_endpoints; e++)
            if (rails->sent[way][e] > 0 && !(rails->host_capacity[way][e] > 0))
                return refuse_vertex(rails->net, e, "has bytes to send or receive, and no cable that works");
    for (uint32_t a = 0; a < rails->n; a++)
        for (uint32_t b = 0; b < rails->n; b++) {
            const size_t pair = (size_t)a * rails->n + b;
            double sum = 0;
            if (!(rails->bytes[pair] > 0)) continue;
            for (uint32_t j = 0; j < rails->n_rails; j++) sum += rails->share[pair * rails->n_rails + j];
            if (sum > 0) continue;
            char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
            const struct cw_network *net = rails->net;
            return cw_fail(
                CW_EUSAGE, "no rail leads from %s to %s, which have bytes for each other",
                cw_network_name(net, net->head[rails->host[0][rails->member[rails->first[a]]]], from, sizeof from),
                cw_network_name(net, net->head[rails->host[0][rails->member[rails->first[b]]]], to, sizeof to));
        }
    return 0;
}

static void load_ports(struct cw_rails *rails)
{
    const uint32_t r = rails->n_rails;
    for (int way = 0; way < 2; way++) memset(rails->load[way], 0, (size_t)rails->n * r * sizeof *rails->load[way]);
    for (uint32_t a = 0; a < rails->n; a++)
        for (uint32_t b = 0; b < rails->n; b++) {
            const size_t pair = (size_t)a * rails->n + b;
            const double *share = rails->share + pair * r, bytes = rails->bytes[pair];
            double *up = rails->load[0] + (size_t)a * r, *down = rails->load[1] + (size_t)b * r;
            for (uint32_t j = 0; j < r; j++) {
                up[j] += bytes * share[j];
                down[j] += bytes * share[j];
            }
        }
}

static double busiest_port(const struct cw_rails *rails)
{
    double most = 0;
    for (int way = 0; way < 2; way++)
        for (size_t p = 0; p < (size_t)rails->n * rails->n_rails; p++)
            if (rails->capacity[way][p] > 0) most = fmax(most, rails->load[way][p] / rails->capacity[way][p]);
    return most;
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

/* The greatest of what the cables of endpoints and all ports of each box need; LENGTH says which. */
static double cut(struct cw_rails *rails)
{
    const uint32_t r = rails->n_rails;
    double bound = 0;
    uint32_t at = CW_NONE, of = CW_NONE;
    int at_way = 0;
    for (int way = 0; way < 2; way++) {
        for (uint32_t e = 0; e < rails->net->n_endpoints; e++) {
            const double seconds = (double)rails->sent[way][e] / rails->host_capacity[way][e];
            if (!(seconds > bound)) continue;
            bound = seconds;
            at = e;
            at_way = way;
        }
        for (uint32_t b = 0; b < rails->n; b++) {
            double sum = 0;
            for (uint32_t k = 0; k < rails->n; k++)
                sum += rails->bytes[way == 0 ? (size_t)b * rails->n + k : (size_t)k * rails->n + b];
            if (!(sum > bound * rails->whole[way][b])) continue;
            bound = sum / rails->whole[way][b];
            of = b;
            at = CW_NONE;
            at_way = way;
        }
    }
    memset(rails->length, 0, rails->net->n_channels * sizeof *rails->length);
    if (at != CW_NONE) rails->length[rails->host[at_way][at]] = 1 / rails->host_capacity[at_way][at];
    if (at == CW_NONE && of != CW_NONE)
        for (uint32_t j = 0; j < r; j++) {
            const uint32_t c = rails->channel[at_way][(size_t)of * r + j];
            if (c != CW_NONE) rails->length[c] = 1 / rails->whole[at_way][of];
        }
    return bound;
}

/* X^(2^POWER), and its inverse. */
static inline double raise(double x, unsigned power)
{
    while (power-- > 0) x *= x;
    return x;
}

static inline double root(double x, unsigned power)
{
    while (power-- > 0) x = sqrt(x);
    return x;
}

static void raise_loads(struct cw_rails *rails, double most, unsigned power)
{
    for (int way = 0; way < 2; way++)
        for (size_t p = 0; p < (size_t)rails->n * rails->n_rails; p++)
            if (rails->capacity[way][p] > 0)
                rails->power[way][p] = raise(rails->load[way][p] / rails->capacity[way][p] / most, power);
}

/* The bound by lengths that are the powers of loads, which become LENGTH if it is above BOUND. Near the least q-norm
 * pairs use their shortest rails only, so that the bound is near the mean of loads, weighted by their powers. */
static double bound_by_loads(struct cw_rails *rails, double bound)
{
    const uint32_t r = rails->n_rails;
    double weight = 0, sum = 0;
    for (int way = 0; way < 2; way++)
        for (size_t p = 0; p < (size_t)rails->n * r; p++) weight += rails->capacity[way][p] * rails->power[way][p];
    for (uint32_t a = 0; a < rails->n; a++)
        for (uint32_t b = 0; b < rails->n; b++) {
            const size_t pair = (size_t)a * rails->n + b, up = (size_t)a * r, down = (size_t)b * r;
            double least = INFINITY;
            if (!(rails->bytes[pair] > 0)) continue;
            for (uint32_t j = 0; j < r; j++)
                if (rails->capacity[0][up + j] > 0 && rails->capacity[1][down + j] > 0)
                    least = fmin(least, rails->power[0][up + j] + rails->power[1][down + j]);
            sum += rails->bytes[pair] * least;
        }
    if (!(sum > bound * weight)) return bound;
    memset(rails->length, 0, rails->net->n_channels * sizeof *rails->length);
    for (int way = 0; way < 2; way++)
        for (size_t p = 0; p < (size_t)rails->n * r; p++)
            if (rails->channel[way][p] != CW_NONE)
                rails->length[rails->channel[way][p]] = rails->power[way][p] / weight;
    return sum / weight;
}

/* --- levelling ---------------------------------------------------------------------------------------------------- */

/* Of a pair of boxes: on each rail (of N, by number) its bytes, and the level and slope of the norm of both ports. */
struct levels {
    uint32_t n, rail[MAX_RAILS];
    double bytes[MAX_RAILS], level[MAX_RAILS], slope[MAX_RAILS];
};

/* The level at which what exceeds it on some rails fits under it on the others; no rail can give more than it has. */
static double common_level(const struct levels *levels)
{
    double level = 0;
    for (uint32_t i = 0; i < levels->n; i++) level = fmax(level, levels->level[i]);
    for (uint32_t round = 0; round < 2 * levels->n; round++) { /* Newton's, from above: the sum is convex */
        double more = 0, per_level = 0;
        for (uint32_t i = 0; i < levels->n; i++) {
            const double change = (level - levels->level[i]) / levels->slope[i];
            more += fmax(change, -levels->bytes[i]);
            if (change > -levels->bytes[i]) per_level += 1 / levels->slope[i];
        }
        if (!(more > 0) || !(per_level > 0)) break;
        level -= more / per_level;
    }
    return level;
}

/* Gives the pair A, B the shares at which its rails are level. */
static void level_pair(struct cw_rails *rails, uint32_t a, uint32_t b, double most, unsigned power,
                       struct levels *levels)
{
    const uint32_t r = rails->n_rails;
    const size_t pair = (size_t)a * rails->n + b, up = (size_t)a * r, down = (size_t)b * r;
    const double bytes = rails->bytes[pair];
    double *share = rails->share + pair * r;
    double highest = 0, lowest = INFINITY;
    levels->n = 0;
    for (uint32_t j = 0; j < r; j++) {
        const double can[] = {rails->capacity[0][up + j], rails->capacity[1][down + j]};
        if (!(can[0] > 0) || !(can[1] > 0)) continue;
        const double u = rails->load[0][up + j] / can[0] / most, v = rails->load[1][down + j] / can[1] / most;
        const double sum = raise(u, power) + raise(v, power), level = root(sum, power);
        const uint32_t i = levels->n++;
        levels->rail[i] = j;
        levels->bytes[i] = bytes * share[j];
        levels->level[i] = level;
        /* of the q-norm; of empty ports, what they begin with */
        levels->slope[i] = 1 / (fmin(can[0], can[1]) * most);
        if (sum > 1e-280)
            levels->slope[i] =
                level / sum *
                (raise(u, power) / fmax(u, 1e-100) / can[0] + raise(v, power) / fmax(v, 1e-100) / can[1]) / most;
        if (share[j] > 0) highest = fmax(highest, level);
        lowest = fmin(lowest, level);
    }
    if (!(highest > lowest)) return;
    const double level = common_level(levels);
    double left = 1;
    for (uint32_t i = 0; i < levels->n; i++) {
        const uint32_t j = levels->rail[i];
        const double change = fmax((level - levels->level[i]) / levels->slope[i], -levels->bytes[i]);
        double now = fmin(fmax((levels->bytes[i] + change) / bytes, 0), left);
        if (i + 1 == levels->n) now = left;
        left -= now;
        rails->load[0][up + j] = fmax(0, rails->load[0][up + j] + bytes * (now - share[j]));
        rails->load[1][down + j] = fmax(0, rails->load[1][down + j] + bytes * (now - share[j]));
        share[j] = now;
    }
}

static int level(struct cw_rails *rails, double gap, struct cw_rails_plan *plan)
{
    struct levels levels;
    unsigned power = FIRST_POWER;
    double busiest = busiest_port(rails), seconds = fmax(busiest, plan->bound);
    while (seconds - plan->bound > gap * plan->bound && plan->sweeps < SWEEPS && power <= LAST_POWER) {
        const double missing = seconds - plan->bound;
        const int rc = cw_interrupt_check();
        if (rc) return rc;
        for (uint32_t a = 0; a < rails->n; a++)
            for (uint32_t b = 0; b < rails->n; b++)
                if (rails->bytes[(size_t)a * rails->n + b] > 0) level_pair(rails, a, b, busiest, power, &levels);
        plan->sweeps++;
        load_ports(rails); /* without what rounding adds up to */
        busiest = busiest_port(rails);
        raise_loads(rails, busiest, power);
        plan->bound = bound_by_loads(rails, plan->bound);
        seconds = fmax(busiest, plan->bound);
        if (seconds - plan->bound > (1 - GAINED) * missing) power++;
    }
    plan->seconds = seconds;
    return 0;
}

/* Bytes that go by another rail than by the shares before. */
static double moved_bytes(const struct cw_rails *rails)
{
    const uint32_t r = rails->n_rails;
    double moved = 0;
    for (size_t pair = 0; pair < (size_t)rails->n * rails->n; pair++) {
        double more = 0;
        for (uint32_t j = 0; j < r; j++) more += fmax(0, rails->share[pair * r + j] - rails->before[pair * r + j]);
        moved += more * rails->bytes[pair];
    }
    return moved;
}

int cw_rails_solve(struct cw_rails *rails, const uint64_t *bytes, double gap, struct cw_rails_plan *out)
{
    struct cw_rails_plan plan = {.share = rails->share, .length = rails->length};
    if (!(gap >= 0)) return cw_fail(CW_EUSAGE, "a gap of %g; expected 0 or more", gap);
    int rc = add_up(rails, bytes);
    if (!rc) rc = check_joined(rails);
    if (rc) return rc;
    const size_t shares = (size_t)rails->n * rails->n * rails->n_rails;
    memcpy(rails->before, rails->share, shares * sizeof *rails->share);
    load_ports(rails);
    for (size_t pair = 0; pair < (size_t)rails->n * rails->n; pair++) plan.bytes += rails->bytes[pair];
    plan.bound = cut(rails);
    rc = level(rails, gap, &plan);
    if (rc) {
        memcpy(rails->share, rails->before, shares * sizeof *rails->share);
        return rc;
    }
    if (rails->planned) plan.moved = moved_bytes(rails);
    rails->planned = true;
    *out = plan;
    return 0;
}
