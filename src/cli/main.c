/* crosswind: the program of one process. */
#include "cli/program.h"
#include "cli/verb.h"

const char program_name[] = "crosswind";

/* One line a verb, in the order of help: verb_NAME is its descriptor. */
#define VERBS(EACH)                                                                                                    \
    EACH(topo)                                                                                                         \
    EACH(route)                                                                                                        \
    EACH(diff)                                                                                                         \
    EACH(noise)                                                                                                        \
    EACH(ebb)                                                                                                          \
    EACH(compare)                                                                                                      \
    EACH(what_if)                                                                                                      \
    EACH(study)                                                                                                        \
    EACH(results)                                                                                                      \
    EACH(map)                                                                                                          \
    EACH(congestion)                                                                                                   \
    EACH(jobs)                                                                                                         \
    EACH(program)                                                                                                      \
    EACH(flit)                                                                                                         \
    EACH(model)                                                                                                        \
    EACH(model_split_tree)                                                                                             \
    EACH(cores)                                                                                                        \
    EACH(collective)                                                                                                   \
    EACH(tree)                                                                                                         \
    EACH(plan)                                                                                                         \
    EACH(rails)                                                                                                        \
    EACH(testbed)                                                                                                      \
    EACH(analyse)                                                                                                      \
    EACH(reproduce)                                                                                                    \
    EACH(report)                                                                                                       \
    EACH(help)                                                                                                         \
    EACH(man)                                                                                                          \
    EACH(completion)

#define DECLARE(NAME) extern const struct verb verb_##NAME;
#define ENTER(NAME)   &verb_##NAME,

VERBS(DECLARE)

const struct verb *const verbs[] = {VERBS(ENTER) NULL};

int main(int argc, char **argv)
{
    return program_main(NULL, argc, argv);
}
