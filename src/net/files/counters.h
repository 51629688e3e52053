/*
 * Counters of InfiniBand's ports, as infiniband-diags print them.
 *
 * Read are what perfquery prints, of one port or one after another (plain and -x), and what ibqueryerrors prints with
 * and without --counters. Lines of other kinds are passed over. Ports are named by LID and number, or by GUID and
 * number. A port that is there twice, as where both kinds of counters were asked for, has what was counted with more
 * bits. Data are in the file in units of 4 bytes (perfquery(8)); here they are bytes.
 *
 * perfquery's plain counters have 32 bits. InfiniBand has them stop at their end, hardware may have them begin anew.
 */
#ifndef CW_NET_COUNTERS_H
#define CW_NET_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

enum cw_ib_counter {
    CW_IB_COUNTER_SENT,     /* bytes */
    CW_IB_COUNTER_RECEIVED, /* bytes */
    CW_IB_COUNTER_PACKETS_SENT,
    CW_IB_COUNTER_PACKETS_RECEIVED,
    CW_IB_COUNTER_WAIT, /* ticks in which there was something to send, and no credit or another one sent */
    CW_IB_COUNTERS
};

struct cw_port_counters {
    uint64_t guid; /* of the node or the port; 0: named by LID */
    uint32_t lid, port;
    unsigned long line;             /* where its first counter stands */
    uint64_t value[CW_IB_COUNTERS]; /* as the file has them, data in units of 4 bytes */
    uint8_t bits[CW_IB_COUNTERS];   /* 0: missing; 32 or 64 */
};

struct cw_ib_counters {
    char *file;
    struct cw_port_counters *ports; /* by GUID, LID, port; each once */
    size_t n, capacity;
};

/* Reads PATH, entered like all inputs (base/input.h). *OUT is the caller's. CW_EPARSE if no port is in it, or a counter
 * is no number. */
int cw_ib_counters_read(const char *path, struct cw_ib_counters **out);
/* The same for LENGTH bytes in memory; FILE for messages. */
int cw_ib_counters_parse(const char *file, const char *data, size_t length, struct cw_ib_counters **out);
void cw_ib_counters_free(struct cw_ib_counters *counters);

/* What was counted between two readings. */
struct cw_channel_counts {
    double *bytes;    /* [channels] that were sent over it; NAN: unknown */
    double *packets;  /* [channels] the same */
    double *wait;     /* [channels] ticks that its tail waited */
    size_t ports;     /* in both files, and at a cable of the network */
    size_t elsewhere; /* in both files, and not at a cable of the network */
    size_t once;      /* in one of the files only */
    size_t wrapped;   /* 32-bit counters that are less than before: they have begun anew, once as is assumed */
    size_t full;      /* 32-bit counters at their end: nothing is known of these but a lower bound, which is not used */
    size_t cleared;   /* 64-bit counters that are less than before: counted since then is what there is */
};

/* The differences AFTER - BEFORE on the channels of NET. What a port has sent is on its channel; where that is unknown,
 * what the other end has received. Free with cw_channel_counts_free, which accepts a zeroed one. CW_EUSAGE if no port
 * of both files is one of NET's. */
int cw_ib_counters_difference(const struct cw_network *net, const struct cw_ib_counters *before,
                              const struct cw_ib_counters *after, struct cw_channel_counts *out);
void cw_channel_counts_free(struct cw_channel_counts *counts);

CW_END_DECLS

#endif
