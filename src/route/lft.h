/*
 * Forwarding tables under construction, and from routes.
 *
 * A table has a row for each switch; where an endpoint has several cables (XGFT with w_1 > 1) each endpoint has one
 * too. An entry is a port's index (channel - first[v]), or CW_NO_PORT; so is one that was set to a closed channel: what
 * a fabric's tables send against a one-way cable does not arrive.
 */
#ifndef CW_ROUTE_LFT_H
#define CW_ROUTE_LFT_H

#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

#define CW_NO_PORT UINT32_MAX

struct cw_lft;

/* Empty tables (all CW_NO_PORT) for NET, n_endpoints · rows entries; CW_ELIMIT with the bytes needed if that is more
 * than memory. */
CW_API int cw_lft_new(const struct cw_network *net, struct cw_lft **out);
CW_API void cw_lft_free(struct cw_lft *tables);

/* From vertex V towards endpoint DST leave by port index PORT. Different destinations may be set by different threads.
 */
CW_API void cw_lft_set(struct cw_lft *tables, uint32_t v, uint32_t dst, uint32_t port);
CW_API uint32_t cw_lft_get(const struct cw_lft *tables, uint32_t v, uint32_t dst);

/* Makes routes called NAME of TABLES, which it takes over (also on failure). Complete or not: a hole is found when
 * walked. Looks for the longest route, O(endpoints · rows) shared by all cores. */
CW_API int cw_lft_finish(struct cw_lft *tables, const char *name, struct cw_routes **out);

/* The entry of routes that are tables: a port index or CW_NO_PORT. */
CW_API uint32_t cw_routes_table_port(const struct cw_routes *routes, uint32_t v, uint32_t dst);

/* All entries of routes that are tables (else CW_EUSAGE): theirs, there as long as they are, never to be written. The
 * entry of vertex V towards endpoint d is number d · rows + (V - base). */
struct cw_lft_entries {
    uint32_t base, rows;   /* the first vertex with a row, and how many follow each other */
    const uint8_t *narrow; /* UINT8_MAX: no port. NULL: */
    const uint16_t *wide;  /* UINT16_MAX: no port */
};
CW_API int cw_routes_lft_entries(const struct cw_routes *routes, struct cw_lft_entries *out);

/* The forwarding tables that give the same routes as ROUTES, which must depend on the destination only (CW_EUSAGE if
 * not, e.g. S-mod-k). Entries no route uses are holes, so that a pair without a route has none in the tables, unless
 * the routing has them; lanes are lost. */
CW_API int cw_routes_to_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out);

/* The tables ROUTES with every hole filled from which the destination can be reached, by a way into the entries that
 * are there. Routes between endpoints stay as they are; switches that none of them passes can answer too, as a subnet
 * manager expects. Tables of engines that allow some paths only (updn) are complete: their holes stay. */
CW_API int cw_routes_fill_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out);

CW_END_DECLS

#endif
