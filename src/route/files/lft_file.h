/*
 * Forwarding tables from the files that subnet managers and diagnostics write, matched to a fabric by GUID and LID.
 *
 * Formats, recognised by content: OpenSM's opensm-lfts.dump; opensm.fdbs; the output of dump_fts, dump_lfts and
 * ibroute; JSON that cw_lft_write_json has written, which may have service levels, too. A file that says no GUID for a
 * LID (opensm.fdbs) needs a fabric that knows its LIDs (ibnetdiscover).
 */
#ifndef CW_ROUTE_LFT_FILE_H
#define CW_ROUTE_LFT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* What did not match. */
struct cw_lft_report {
    const char *format;        /* "opensm-lfts.dump", …: static */
    uint32_t switches_matched; /* switches of the fabric with a table */
    uint32_t switches_without_table;
    uint32_t switches_unknown; /* tables of a switch GUID that is not in the fabric */
    uint32_t lids_unknown;     /* distinct LIDs that belong to nothing in the fabric */
    uint32_t lids_moved;     /* LIDs that are another's by the file's port GUIDs than by the fabric: the GUIDs count */
    uint32_t lids_by_number; /* LIDs whose port GUID the fabric does not know, but whose number it does: the endpoint of
                                that LID, for its switch sends the LID there */
    uint32_t endpoints_without_lid; /* endpoints to which no table leads, because no LID is theirs */
    uint32_t lids_most;             /* LIDs of the endpoint that has most of them: 2^LMC */
    uint64_t entries;               /* entries taken over */
    uint64_t entries_bad_port;      /* entries whose port is not connected in the fabric */
    uint64_t holes;                 /* (switch, endpoint) entries left empty */
    struct cw_text details;         /* up to 20 lines that name the first of each kind; freed by the caller */
};

/* Reads PATH ("-": standard input). *REPORT (may be NULL) is filled on success and then owned by the caller. A file of
 * which nothing matches is an error. Routes are those to the endpoints' base LIDs. */
CW_API int cw_lft_read(const struct cw_network *net, const char *path, struct cw_lft_report *report,
                       struct cw_routes **out);

/* The same with the routes to MOST_LIDS of each endpoint, or to as many as there are (cw_routes_lids); an endpoint
 * counts from its first again where others have more. REPORT is about the first. */
CW_API int cw_lft_read_lids(const struct cw_network *net, const char *path, uint32_t most_lids,
                            struct cw_lft_report *report, struct cw_routes **out);

/* cw_lft_read for content in memory. */
CW_API int cw_lft_parse(const struct cw_network *net, const char *file, const char *data, size_t length,
                        struct cw_lft_report *report, struct cw_routes **out);

/* Appends ROUTES, which must be tables, as an opensm-lfts.dump that OpenSM loads (-R file -U FILE) and this reader
 * reads back. Where the fabric has no LIDs or GUIDs they are numbered: LIDs from 1 in vertex order, as many for each
 * endpoint as ROUTES lead to, GUIDs as in the net file of ibsim that is written for the fabric. An endpoint to which
 * the fabric gives more LIDs than there are routes to has them from the first again; CW_EUSAGE if it gives fewer.
 * To the LIDs of switches
 * lead the ways of route/switch_ways.h. Tables come in OpenSM's order (route/guid_order.h). */
CW_API int cw_lft_write(const struct cw_routes *routes, struct cw_text *text);

/* The same as JSON, with the service levels of ROUTES, if they have any: doc/formats/tables-json.md. */
CW_API int cw_lft_write_json(const struct cw_routes *routes, struct cw_text *text);

CW_END_DECLS

#endif
