/*
 * What was predicted of trees of hosts (study/host_trees.h), in a few lines: for each collective the numbers of hosts
 * for which the same trees are best, from the same sizes on.
 */
#ifndef CW_STUDY_HOST_CHOICES_H
#define CW_STUDY_HOST_CHOICES_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/host_trees.h"

CW_BEGIN_DECLS

/* A tree for messages of BYTES and more. */
struct cw_host_step {
    uint64_t bytes;
    uint32_t tree; /* of cw_host_trees */
};

/* A collective of jobs of FIRST to LAST hosts, of those that were predicted. */
struct cw_host_choice {
    enum cw_collective_kind collective;
    uint32_t first, last;
    struct cw_host_step *steps; /* [n_steps] by size; each tree differs from the one before */
    size_t n_steps;
    double least, most; /* how many times as long what is taken without a prediction takes, over hosts and sizes */
};

struct cw_host_choices {
    struct cw_host_choice *items; /* by collective, then by hosts */
    size_t n;
};

/* Of all points but those that go straight, in whatever order they are. CW_ENOMEM. Free with cw_host_choices_free. */
int cw_host_choices_of(const struct cw_host_tree_points *points, struct cw_host_choices *out);
void cw_host_choices_free(struct cw_host_choices *choices);

CW_END_DECLS

#endif
