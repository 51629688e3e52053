/*
 * All network file formats: from these lists the registries in net/files/formats.c are made. Private to net/.
 */
#ifndef CW_NET_FORMATS_INTERNAL_H
#define CW_NET_FORMATS_INTERNAL_H

#include "base/decls.h"
#include "net/files/formats.h"

CW_BEGIN_DECLS

#define CW_EDGES_TITLE "# crosswind edge list" /* the first line by which it is recognised */

#define CW_JSON_FORMAT  "crosswind-network"
#define CW_JSON_VERSION 1

/* A cycle of anynet files [s]: what a channel of CAPACITY takes for a flit of 64 bytes, which is also the default of
 * `crosswind flit`, so that a file means the same to BookSim and to us. */
#define CW_ANYNET_CYCLE(CAPACITY) (64 / (CAPACITY))
#define CW_ANYNET_MAX_CYCLES      1000000

/* What an identity says, by the names of files: of its numbers those that are not 0. Returns how many. */
#define CW_IDENTITY_PARTS 8
struct cw_identity_part {
    const char *name;
    bool guid;
    uint64_t value;
};
size_t cw_identity_parts(const struct cw_identity *identity, struct cw_identity_part parts[CW_IDENTITY_PARTS]);

/* One line a reader: cw_reader_NAME is its descriptor. In the order in which they are asked: what recognises the most
 * particular content comes first. */
#define CW_READERS(EACH)                                                                                               \
    EACH(edges)                                                                                                        \
    EACH(anynet)                                                                                                       \
    EACH(slurm)                                                                                                        \
    EACH(graphml)                                                                                                      \
    EACH(simgrid)                                                                                                      \
    EACH(subnet)                                                                                                       \
    EACH(lldp)                                                                                                         \
    EACH(json)                                                                                                         \
    EACH(ibdiagnet)                                                                                                    \
    EACH(iblinkinfo)                                                                                                   \
    EACH(ibnetdiscover)                                                                                                \
    EACH(ibsim)

/* One line a writer: cw_writer_NAME is its descriptor. */
#define CW_WRITERS(EACH)                                                                                               \
    EACH(json)                                                                                                         \
    EACH(ibsim)                                                                                                        \
    EACH(dot)                                                                                                          \
    EACH(graphml)                                                                                                      \
    EACH(slurm)                                                                                                        \
    EACH(anynet)                                                                                                       \
    EACH(simgrid)

#define CW_DECLARE_READER(NAME) extern const struct cw_reader cw_reader_##NAME;
#define CW_DECLARE_WRITER(NAME) extern const struct cw_writer cw_writer_##NAME;
CW_READERS(CW_DECLARE_READER)
CW_WRITERS(CW_DECLARE_WRITER)

CW_END_DECLS

#endif
