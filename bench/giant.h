/* One trial on a network of a million endpoints, measured in a process of its own. */
#ifndef BENCH_GIANT_H
#define BENCH_GIANT_H

#define GIANT "xgft:4:32,32,32,32:1,32,32,32" /* 1,048,576 endpoints */

struct giant {
    double prepare; /* s to build the network and its routes */
    double trial;   /* s */
    double peak;    /* MiB, the most memory the process ever held */
};

/* A child process inherits the pages of its parent, so this is called while the parent is small. */
int giant_run(struct giant *out);

#endif
