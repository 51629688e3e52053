/*
 * Schedules: collectives as plain data, rounds of messages with what each depends on. No MPI types; the same schedule
 * feeds the congestion simulator, LogGP timing, the flit simulator, the collective library and the tests.
 *
 * The data of a collective is `blocks` blocks. A message carries a cyclic range of blocks; on arrival it replaces the
 * receiver's (copy) or is combined with it (reduce). A rank's messages of round r depend on everything that rank
 * received in rounds before r, and are sent from the data as it stood then: all messages of a round are concurrent. A
 * message marked `free` depends on nothing (the data is the sender's own from the start), e.g. in a linear scatter.
 *
 * Rounds are made on demand, so that a ring over 10,000 ranks (2·10^8 messages) needs no memory.
 *
 * Adding one: a file traffic/schedule_NAME.c with one descriptor, one line in traffic/schedule.c. The generic test
 * executes every schedule on symbolic data and checks what it promises (`result`).
 */
#ifndef CW_TRAFFIC_SCHEDULE_H
#define CW_TRAFFIC_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/parameters.h"
#include "base/registry.h"
#include "traffic/collectives.h"

CW_BEGIN_DECLS

struct cw_message {
    uint32_t src, dst; /* ranks */
    uint32_t block,
        n_blocks; /* blocks block, block+1, … (modulo the schedule's `blocks`); 0 blocks: synchronisation only */
    bool reduce;  /* combined with the receiver's blocks; else it replaces them */
    bool free;    /* depends on nothing that was received */
};

struct cw_messages {
    struct cw_message *items;
    size_t n, capacity;
};

/* Appends MESSAGE. 0 or CW_ENOMEM. */
CW_API int cw_messages_add(struct cw_messages *messages, struct cw_message message);
CW_API void cw_messages_free(struct cw_messages *messages);

/* What ranks do at once: at most so many messages of one rank leave in a round, and at most so many arrive. */
enum cw_schedule_ports {
    CW_PORTS_ONE,
    CW_PORTS_TWO,
    CW_PORTS_ROOT, /* one, but the root has to do with all others at once */
    CW_PORTS_MANY  /* as many as there are ranks */
};

struct cw_schedule_kind {
    const char *name; /* "binomial-bcast" */
    const char *help;
    enum cw_collective_kind result;
    enum cw_schedule_ports ports; /* a claim, which a test holds it to */
    const struct cw_option *options;
    size_t size;
    /* Whether it is defined for N ≥ 1 ranks (CW_EUSAGE if not); its rounds (one rank alone needs none) and blocks (≥
     * 1). */
    int (*plan)(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks);
    /* Appends the messages of ROUND, in the order in which a rank with one port would send them. Ranks are relative: 0
     * is the root. */
    int (*round)(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages);
};

CW_API extern const struct cw_schedule_kind *const *const cw_schedule_kinds; /* ended by NULL */
CW_API extern const struct cw_registry cw_schedule_registry; /* of them, and also of their other names */

/* Adds KIND, which is borrowed for as long as the program runs: CW_EUSAGE and CW_ELIMIT as cw_registry_add has it. */
static inline int cw_schedule_register(const struct cw_schedule_kind *kind)
{
    return cw_registry_add(&cw_schedule_registry, kind, CW_INTERFACE, sizeof *kind);
}

/* Other names: tree = binomial-bcast, and those of collectives (traffic/collectives.h), which mean the usual schedule
 * for short messages. */
struct cw_schedule_alias {
    const char *name, *means;
};

CW_API extern const struct cw_registry cw_schedule_alias_registry; /* of the former; without messages, as the next */
CW_API extern const struct cw_registry cw_schedule_usual_registry; /* of the latter: struct cw_collective_traits */

/* The schedule that NAME means: its own, or what it is another name for. NULL, without a message: none. */
CW_API const struct cw_schedule_kind *cw_schedule_find(const char *name);

struct cw_schedule;

/* From "NAME" or "NAME:parameters", where NAME may be an alias. */
CW_API int cw_schedule_new(const char *spec, struct cw_schedule **out);
CW_API void cw_schedule_free(struct cw_schedule *schedule);
CW_API const char *cw_schedule_spec(const struct cw_schedule *schedule);
CW_API enum cw_collective_kind cw_schedule_result(const struct cw_schedule *schedule);
CW_API int cw_schedule_plan(const struct cw_schedule *schedule, uint32_t n, uint32_t *rounds, uint32_t *blocks);
CW_API int cw_schedule_round(const struct cw_schedule *schedule, uint32_t n, uint32_t round,
                             struct cw_messages *messages);

/* The bytes of all blocks of a collective among N ranks whose message size is BYTES, in the sense of MPI's benchmarks
 * (OSU, IMB): each rank's message. That is the whole vector of a broadcast, a reduction, an allreduce or a
 * reduce-scatter; a rank's part of a scatter, a gather or an allgather (N · BYTES in all); what each rank has for each
 * in an all-to-all (N² · BYTES). A barrier has none. CW_EUSAGE for more than 2^64 - 1. */
CW_API int cw_schedule_total_bytes(const struct cw_schedule *schedule, uint32_t n, uint64_t bytes, uint64_t *total);

/* Bytes of N_BLOCKS blocks beginning at BLOCK (cyclic) when TOTAL bytes are cut into BLOCKS blocks as evenly as
 * possible, the larger ones first. BLOCK < BLOCKS, N_BLOCKS ≤ BLOCKS. */
CW_API uint64_t cw_schedule_bytes(uint64_t total, uint32_t blocks, uint32_t block, uint32_t n_blocks);

CW_END_DECLS

#endif
