/*
 * The shape of a generated network: what closed-form routes and exact formulas need to know about it.
 *
 * A generator leaves the shape in the network; JSON files and ibsim's net files keep it; a fabric read from a dump has
 * none. A kind of shape is a descriptor, struct cw_shape_kind: its parameters, how many vertices it has and what they
 * are called, its groups, and whether a network has its cables. The numbering of vertices and ports that it promises is
 * stated in the header of its parameters, net/shapes/NAME_shape.h.
 *
 * Adding one: net/shapes/NAME_shape.h with its parameters, struct cw_NAME; net/shapes/NAME_shape.c with its descriptor,
 * cw_shape_NAME; and below an #include and a line EACH(NAME). Reading, writing and comparing follow from the fields.
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
#include "net/shapes/crossbar_shape.h"
#include "net/shapes/dragonfly_shape.h"
#include "net/shapes/hyperx_shape.h"
#include "net/shapes/jellyfish_shape.h"
#include "net/shapes/megafly_shape.h"
#include "net/shapes/rail_shape.h"
#include "net/shapes/slimfly_shape.h"
#include "net/shapes/torus_shape.h"
#include "net/shapes/xgft_shape.h"

CW_BEGIN_DECLS

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

/* The name of vertex V of a network of this shape with N_ENDPOINTS endpoints, e.g. "h42" (endpoint), "s2.17" (XGFT
 * level 2, index 17), "s(3,0,1)" (torus), "g4s2" (dragonfly), "s0". Natural order of names = order of ids within
 * endpoints and within switches of XGFT and dragonfly. Writes at most SIZE bytes with the 0. */
CW_API void cw_shape_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, char *name, size_t size);

/* Appends SEPARATOR between N numbers, FIRST before them: what descriptions are made of. */
CW_API void cw_shape_add_numbers(struct cw_text *text, const char *first, const char *separator, const uint32_t *values,
                                 uint32_t n);

CW_END_DECLS

#endif
