/*
 * Files of forwarding tables, inside: how vertices are called there, and what a file says before it is matched. Not
 * installed.
 */
#ifndef CW_ROUTE_LFT_INTERNAL_H
#define CW_ROUTE_LFT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "net/name_index.h"
#include "net/network.h"
#include "route/routes.h"

#define CW_LFT_LIDS     0xc000u /* LIDs from here on are multicast groups */
#define CW_LFT_MAX_PORT 254u    /* 255 means "no port" */
#define CW_LFT_NO_PORT  255u

/* --- names: GUIDs and LIDs of vertices (lft_names.c) -------------------------------------------------------------- */

/* What a network does not know is numbered, so that generated networks can be written and read back: LIDs from 1 in
 * vertex order, or as many for each endpoint as there are routes to, if the network has none at all, GUIDs as the net
 * files of ibsim have them. */
struct cw_lft_names {
    const struct cw_network *net;
    struct cw_name_index *index;
    bool has_lids;
};

int cw_lft_names_new(const struct cw_network *net, struct cw_lft_names *names);
void cw_lft_names_free(struct cw_lft_names *names);

uint64_t cw_lft_switch_guid(const struct cw_network *net, uint32_t v);
uint64_t cw_lft_port_guid(const struct cw_network *net, uint32_t v);

/* LIDs in files that are written: what the fabric says, else N for each endpoint and one for each switch. */
struct cw_lft_lids {
    const struct cw_network *net;
    uint32_t n;
    bool known;
};

struct cw_lft_lids cw_lft_lids_of(const struct cw_network *net, uint32_t n);
/* The first and the last LID of V; both 0 if the fabric gives LIDs, but not to V. */
uint32_t cw_lft_base_lid(const struct cw_lft_lids *lids, uint32_t v);
uint32_t cw_lft_top_lid(const struct cw_lft_lids *lids, uint32_t v);

/* The switch of a node GUID, the vertex of a port GUID, the vertex that answers to a LID by the fabric's own account;
 * or CW_NONE. */
uint32_t cw_lft_find_switch(const struct cw_lft_names *names, uint64_t node_guid);
/* The switch whose table a file calls NODE_GUID and NAME (NULL or "": it says none). A GUID that is only a number, as
 * the fabric knows none, may be another switch's since switches were taken out: then the name counts. *BY_NUMBER is set
 * where there was only the number to go by. */
uint32_t cw_lft_find_table(const struct cw_lft_names *names, uint64_t node_guid, const char *name, bool *by_number);
uint32_t cw_lft_find_port(const struct cw_lft_names *names, uint64_t port_guid);
bool cw_lft_is_switch_number(const struct cw_lft_names *names, uint64_t guid); /* a GUID that is only a number */
uint32_t cw_lft_find_lid(const struct cw_lft_names *names, uint32_t lid);

/* CW_EUSAGE if an endpoint has several cables: a LID is a port's, and only switches have tables that could choose. */
int cw_lft_check_network(const struct cw_network *net);

/* --- content of a file (lft_parse.c) ------------------------------------------------------------------------------ */

#define CW_LFT_NAMED 4 /* of things without a match, so many are remembered by name */

struct cw_lft_lid {
    uint64_t port_guid; /* 0: the file says none */
    unsigned long line; /* of the first entry that leads somewhere; 0: there is none */
    bool of_switch;     /* the file says that it is a switch's */
};

/* Everything a file says. `ports` has a row of CW_LFT_LIDS bytes for each switch of the fabric with a table, else NULL.
 * A byte is port + 1 modulo 256, so that an empty one, 0, is "no port". */
struct cw_lft_content {
    const char *format;
    struct cw_lft_lid *lids;   /* [CW_LFT_LIDS] */
    uint8_t **ports;           /* [n_switches] */
    unsigned long *table_line; /* [n_switches] */
    uint64_t *guids;           /* [n_switches] what the file calls the switches that have tables */
    uint32_t n_tables;
    bool by_number;                 /* of some tables only a number says whose they are */
    uint32_t n_unknown;             /* tables of switches that are not in the fabric … */
    uint64_t unknown[CW_LFT_NAMED]; /* … and the first of these */
};

#define CW_LFT_JSON_FORMAT "crosswind-tables"

#define CW_LFT_EXPECTED                                                                                                \
    "expected \"Unicast lids [...] of switch ...\" (opensm-lfts.dump, dump_fts, ibroute) or "                          \
    "\"dump_ucast_routes: Switch ...\" (opensm.fdbs)"

struct cw_lft_parser;

int cw_lft_parser_new(const char *file, const struct cw_lft_names *names, struct cw_lft_parser **out);
void cw_lft_parser_free(struct cw_lft_parser *parser);

/* Takes the whole lines of DATA; with LAST also what follows the last newline. *USED bytes were taken. */
int cw_lft_parser_feed(struct cw_lft_parser *parser, const char *data, size_t length, bool last, size_t *used);

/* True as soon as a line has told the format. */
bool cw_lft_parser_began(const struct cw_lft_parser *parser);

/* After the last line: checks that the file is whole. The content stays the parser's. */
int cw_lft_parser_finish(struct cw_lft_parser *parser, const struct cw_lft_content **out);

/* --- what all writers need to know: LIDs, whose they are, and the port towards each (lft_write.c) ------------------
 */

struct cw_lft_writer {
    const struct cw_routes *routes;
    const struct cw_network *net;
    uint32_t max_lid;
    uint32_t *vertex; /* [max_lid + 1] whose a LID is, or CW_NONE */
    uint32_t *lid;    /* [n_vertices] base LID, or 0 */
    uint32_t *order;  /* [switches] switches as they follow one another in a file */
    uint8_t *ways;    /* [from switch][to switch] port number, or 0 */
};

/* Free it in any case. CW_EUSAGE or CW_ELIMIT if ROUTES cannot be tables of InfiniBand. */
int cw_lft_writer_new(const struct cw_routes *routes, struct cw_lft_writer *writer);
void cw_lft_writer_free(struct cw_lft_writer *writer);

/* The port number by which switch V sends to LID, which is somebody's, or CW_LFT_NO_PORT. */
uint32_t cw_lft_writer_port(const struct cw_lft_writer *writer, uint32_t v, uint32_t lid);

/* cw_lft_write, table by table: TAKE gets the text of each in turn. What it returns ends all, if it is not 0. */
typedef int cw_lft_take(void *context, const struct cw_text *table);
int cw_lft_write_each(const struct cw_routes *routes, cw_lft_take *take, void *context);

/* cw_lft_read_lids of PATH, which messages and the routes call FILE. Nobody is told what was read. */
int cw_lft_read_back(const struct cw_network *net, const char *path, const char *file, uint32_t most_lids,
                     struct cw_routes **out);

/* --- reading tables in JSON, doc/formats/tables-json.md (lft_json.c) -----------------------------------------------
 */

struct cw_lft_json;

/* True if DATA, the beginning of a file, looks like it. */
bool cw_lft_json_recognises(const char *data, size_t length);

/* Reads the whole DATA of FILE: *OUT, freed by the caller, has content as a file of another format has it. CW_EPARSE
 * names the place. */
int cw_lft_json_new(const char *file, const char *data, size_t length, const struct cw_lft_names *names,
                    struct cw_lft_json **out);
void cw_lft_json_free(struct cw_lft_json *json);
const struct cw_lft_content *cw_lft_json_content(const struct cw_lft_json *json);

/* Gives ROUTES, which were made of that content, the lanes and service levels that the file says, if it does. */
int cw_lft_json_levels(const struct cw_lft_json *json, struct cw_routes *routes);

#endif
