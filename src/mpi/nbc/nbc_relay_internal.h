/*
 * One operation between hosts, as the relay of a host carries it out: of collectives with one vector a program
 * (nbc/nbc_program.h), of others parcels of blocks.
 */
#ifndef CW_MPI_NBC_RELAY_INTERNAL_H
#define CW_MPI_NBC_RELAY_INTERNAL_H

#include "mpi/nbc/nbc_wire.h"
#include "nbc/nbc_between.h"
#include "nbc/nbc_hosts.h"
#include "nbc/nbc_program.h"
#include "nbc/nbc_relay.h"

/* One that was made for the communicator: of a collective, a tree, and the host in place 0. */
struct relay_program {
    struct relay_program *before;
    enum cw_collective_kind collective;
    struct cw_nbc_between between;
    int first;
    struct cw_nbc_program *program;
};

/* A communicator that takes in other hosts. */
struct relay_comm {
    uint64_t key;
    uint32_t place, inner; /* of the node: itself, and the inner communicator */
    uint32_t n;            /* its ranks here */
    const uint32_t *members;
    uint64_t next; /* operation of the inner communicator */
    struct cw_nbc_hosts hosts;
    struct relay_program *programs;
    struct relay *under_way[64]; /* by slot */
    struct relay_agreement {
        int heard;    /* hosts, by the first of them; … */
        bool told;    /* … or it was told */
        double since; /* s: when it was first looked for */
        bool asked;   /* who is missing was asked where it is */
        bool reached; /* all ask for the same: the operation can begin */
    } agreements[64];
};

struct relay {
    struct cw_nbc_node *node;
    struct relay_comm *comm;
    uint64_t number;
    struct cw_nbc_work work;
    int error; /* an errno */
    uint32_t error_rank;
    struct relay_vector *vector; /* one of them */
    struct relay_blocks *blocks;
};

/* What RANK of the communicator here has posted, its number on this host, and an errno of what was done to its memory
 * (0: none). */
struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank);
uint32_t relay_number(const struct relay *relay, uint32_t rank);
void relay_note_error(struct relay *relay, int error, uint32_t rank);

/* Begins the exchange of RELAY, which all ranks of all hosts have posted alike; the rest is as with a relay. CW_ENOMEM.
 */
int relay_vector_new(struct relay *relay, const struct cw_nbc_between *between);
void relay_vector_free(struct relay_vector *vector);
int relay_blocks_new(struct relay *relay);
void relay_blocks_free(struct relay_blocks *blocks);

/* Goes on as far as it can; *ANY: somewhere. True: it is finished. */
bool relay_vector_step(struct relay *relay, bool *any);
bool relay_blocks_step(struct relay *relay, bool *any);

/* Those of a communicator. */
void relay_programs_free(struct relay_program *programs);

#endif
