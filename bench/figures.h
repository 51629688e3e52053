/*
 * What is measured, and how.
 *
 * Adding a figure: one line in figures.c, `figures`. Its sample function measures once; a figure without one is the
 * ratio of two others of the same repetition, so that what slows the machine down slows both.
 */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdint.h>

#include "base/text.h"
#include "giant.h"
#include "net/network.h"
#include "route/routes.h"

enum sense { NO_TARGET, AT_LEAST, AT_MOST };

/* What samples need, made once. */
struct lab {
    struct cw_network *tree, *torus;  /* 10,368 and 10,000 endpoints */
    struct cw_network *small, *large; /* trees of 3,456 and 20,736 */
    struct cw_routes *formula, *tables, *dor;
    uint32_t *src, *dst; /* random pairs of the tree */
    uint32_t *load;      /* its channels */
    int file;            /* the large tree as ibnetdiscover prints it, in memory */
    int lfts;            /* tables of the small tree, an opensm-lfts.dump in memory … */
    size_t lfts_size;    /* … of so many bytes */
    struct giant giant;  /* of this repetition */
};

struct figure {
    const char *what, *unit;
    enum sense sense;
    double target;
    int (*sample)(struct lab *lab, double *value);
    int over, under; /* a ratio: indices of its figures */
};

extern const struct figure figures[]; /* ended by a NULL name */

int lab_open(struct lab *lab); /* LAB is zeroed; lab_close also after an error */
void lab_close(struct lab *lab);

/* The time of TRIALS noise trials at ratio 0.5 on N_THREADS: a binomial tree, its derangement, random placement. */
int noise_seconds(const struct cw_routes *routes, size_t trials, unsigned n_threads, double *seconds);

#endif
