/*
 * The shape of a generated network: what closed-form routes and exact formulas need to know about it.
 *
 * A generator leaves the shape in the network; JSON files and ibsim's net files keep it; a fabric read from a dump has
 * none. A kind of shape is a descriptor, struct cw_shape_kind: its parameters, how many vertices it has and what they
 * are called, its groups, and whether a network has its cables. The numbering of vertices and ports that it promises is
 * stated at its parameters.
 *
 * Adding one: its parameters, struct cw_NAME, and a line EACH(NAME) below; net/shapes/NAME_shape.c with its descriptor,
 * cw_shape_NAME. Reading, writing and comparing follow from the fields.
 * What the floors above know of a shape is registered there: formulas by the generator (topo/formulas_internal.h),
 * routes by the engine (route/engine.h).
 */
#ifndef CW_NET_SHAPE_H
#define CW_NET_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* XGFT(h; m_1…m_h; w_1…w_h), the extended generalized fat tree (Öhring et al., IPPS 1995). Endpoints are level 0. A
 * vertex of level l has the digits (a_h … a_{l+1}, b_l … b_1); its index in the level is A·W_l + B with
 * A = endpoint / (m_1…m_l) for every endpoint below it, W_l = w_1…w_l, B = (…(b_1·w_2 + b_2)·w_3 + …) + b_l. Levels
 * follow one another in vertex order. Every vertex of level l < h has up[l] cables to the level above; cable k of the
 * child with digit c = a_{l+1} leads to the parent with digit b_{l+1} = (up[l]·c + k) mod w_{l+1}, where it takes down
 * port ⌊(up[l]·c + k) / w_{l+1}⌋. Where w divides up this is up/w parallel cables a pair; elsewhere (1.5 cables a pair
 * in the papers' xgft(3,12,16,12,8)) it is this project's convention, the papers give none. Ports: the down ports
 * first, then up port k. */

#define CW_XGFT_LEVELS 16

struct cw_xgft {
    uint32_t h;
    uint32_t m[CW_XGFT_LEVELS + 1];  /* m[1] … m[h] */
    uint32_t w[CW_XGFT_LEVELS + 1];  /* w[1] … w[h] */
    uint32_t up[CW_XGFT_LEVELS + 1]; /* up[l]: cables of a vertex of level l = 0 … h-1 to level l+1 */
};

/* Vertices of level LEVEL (0 … h); UINT64_MAX if they are more than 64 bits. */
CW_API uint64_t cw_xgft_level_size(const struct cw_xgft *xgft, uint32_t level);

/* Tori; also meshes (wrap false) and hypercubes (all k = 2). Node id = Σ x_i·k_0…k_{i-1}, dimension 0 fastest; node i
 * is endpoint i on switch n_endpoints + i. Port numbers: 1 is the host, 2 + 2d leads to x_d + 1 and 3 + 2d to x_d - 1.
 * A dimension of size 2 has one cable (port 2 + 2d at both ends), or two if `doubled`. */

#define CW_TORUS_DIMENSIONS 31

struct cw_torus {
    uint32_t n;                      /* dimensions */
    uint32_t k[CW_TORUS_DIMENSIONS]; /* size of each */
    bool wrap;                       /* torus; false: mesh */
    bool doubled;                    /* two cables in a dimension of size 2 (torus only) */
};

/* True for the shapes of Blue Gene/Q: five dimensions, the first of size 2. A hypercube is none. */
static inline bool cw_torus_is_bgq(const struct cw_torus *torus)
{
    bool longer = false;
    for (uint32_t d = 0; d < torus->n; d++) longer = longer || torus->k[d] > 2;
    return torus->wrap && torus->n == 5 && torus->k[0] == 2 && longer;
}

/* Dragonflies of p endpoints a switch, a switches a group, h global channels a switch and g groups (Kim et al., ISCA
 * 2008). Endpoint (group·a + switch)·p + i; ports: p hosts, a - 1 local (to switch t: p + t or p + t - 1 past itself,
 * from 0), h global. Global channel q = switch·h + m of a group; which leads where is the arrangement's affair: see
 * topo/dragonfly.h. */

/* How the global channels of dragonflies are wired: formulas in topo/dragonfly.h. */
enum cw_arrangement {
    CW_ARRANGEMENT_PALMTREE, /* the default */
    CW_ARRANGEMENT_RELATIVE,
    CW_ARRANGEMENT_CONSECUTIVE,
    CW_ARRANGEMENT_RANDOM
};

CW_API extern const char *const cw_arrangement_names[]; /* "palmtree", …: by enum cw_arrangement, ended by NULL */

struct cw_dragonfly {
    uint32_t p, a, h, g;  /* endpoints a switch, switches a group, global channels a switch, groups */
    uint32_t arrangement; /* enum cw_arrangement */
    uint32_t seed;        /* of a random arrangement, else 0 */
    uint32_t shuffle;     /* seed of the random order of groups in the wiring; 0: their numbers */
};

/* One switch: endpoint i on port i + 1. */

struct cw_crossbar {
    char none; /* it has no parameters: the network tells how many endpoints there are */
};

/* HyperX (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale networks", SC 2009) of n
 * dimensions: switches at the points of an S_0 x S_1 x … grid, joined to every other switch that differs in one
 * coordinate only, by K_d parallel cables in dimension d, with T endpoints each. Switch id = Σ x_d·S_0…S_{d-1},
 * dimension 0 fastest; endpoint switch·T + i. Ports: T hosts, then dimension by dimension the other switches of the row
 * in order of their coordinate, the K_d cables of each together. */

#define CW_HYPERX_DIMENSIONS 8

struct cw_hyperx {
    uint32_t n;                       /* dimensions */
    uint32_t s[CW_HYPERX_DIMENSIONS]; /* switches along each */
    uint32_t k[CW_HYPERX_DIMENSIONS]; /* cables between two switches of a row of each */
    uint32_t t;                       /* endpoints of a switch */
};

/* The port, counted from 1, of the first cable from a switch at X to the one at Y in dimension D, another one. */
static inline uint64_t cw_hyperx_port(const struct cw_hyperx *hyperx, uint32_t d, uint32_t x, uint32_t y)
{
    uint64_t port = (uint64_t)hyperx->t + 1;
    for (uint32_t i = 0; i < d; i++) port += (uint64_t)(hyperx->s[i] - 1) * hyperx->k[i];
    return port + (uint64_t)(y - (y > x)) * hyperx->k[d];
}

/* Slim Fly (Besta and Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014): the graphs of
 * McKay, Miller and Širáň over the field of q elements, q a prime power of the form 4w + d with d in {-1, 0, 1}. 2·q²
 * switches of (3q - d)/2 channels among them, any two at most two hops apart; p endpoints at a switch.
 *
 * Switch x·q + y is (0, x, y), switch q² + m·q + c is (1, m, c). (0, x, y) and (0, x, y') are joined where y - y' is in
 * the generator set X, (1, m, c) and (1, m, c') where c - c' is in X', and (0, x, y) and (1, m, c) where y = m·x + c.
 * Elements of the field are numbered, and X and X' chosen, as topo/slimfly.c says. Endpoint switch·p + i. Ports: p
 * hosts, the channels within the group (same x, or same m) in order of their switch, then one to each group of the
 * other half, in order. */

struct cw_slimfly {
    uint32_t q; /* elements of the field */
    uint32_t p; /* endpoints of a switch */
};

/* Channels of a switch within its group: (q - d)/2. */
static inline uint32_t cw_slimfly_within(uint32_t q)
{
    return q % 4 == 1 ? (q - 1) / 2 : q % 4 == 3 ? (q + 1) / 2 : q / 2;
}

/* Megafly, also called Dragonfly+ (Shpiner et al., HiPINEB 2017; Flajslik et al., ISC 2018): g groups of l leaf and s
 * spine switches, each leaf joined to each spine of its group; p endpoints at a leaf, h global channels at a spine.
 * Switch group·(l + s) + i is leaf i, or from l on spine i - l; endpoint (group·l + leaf)·p + i. Ports of a leaf: p
 * hosts, s spines; of a spine: l leaves, h global channels. Global channel q = spine·h + m of a group; which leads
 * where is as in a dragonfly of s switches a group in the palmtree arrangement (topo/dragonfly.h). */

struct cw_megafly {
    uint32_t p, l, s, h, g; /* endpoints a leaf, leaves and spines a group, global channels a spine, groups */
};

/* Jellyfish (Singla et al., "Jellyfish: networking data centers randomly", NSDI 2012): n switches joined at random by r
 * channels each, no two by more than one cable, with p endpoints each. Endpoint switch·p + i. Ports: p hosts, then the
 * r neighbours in order. Which are joined is the generator's affair (topo/jellyfish.c), by `seed`. */

struct cw_jellyfish {
    uint32_t n, r, p, seed;
};

/* A cluster of GPUs with a network rail for each of r network ports of a node: n nodes of g GPUs. The GPUs of a node
 * are joined by one switch, its NVLink domain, which has a cable to every rail, so that any GPU can use any of them.
 * Nodes stand in l pods of n/l nodes; a rail of a pod is one leaf switch, with a cable from each of the nodes. Each
 * leaf has a cable to each of s spines.
 *
 * Endpoint node·g + i. Switches: the nodes' 0 … n-1, leaf n + pod·r + rail, spine n + l·r + k. Ports of a node: g GPUs,
 * r rails; of a leaf: n/l nodes, s spines; of a spine: l·r leaves. */

struct cw_rail {
    uint32_t n, g, r, l, s; /* nodes, GPUs of a node, rails, pods, spines */
};

/* --- kinds of shape ----------------------------------------------------------------------------------------------- */

/* The registry, in the order of messages; NAME stands for the parameters struct cw_NAME, their place in struct cw_shape
 * and the descriptor cw_shape_NAME. */
#define CW_SHAPES(EACH)                                                                                                \
    EACH(xgft)                                                                                                         \
    EACH(torus)                                                                                                        \
    EACH(dragonfly)                                                                                                    \
    EACH(crossbar)                                                                                                     \
    EACH(hyperx)                                                                                                       \
    EACH(slimfly)                                                                                                      \
    EACH(megafly)                                                                                                      \
    EACH(jellyfish)                                                                                                    \
    EACH(rail)

#define CW_SHAPE_DECLARE(NAME) CW_API extern const struct cw_shape_kind cw_shape_##NAME;
#define CW_SHAPE_MEMBER(NAME)  struct cw_##NAME NAME;

struct cw_network;
struct cw_shape_kind;

CW_SHAPES(CW_SHAPE_DECLARE)

CW_API extern const struct cw_shape_kind *const cw_shape_kinds[]; /* ended by NULL */

struct cw_shape {
    const struct cw_shape_kind *kind; /* NULL: the network has no shape */
    CW_SHAPES(CW_SHAPE_MEMBER)        /* the one of `kind` is meaningful, the others are zero */
};

enum cw_shape_field_type {
    CW_SHAPE_NUMBER, /* uint32_t, `min` or more */
    CW_SHAPE_LIST,   /* uint32_t[], `max` numbers or fewer of `min` or more; their count is a uint32_t at `length` */
    CW_SHAPE_FLAG,   /* bool */
    CW_SHAPE_WORD    /* uint32_t, an index into `words` */
};

/* A parameter of a shape in files: "key" in JSON, " key=…" (of a flag that is set " key") in ibsim's comment. Lists
 * with one `length` have one length. An optional number or word is left out where it is 0. */
struct cw_shape_field {
    const char *key;
    enum cw_shape_field_type type;
    bool optional;
    size_t offset, length; /* in struct cw_shape */
    uint32_t min, max;
    const char *const *words; /* ended by NULL */
};

/* Groups of switches that follow one another, each with the same number of switches and of endpoints: switch i is in
 * group i / switches, endpoint e in group e / endpoints. All 0: the shape has no groups. */
struct cw_groups {
    uint32_t n, switches, endpoints;
    uint32_t links; /* of a switch to other groups */
};

/* Every function is given a shape of its kind. Those that may be NULL say so. */
struct cw_shape_kind {
    const char *name;                    /* "xgft": in files */
    const struct cw_shape_field *fields; /* ended by a key NULL */
    /* Sizes, UINT64_MAX if they are more than 64 bits, whatever the parameters are (each at least its `min`);
     * `endpoints` NULL: any number. */
    uint64_t (*endpoints)(const struct cw_shape *shape);
    uint64_t (*switches)(const struct cw_shape *shape);
    /* Writes the name of switch INDEX (among the switches), at most SIZE bytes with the 0. NULL: "s<index>". */
    void (*name_switch)(const struct cw_shape *shape, uint32_t index, char *name, size_t size);
    /* Appends the shape in words: "a torus 4x4x4". */
    void (*describe)(const struct cw_shape *shape, struct cw_text *text);
    struct cw_groups (*groups)(const struct cw_shape *shape); /* NULL: none */
    /* Partitions of the switches into parts that few cables leave, such as the halves of a torus or the subtrees of a
     * fat tree: how many are known, and the part that switch INDEX is in, a number below that of switches. Both NULL:
     * none. */
    uint32_t (*partitions)(const struct cw_shape *shape);
    uint32_t (*part)(const struct cw_shape *shape, uint32_t partition, uint32_t index);
    /* A lattice looks the same from each of its nodes, which are an endpoint and its switch: their numbers are
     * Σ x_d · k_0 … k_{d-1}, and a translation by any vector carries cables to cables, ports with them. Its dimensions,
     * and their sizes in *K; 0 if SHAPE is none. NULL: none is. */
    uint32_t (*lattice)(const struct cw_shape *shape, const uint32_t **k);
    /* Any two switches are few hops apart, by shortest ways that may wait for one another in a circle: routed with a
     * lane for each hop unless an engine is made for the shape. */
    bool low_diameter;
    /* True if it is that of a machine in which each endpoint is one with its switch (cw_network_node_is_switch, which
     * is who asks). NULL: none is. */
    bool (*node_is_switch)(const struct cw_shape *shape);
    /* cw_network_check_shape of a network of the right size. */
    int (*check)(const struct cw_network *net);
};

/* Endpoints and switches of SHAPE, which may be more than 32 bits: UINT64_MAX if more than 64. 0 where the kind leaves
 * the number open or there is no shape. */
CW_API uint64_t cw_shape_endpoints(const struct cw_shape *shape);
CW_API uint64_t cw_shape_switches(const struct cw_shape *shape);

/* True if SHAPE (none, too) is one of a network with so many endpoints and switches. */
CW_API bool cw_shape_fits(const struct cw_shape *shape, uint64_t n_endpoints, uint64_t n_switches);

/* True if A and B are of one kind with the same parameters. */
CW_API bool cw_shape_equal(const struct cw_shape *a, const struct cw_shape *b);

/* The groups of SHAPE; all 0 if it has none. */
CW_API struct cw_groups cw_shape_groups(const struct cw_shape *shape);

/* Partitions of the switches of SHAPE, which may be none, into parts that few cables leave: the one into groups, where
 * there are several, and those of its kind. PART is that of switch INDEX, a number below that of switches. */
CW_API uint32_t cw_shape_partitions(const struct cw_shape *shape);
CW_API uint32_t cw_shape_part(const struct cw_shape *shape, uint32_t partition, uint32_t index);

/* The name of vertex V of a network of this shape with N_ENDPOINTS endpoints, e.g. "h42" (endpoint), "s2.17" (XGFT
 * level 2, index 17), "s(3,0,1)" (torus), "g4s2" (dragonfly), "s0". Natural order of names = order of ids within
 * endpoints and within switches of XGFT and dragonfly. Writes at most SIZE bytes with the 0. */
CW_API void cw_shape_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, char *name, size_t size);

/* Appends SEPARATOR between N numbers, FIRST before them: what descriptions are made of. */
CW_API void cw_shape_add_numbers(struct cw_text *text, const char *first, const char *separator, const uint32_t *values,
                                 uint32_t n);

CW_END_DECLS

#endif
