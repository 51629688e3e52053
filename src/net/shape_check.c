#include "base/error.h"
#include "net/network.h"

/* Goes over all channels of one vertex after another and compares them with what the shape expects. */
struct cursor {
    const struct cw_network *net;
    uint32_t v, channel;
};

static int fail_vertex(const struct cursor *cursor)
{
    char name[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "%s (vertex %u) has other cables than its place in the shape, expected %s",
                   cw_network_name(cursor->net, cursor->v, name, sizeof name), cursor->v,
                   "the cables and port numbers of a generated network");
}

/* The next channel leads from PORT to PORT_THERE of HEAD. */
static int expect(struct cursor *cursor, uint64_t port, uint64_t head, uint64_t port_there)
{
    const struct cw_network *net = cursor->net;
    const uint32_t c = cursor->channel;
    if (c == net->first[cursor->v + 1] || cw_network_port(net, c) != port || net->head[c] != head ||
        cw_network_port(net, net->twin[c]) != port_there)
        return fail_vertex(cursor);
    cursor->channel++;
    return 0;
}

/* Vertex V has no channel more; the next vertex follows. */
static int expect_end(struct cursor *cursor)
{
    if (cursor->channel != cursor->net->first[cursor->v + 1]) return fail_vertex(cursor);
    cursor->v++;
    return 0;
}

/* A level of an XGFT: where it begins and its W_l = w_1…w_l. */
struct level {
    uint32_t l;
    uint64_t begin, w;
};

/* Down ports of a vertex of LEVEL whose B is the given one: cables q = b, b + w, … of the m·up that arrive. */
static uint64_t down_ports(const struct cw_xgft *xgft, const struct level *level, uint64_t b)
{
    if (level->l == 0) return 0;
    const uint64_t arrive = (uint64_t)xgft->m[level->l] * xgft->up[level->l - 1], w = xgft->w[level->l];
    const uint64_t digit = b % w;
    return arrive > digit ? (arrive - digit - 1) / w + 1 : 0;
}

static int check_xgft_down(struct cursor *cursor, const struct cw_xgft *xgft, const struct level *below,
                           const struct level *level, uint64_t a, uint64_t b)
{
    const uint64_t m = xgft->m[level->l], w = xgft->w[level->l], up = xgft->up[below->l];
    const uint64_t child_down = down_ports(xgft, below, b / w);
    int rc = 0;
    for (uint64_t q = b % w, port = 1; q < m * up && !rc; q += w, port++)
        rc = expect(cursor, port, below->begin + (a * m + q / up) * below->w + b / w, child_down + q % up + 1);
    return rc;
}

static int check_xgft_up(struct cursor *cursor, const struct cw_xgft *xgft, const struct level *level, uint64_t a,
                         uint64_t b)
{
    const uint64_t m = xgft->m[level->l + 1], w = xgft->w[level->l + 1], up = xgft->up[level->l];
    const uint64_t above = level->begin + cw_xgft_level_size(xgft, level->l), down = down_ports(xgft, level, b);
    int rc = 0;
    for (uint64_t k = 0; k < up && !rc; k++) {
        const uint64_t q = up * (a % m) + k;
        rc = expect(cursor, down + k + 1, above + (a / m) * level->w * w + b * w + q % w, q / w + 1);
    }
    return rc;
}

static int check_xgft(const struct cw_network *net)
{
    const struct cw_xgft *xgft = &net->shape.xgft;
    struct cursor cursor = {.net = net};
    struct level below = {0}, level = {.w = 1};
    int rc = 0;
    while (!rc && level.l <= xgft->h) {
        const uint64_t size = cw_xgft_level_size(xgft, level.l);
        for (uint64_t i = 0; i < size && !rc; i++) {
            const uint64_t a = i / level.w, b = i % level.w;
            if (level.l > 0) rc = check_xgft_down(&cursor, xgft, &below, &level, a, b);
            if (!rc && level.l < xgft->h) rc = check_xgft_up(&cursor, xgft, &level, a, b);
            if (!rc) rc = expect_end(&cursor);
        }
        below = level;
        level = (struct level){level.l + 1, level.begin + size, level.l < xgft->h ? level.w * xgft->w[level.l + 1] : 0};
    }
    return rc;
}

/* The cables of NODE in dimension D, whose coordinate there is X and whose neighbours are STRIDE away. */
static int check_torus_dimension(struct cursor *cursor, uint32_t node, uint32_t d, uint32_t x, uint64_t stride)
{
    const struct cw_torus *torus = &cursor->net->shape.torus;
    const uint64_t n = cursor->net->n_endpoints, k = torus->k[d], line = n + node - x * stride;
    const uint64_t plus = 2 + 2 * d, minus = 3 + 2 * d;
    if (k == 1) return 0;
    if (k == 2 && !(torus->wrap && torus->doubled)) return expect(cursor, plus, line + (1 - x) * stride, plus);
    int rc = 0;
    if (torus->wrap || x + 1 < k) rc = expect(cursor, plus, line + (x + 1) % k * stride, minus);
    if (!rc && (torus->wrap || x > 0)) rc = expect(cursor, minus, line + (x + k - 1) % k * stride, plus);
    return rc;
}

