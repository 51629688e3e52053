#include "traffic/collectives.h"

#include "base/registry_internal.h"

const struct cw_collective_traits cw_collectives[] = {
    [CW_COLLECTIVE_BCAST] = {.name = "bcast",
                             .root_gives = true,
                             .carried = true,
                             .usual = "binomial-bcast",
                             .tree = "knomial-bcast",
                             .straight = "linear-bcast"},
    [CW_COLLECTIVE_REDUCE] = {.name = "reduce",
                              .root_takes = true,
                              .reduces = true,
                              .carried = true,
                              .usual = "binomial-reduce",
                              .tree = "knomial-reduce",
                              .straight = "linear-reduce"},
    [CW_COLLECTIVE_ALLREDUCE] = {.name = "allreduce",
                                 .reduces = true,
                                 .carried = true,
                                 .usual = "recursive-doubling",
                                 .tree = "knomial-allreduce"},
    [CW_COLLECTIVE_SCATTER] = {.name = "scatter",
                               .root_gives = true,
                               .gives_blocks = true,
                               .carried = true,
                               .usual = "binomial-scatter",
                               .tree = "knomial-scatter",
                               .straight = "linear-scatter"},
    [CW_COLLECTIVE_GATHER] = {.name = "gather",
                              .root_takes = true,
                              .takes_blocks = true,
                              .carried = true,
                              .usual = "binomial-gather",
                              .tree = "knomial-gather",
                              .straight = "linear-gather"},
    [CW_COLLECTIVE_ALLGATHER] = {.name = "allgather", .takes_blocks = true, .carried = true, .usual = "bruck"},
    [CW_COLLECTIVE_REDUCE_SCATTER] = {.name = "reduce-scatter",
                                      .gives_blocks = true,
                                      .reduces = true,
                                      .usual = "ring-reduce-scatter"},
    [CW_COLLECTIVE_ALLTOALL] =
        {.name = "alltoall", .gives_blocks = true, .takes_blocks = true, .carried = true, .usual = "alltoall"},
    [CW_COLLECTIVE_BARRIER] = {.name = "barrier", .no_data = true, .usual = "dissemination"},
    {.name = NULL},
};
_Static_assert(sizeof cw_collectives / sizeof *cw_collectives == CW_COLLECTIVES + 1, "a collective is not counted");

static bool has_tree(const void *item)
{
    return ((const struct cw_collective_traits *)item)->tree;
}

#define NEAR "unknown collective '%s'; did you mean %s?"
#define NONE "unknown collective '%s'; expected one of %s"

const struct cw_registry cw_collective_registry = {
    .items = cw_collectives, .size = sizeof *cw_collectives, .near = NEAR, .none = NONE};
const struct cw_registry cw_collective_trees = {
    .items = cw_collectives, .size = sizeof *cw_collectives, .has = has_tree, .near = NEAR, .none = NONE};
