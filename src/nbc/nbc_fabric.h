/*
 * What `crosswind tree` predicts of a fabric, and the library reads where a job spans hosts: an order of the hosts in
 * which neighbours are near each other; and for each collective, number of hosts and size along which tree hosts should
 * pass a message on, in this order or in that of the job's ranks. The file: doc/formats/fabric.md.
 */
#ifndef CW_NBC_FABRIC_H
#define CW_NBC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "nbc/nbc_between.h"
#include "nbc/nbc_collective.h"

CW_BEGIN_DECLS

#define CW_NBC_TREES       256 /* at most */
#define CW_NBC_FABRIC_TEXT 128

struct cw_nbc_tree_choice {
    enum cw_collective_kind collective; /* one whose message goes along a tree */
    uint32_t hosts;
    uint64_t bytes;
    struct cw_nbc_between between; /* tree and order */
    double time;                   /* predicted [s] */
};

/* Plain data, which rank 0 gives to the others. */
struct cw_nbc_trees {
    uint32_t n;
    struct cw_nbc_tree_choice items[CW_NBC_TREES]; /* sorted by collective, hosts, bytes; each once */
};

struct cw_nbc_fabric {
    char network[CW_NBC_FABRIC_TEXT], routes[CW_NBC_FABRIC_TEXT]; /* of which it was predicted, ... */
    char placement[CW_NBC_FABRIC_TEXT];                           /* ... and of jobs that are placed how */
    struct cw_nbc_trees trees;
    uint32_t n;
    char **hosts;      /* [n] names, in the order of the fabric */
    uint32_t *by_name; /* [n] their places, by the order of names */
};

/* The file where it is looked for: $XDG_CACHE_HOME/crosswind/fabric.txt, in ~/.cache without that variable. The same
 * for all machines and MPIs. CW_EIO if there is no such folder; CW_ENOMEM. The caller frees PATH. */
int cw_nbc_fabric_path(struct cw_text *path);

/* CW_EIO, CW_EPARSE, CW_ENOMEM, CW_ELIMIT. Free with cw_nbc_fabric_free, which accepts a zeroed one. */
int cw_nbc_fabric_read(const char *path, struct cw_nbc_fabric *out);
int cw_nbc_fabric_write(const char *path, const struct cw_nbc_fabric *fabric); /* without `by_name`; makes the folder */
void cw_nbc_fabric_print(const struct cw_nbc_fabric *fabric, struct cw_text *text); /* appends what is written */
void cw_nbc_fabric_free(struct cw_nbc_fabric *fabric);

/* The place of the host NAME in the order, also if one of the two names has a domain; -1: it is not known. O(log n). */
int cw_nbc_fabric_place(const struct cw_nbc_fabric *fabric, const char *name);

/* Puts CHOICE into its place, instead of one of the same collective, hosts and bytes. CW_ELIMIT. */
int cw_nbc_trees_put(struct cw_nbc_trees *trees, const struct cw_nbc_tree_choice *choice);

/* How HOSTS pass on a message of BYTES, if the user says ASKED: in the order and along the tree that were predicted for
 * the number of hosts which is nearest (in proportion), and the largest size that is not larger; along the tree that is
 * asked for, if one is. Where nothing was predicted, nothing is known to be better than what is asked for, in the order
 * of ranks. So it is, too, unless the result is EXACT, the same bytes in whatever order it is computed, or the user
 * asks for the order of the fabric. O(n). */
struct cw_nbc_between cw_nbc_trees_choose(const struct cw_nbc_trees *trees, const struct cw_nbc_between *asked,
                                          enum cw_collective_kind collective, bool exact, uint32_t hosts,
                                          uint64_t bytes);

CW_END_DECLS

#endif
