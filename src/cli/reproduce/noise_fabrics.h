/* The real fabrics of figure 11: those that the user gives, or the sample that comes with the program. */
#ifndef CW_CLI_NOISE_FABRICS_H
#define CW_CLI_NOISE_FABRICS_H

#include "cli/fabric.h"
#include "study/papers/noise_paper.h"

#define MAX_FABRICS 12

struct noise_fabrics {
    struct fabric items[MAX_FABRICS];
    char *names[MAX_FABRICS];
    size_t n;
};

/* Opens LIST, "MAP[:TABLES][,MAP[:TABLES]…]" (NULL: the sample), and adds their points. Without a list and without the
 * sample there are none. Free with noise_fabrics_free, also after an error. */
int noise_fabrics_open(struct invocation *invocation, const char *list, struct noise_fabrics *fabrics,
                       struct cw_noise_points *points);
void noise_fabrics_free(struct noise_fabrics *fabrics);

#endif