static int check_torus(const struct cw_network *net)
{
    const struct cw_torus *torus = &net->shape.torus;
    const uint32_t n = net->n_endpoints;
    struct cursor cursor = {.net = net};
    int rc = 0;
    for (uint32_t node = 0; node < n && !rc; node++) {
        rc = expect(&cursor, 1, (uint64_t)n + node, 1);
        if (!rc) rc = expect_end(&cursor);
    }
    for (uint32_t node = 0; node < n && !rc; node++) {
        rc = expect(&cursor, 1, node, 1);
        uint64_t stride = 1;
        for (uint32_t d = 0; d < torus->n && !rc; d++) {
            rc = check_torus_dimension(&cursor, node, d, (uint32_t)(node / stride % torus->k[d]), stride);
            stride *= torus->k[d];
        }
        if (!rc) rc = expect_end(&cursor);
    }
    return rc;
}

/* The next channel joins a global port to a global port in another group. */
static int expect_global(struct cursor *cursor)
{
    const struct cw_network *net = cursor->net;
    const struct cw_dragonfly *dragonfly = &net->shape.dragonfly;
    const uint32_t c = cursor->channel, head = net->head[c];
    const uint64_t last_local = (uint64_t)dragonfly->p + dragonfly->a - 1, last = last_local + dragonfly->h;
    const uint32_t port = cw_network_port(net, c), port_there = cw_network_port(net, net->twin[c]);
    if (head < net->n_endpoints || port <= last_local || port > last || port_there <= last_local || port_there > last ||
        (head - net->n_endpoints) / dragonfly->a == (cursor->v - net->n_endpoints) / dragonfly->a)
        return fail_vertex(cursor);
    cursor->channel++;
    return 0;
}

static int check_dragonfly_switch(struct cursor *cursor)
{
    const struct cw_network *net = cursor->net;
    const struct cw_dragonfly *dragonfly = &net->shape.dragonfly;
    const uint64_t index = cursor->v - net->n_endpoints, p = dragonfly->p, a = dragonfly->a;
    const uint64_t own = index % a, group = net->n_endpoints + index - own;
    int rc = 0;
    for (uint64_t i = 0; i < p && !rc; i++) rc = expect(cursor, i + 1, index * p + i, 1);
    for (uint64_t t = 0; t < a && !rc; t++) { /* port index p + t, less one past the switch itself */
        if (t == own) continue;
        rc = expect(cursor, p + t + (t < own), group + t, p + own + (own < t));
    }
    while (!rc && cursor->channel < net->first[cursor->v + 1]) rc = expect_global(cursor);
    return rc ? rc : expect_end(cursor);
}

static int check_dragonfly(const struct cw_network *net)
{
    struct cursor cursor = {.net = net};
    const uint32_t p = net->shape.dragonfly.p;
    int rc = 0;
    while (cursor.v < net->n_endpoints && !rc) {
        rc = expect(&cursor, 1, (uint64_t)net->n_endpoints + cursor.v / p, cursor.v % p + 1);
        if (!rc) rc = expect_end(&cursor);
    }
    while (cursor.v < net->n_vertices && !rc) rc = check_dragonfly_switch(&cursor);
    return rc;
}

static int check_crossbar(const struct cw_network *net)
{
    struct cursor cursor = {.net = net};
    int rc = 0;
    while (cursor.v < net->n_endpoints && !rc) {
        rc = expect(&cursor, 1, net->n_endpoints, (uint64_t)cursor.v + 1);
        if (!rc) rc = expect_end(&cursor);
    }
    for (uint32_t i = 0; i < net->n_endpoints && !rc; i++) rc = expect(&cursor, (uint64_t)i + 1, i, 1);
    return rc ? rc : expect_end(&cursor);
}

int cw_network_check_shape(const struct cw_network *net)
{
    if (!cw_shape_fits(&net->shape, net->n_endpoints, cw_network_switches(net)))
        return cw_fail(CW_EUSAGE, "%u endpoints and %u switches are not those of the shape", net->n_endpoints,
                       cw_network_switches(net));
    switch (net->shape.kind) {
    case CW_SHAPE_XGFT:
        return check_xgft(net);
    case CW_SHAPE_TORUS:
        return check_torus(net);
    case CW_SHAPE_DRAGONFLY:
        return check_dragonfly(net);
    case CW_SHAPE_CROSSBAR:
        return check_crossbar(net);
    case CW_SHAPE_NONE:
        break;
    }
    return 0;
}
