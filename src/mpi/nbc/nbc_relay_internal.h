/*
 * One operation between hosts, as the relay of a host carries it out. A message is cut into segments, alike on all
 * hosts. Each segment goes from stage to stage, and each stage counts how many it has done: so a stage may begin
 * segment s as soon as the stages before it have done s.
 */
#ifndef CW_MPI_NBC_RELAY_INTERNAL_H
#define CW_MPI_NBC_RELAY_INTERNAL_H

#include "mpi/nbc/nbc_wire.h"
#include "nbc/nbc_hosts.h"
#include "nbc/nbc_relay.h"

/* A communicator that takes in other hosts. */
struct relay_comm {
    uint64_t key;
    uint32_t place, inner; /* of the node: itself, and the inner communicator */
    uint32_t n;            /* its ranks here */
    const uint32_t *members;
    uint64_t next; /* operation of the inner communicator */
    struct cw_nbc_hosts hosts;
    struct relay *under_way[64]; /* by slot */
    struct relay_agreement {
        int heard;    /* hosts, by the first of them; … */
        bool told;    /* … or it was told */
        bool reached; /* all ask for the same: the operation can begin */
    } agreements[64];
};

/* An operation of the inner communicator for each segment, from the position `first` on. */
struct local_stage {
    uint32_t first, begun, done;
    uint64_t numbers[NBC_WINDOW];
};

struct relay {
    struct cw_nbc_node *node;
    struct relay_comm *comm;
    uint64_t number;
    struct cw_nbc_work work;
    uint64_t segment; /* bytes; the last may have fewer, or none */
    uint32_t n_segments;
    int error; /* an errno */
    uint32_t error_rank;

    /* Of a vector. In a ring it has a block for each host; in a tree, one. Blocks have the same number of segments. */
    uint32_t n_blocks, per_block, place; /* this host's in the ring */
    bool by_fabric;                      /* that is the order of the fabric */
    bool reduces, spreads, is_root;      /* up the tree; down; this is the host at which it begins */
    uint32_t root; /* among the ranks of the host, if the root is one of them: is_root, and rooted */
    bool rooted;
    struct cw_nbc_branch branch;
    char *vector, *own;          /* of the whole message: the root's, or our own */
    char *inbox;                 /* [children, in a ring 1][NBC_WINDOW] segments */
    struct nbc_flow *children;   /* [n_children] reductions: from them */
    struct nbc_flow *outlets;    /* [n_children] what spreads: to them */
    struct nbc_flow up, down;    /* to and from the parent; in a ring, to the next host and from the one before */
    struct local_stage gathered; /* segments: reduced over the ranks of the host, … */
    uint32_t combined, handed;   /* … with what others sent; written to the root */
    uint32_t fetched;            /* read from the root */
    struct local_stage spread;   /* given to the ranks of the host */

    struct relay_blocks *blocks; /* of collectives that move blocks, and nothing of the above */
};

/* What RANK of the communicator here has posted, its number on this host, and an errno of what was done to its memory
 * (0: none). */
struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank);
uint32_t relay_number(const struct relay *relay, uint32_t rank);
void relay_note_error(struct relay *relay, int error, uint32_t rank);

/* A vector's segment by its position among those that a host deals with: first those of the block of its own number,
 * then of the one before, … and round again; in a tree, as they are in the vector. */
uint64_t relay_offset(const struct relay *relay, uint32_t position);
size_t relay_bytes(const struct relay *relay, uint32_t position);
char *relay_data(const struct relay *relay, uint32_t position);

/* Combines it with OTHER, which has come from another host. */
void relay_combine(const struct relay *relay, uint32_t position, const char *other);

/* Sends the segments before AVAILABLE that have not been sent, as far as there is room. */
void relay_send_on(const struct relay *relay, struct nbc_flow *flow, uint32_t available, bool *any);

/* Goes on with STAGE, of which AVAILABLE segments can be done: reduced over the ranks of this host, or given to them.
 */
void relay_stage_step(struct relay *relay, struct local_stage *stage, uint32_t available, bool gathers, bool *any);

int relay_tree_new(struct relay *relay, const struct cw_nbc_between *between, int root);
bool relay_tree_step(struct relay *relay, bool *any);

int relay_ring_new(struct relay *relay);
bool relay_ring_step(struct relay *relay, bool *any);

int relay_blocks_new(struct relay *relay);
void relay_blocks_free(struct relay_blocks *blocks);
bool relay_blocks_step(struct relay *relay, bool *any);

/* Begins NUMBER, which WORK describes, and which all ranks of all hosts have posted alike. CW_ENOMEM. */
int relay_new(struct cw_nbc_node *node, struct relay_comm *comm, uint64_t number, const struct cw_nbc_work *work,
              const struct cw_nbc_between *between, struct relay **out);
void relay_free(struct relay *relay);

/* Goes on as far as it can; *ANY: somewhere. True: it is finished. */
bool relay_step(struct relay *relay, bool *any);

#endif
