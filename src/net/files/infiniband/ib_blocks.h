/*
 * The lines that ibnetdiscover's topology files and ibsim's net files share, each read by itself. Private to net/.
 *
 *     vendid=0x2c9                                                            (id)
 *     switchguid=0x8f10500200b50(8f10500200b50)                               (id, with the port GUID)
 *     Switch  36 "S-0008f10500200b50"  # "leaf 1" base port 0 lid 9 lmc 0     (header)
 *     [1]  "H-0002c90300080d28"[1](2c90300080d29)  # "node7" lid 4 4xQDR      (port)
 *
 * Each function reports a malformed line with cw_fail_at. What the dialects treat differently is told by `ibsim`: ibsim
 * takes a missing port number at the peer as 1, options ("w=2 s=4") behind the peer, and free text as comment.
 */
#ifndef CW_NET_IB_BLOCKS_H
#define CW_NET_IB_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "net/files/ib_scan.h"

CW_BEGIN_DECLS

enum cw_ib_line {
    CW_IB_BLANK,
    CW_IB_COMMENT,
    CW_IB_HEADER, /* Switch, Ca, Hca or Rt */
    CW_IB_PORT,   /* [ */
    CW_IB_ID,     /* letters, then '=' or '+' */
    CW_IB_OTHER
};

enum cw_ib_line cw_ib_line_kind(const struct cw_lines *lines);

struct cw_ib_header {
    struct cw_ib_span id, description;
    uint32_t ports, lid, lmc;
    uint8_t kind; /* CW_KIND_SWITCH, _HOST, _ROUTER */
};

int cw_ib_header_read(const struct cw_lines *lines, bool ibsim, struct cw_ib_header *out);

/* ibsim's options of a port, bit masks of what it offers; 0: not stated. */
struct cw_ib_offer {
    uint32_t width;    /* w=: 1 is 1x, 2 is 4x, 4 is 8x, 8 is 12x, 16 is 2x */
    uint32_t speed;    /* s=: 1 is SDR, 2 is DDR, 4 is QDR */
    uint32_t extended; /* e=: 1 is FDR, 2 is EDR, 4 is HDR, 8 is NDR */
};
#define CW_IB_MAX_WIDTH    31
#define CW_IB_MAX_SPEED    7
#define CW_IB_MAX_EXTENDED 15

struct cw_ib_port_line {
    struct cw_ib_span peer, description; /* the description is the peer's */
    uint64_t guid, peer_guid;
    uint32_t number, peer_number, lid, lmc, peer_lid;
    struct cw_ib_offer offer;
    double capacity; /* 0: not stated */
    double latency;  /* negative: not stated */
    bool has_rate;   /* a rate was printed, if only as "4x???" */
};

int cw_ib_port_line_read(const struct cw_lines *lines, bool ibsim, struct cw_ib_port_line *out);

struct cw_ib_id_line {
    struct cw_ib_span key;
    uint64_t value, port_guid;
    bool relative; /* "+" instead of "=" */
    bool has_port_guid;
};

int cw_ib_id_line_read(const struct cw_lines *lines, struct cw_ib_id_line *out);

/* True if KEY is WORD. */
bool cw_ib_is(struct cw_ib_span key, const char *word);

/* Reports that EXPECTED should come at SCAN. */
int cw_ib_expected(const struct cw_lines *lines, const struct cw_ib_scan *scan, const char *expected);

CW_END_DECLS

#endif
