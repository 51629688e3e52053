#include "net/ib_shape.h"

#include <inttypes.h>
#include <string.h>

#define PREFIX "# shape: "

/* A hash (FNV-1a over 32-bit words) of which port leads where. */
static uint64_t wiring(const struct cw_network *net)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t words[] = {net->tail[c], cw_network_port(net, c), net->head[c],
                                  cw_network_port(net, net->twin[c])};
        for (size_t i = 0; i < 4; i++) hash = (hash ^ words[i]) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

static void write_list(struct cw_text *text, const char *name, const uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) cw_text_printf(text, "%s%u", i == 0 ? name : ",", values[i]);
}

/* A wiring other than the default is stated. */
static void write_dragonfly(struct cw_text *text, const struct cw_dragonfly *d)
{
    cw_text_printf(text, PREFIX "dragonfly p=%u a=%u h=%u g=%u", d->p, d->a, d->h, d->g);
    if (d->arrangement != CW_ARRANGEMENT_PALMTREE)
        cw_text_printf(text, " arrangement=%s", cw_arrangement_names[d->arrangement]);
    if (d->seed != 0) cw_text_printf(text, " seed=%u", d->seed);
    if (d->shuffle != 0) cw_text_printf(text, " shuffle=%u", d->shuffle);
}

void cw_ib_shape_write(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_shape *shape = &net->shape;
    switch (shape->kind) {
    case CW_SHAPE_NONE:
        return;
    case CW_SHAPE_XGFT:
        write_list(text, PREFIX "xgft m=", shape->xgft.m + 1, shape->xgft.h);
        write_list(text, " w=", shape->xgft.w + 1, shape->xgft.h);
        write_list(text, " up=", shape->xgft.up, shape->xgft.h);
        break;
    case CW_SHAPE_TORUS:
        write_list(text, PREFIX "torus k=", shape->torus.k, shape->torus.n);
        cw_text_printf(text, "%s%s", shape->torus.wrap ? " wrap" : "", shape->torus.doubled ? " doubled" : "");
        break;
    case CW_SHAPE_DRAGONFLY:
        write_dragonfly(text, &shape->dragonfly);
        break;
    case CW_SHAPE_CROSSBAR:
        cw_text_add(text, PREFIX "crossbar");
        break;
    }
    cw_text_printf(text, "; wiring %016" PRIx64 "\n", wiring(net));
}

/* NAME and at most MAX numbers with commas between; their count, 0 if it is not there. */
static uint32_t read_list(struct cw_ib_scan *scan, const char *name, uint32_t *values, uint32_t max)
{
    uint32_t n = 0;
    if (!cw_ib_word(scan, name)) return 0;
    do {
        if (n == max || !cw_ib_decimal(scan, UINT32_MAX, &values[n])) return 0;
        n++;
    } while (cw_ib_char(scan, ','));
    return n;
}

static bool read_xgft(struct cw_ib_scan *scan, struct cw_xgft *xgft)
{
    xgft->h = read_list(scan, "xgft m=", xgft->m + 1, CW_XGFT_LEVELS);
    return xgft->h > 0 && read_list(scan, " w=", xgft->w + 1, CW_XGFT_LEVELS) == xgft->h &&
           read_list(scan, " up=", xgft->up, CW_XGFT_LEVELS) == xgft->h;
}

static bool read_torus(struct cw_ib_scan *scan, struct cw_torus *torus)
{
    torus->n = read_list(scan, "torus k=", torus->k, CW_TORUS_DIMENSIONS);
    torus->wrap = cw_ib_word(scan, " wrap");
    torus->doubled = cw_ib_word(scan, " doubled");
    return torus->n > 0;
}

/* How the global channels are wired; what is not stated has its default. */
static bool read_wiring(struct cw_ib_scan *scan, struct cw_dragonfly *d)
{
    if (cw_ib_word(scan, " arrangement=")) {
        while (cw_arrangement_names[d->arrangement] && !cw_ib_word(scan, cw_arrangement_names[d->arrangement]))
            d->arrangement++;
        if (!cw_arrangement_names[d->arrangement]) return false;
    }
    if (cw_ib_word(scan, " seed=") && !cw_ib_decimal(scan, UINT32_MAX, &d->seed)) return false;
    return !cw_ib_word(scan, " shuffle=") || cw_ib_decimal(scan, UINT32_MAX, &d->shuffle);
}

static bool read_dragonfly(struct cw_ib_scan *scan, struct cw_dragonfly *d)
{
    return cw_ib_word(scan, "dragonfly p=") && cw_ib_decimal(scan, UINT32_MAX, &d->p) && cw_ib_word(scan, " a=") &&
           cw_ib_decimal(scan, UINT32_MAX, &d->a) && cw_ib_word(scan, " h=") &&
           cw_ib_decimal(scan, UINT32_MAX, &d->h) && cw_ib_word(scan, " g=") &&
           cw_ib_decimal(scan, UINT32_MAX, &d->g) && read_wiring(scan, d);
}

/* The shape that SCAN begins with; its kind is CW_SHAPE_NONE if there is none. */
static struct cw_shape read_shape(struct cw_ib_scan *scan)
{
    const struct cw_ib_scan begin = *scan;
    struct cw_shape shape = {.kind = CW_SHAPE_XGFT};
    if (read_xgft(scan, &shape.xgft)) return shape;
    *scan = begin;
    shape = (struct cw_shape){.kind = CW_SHAPE_TORUS};
    if (read_torus(scan, &shape.torus)) return shape;
    *scan = begin;
    shape = (struct cw_shape){.kind = CW_SHAPE_DRAGONFLY};
    if (read_dragonfly(scan, &shape.dragonfly)) return shape;
    *scan = begin;
    return (struct cw_shape){.kind = cw_ib_word(scan, "crossbar") ? CW_SHAPE_CROSSBAR : CW_SHAPE_NONE};
}

void cw_ib_shape_apply(struct cw_ib_span line, struct cw_network *net)
{
    if (!line.text) return;
    struct cw_ib_scan scan = {line.text, line.text + line.length};
    uint64_t stated;
    if (!cw_ib_word(&scan, PREFIX)) return;
    const struct cw_shape shape = read_shape(&scan);
    if (shape.kind == CW_SHAPE_NONE || !cw_ib_word(&scan, "; wiring ") || !cw_ib_hex(&scan, &stated) ||
        !cw_ib_end(&scan) || stated != wiring(net))
        return;
    const bool fits = shape.kind == CW_SHAPE_CROSSBAR ? cw_network_switches(net) == 1
                                                      : cw_shape_endpoints(&shape) == net->n_endpoints &&
                                                            cw_shape_switches(&shape) == cw_network_switches(net);
    if (fits) net->shape = shape;
}
