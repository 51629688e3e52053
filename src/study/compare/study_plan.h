/*
 * What a study is about: its networks, which are read, its measures, and its cases, each with all that its figures
 * depend on.
 */
#ifndef CW_STUDY_PLAN_H
#define CW_STUDY_PLAN_H

#include <stddef.h>

#include "base/decls.h"
#include "base/input.h"
#include "net/network.h"
#include "study/compare/measures.h"
#include "study/compare/study_file.h"

CW_BEGIN_DECLS

/* A study whose names all mean something. Free with cw_study_plan_free. */
struct cw_study_plan {
    const struct cw_study *study; /* borrowed */
    struct cw_measure *measures;
    size_t n_measures;
    struct cw_study_case *cases; /* with a routing each, and the endpoints that take part */
    size_t n;
    struct cw_study_network {
        struct cw_network *net;  /* as it is, before anything fails */
        struct cw_inputs inputs; /* files that it was made of; this thread's record has them, too */
    } * networks;                /* [values of network] */
    size_t n_networks;
};

/* Reads the networks of STUDY, which has a seed, looks whether its routings and measures are some, and makes its cases.
 * What is wrong is said with its line. CW_EPARSE and whatever reading gives. */
int cw_study_plan_make(const struct cw_study *study, struct cw_study_plan *out);
void cw_study_plan_free(struct cw_study_plan *plan);

/* All that the figure of MEASURE in case IS depends on, but for the contents of files, a line each, into TEXT, which
 * the caller frees: what one release finds is no other's. 0 or CW_ENOMEM. */
int cw_study_define(const struct cw_study_plan *plan, const struct cw_study_case *is, const struct cw_measure *measure,
                    struct cw_text *text);

CW_END_DECLS

#endif
