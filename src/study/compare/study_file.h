/*
 * Files of studies (doc/formats/study.md): what is to be compared, as axes of which every combination is a case, and
 * the measures of each.
 *
 * A file is one YAML mapping. Keys are called as the options of verbs are, and their values are written as these take
 * them; an axis is a list of values, or one. A comma within parentheses ends no value, so that [xgft(2,8,4), torus:4x4]
 * are two networks.
 */
#ifndef CW_STUDY_FILE_H
#define CW_STUDY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

enum cw_study_key {
    /* Axes, in the order in which cases vary, the last one fastest. One that is not there does not vary. */
    CW_STUDY_NETWORK,
    CW_STUDY_LFT,     /* files with tables; these, then … */
    CW_STUDY_ROUTING, /* … engines: together they are one axis, what a network is routed by */
    CW_STUDY_ENDPOINTS,
    CW_STUDY_FAILED,
    CW_STUDY_DEGRADED,
    CW_STUDY_SEED,
    CW_STUDY_TRIALS,
    CW_STUDY_AXES,
    /* What holds for all cases, one value each. */
    CW_STUDY_TITLE = CW_STUDY_AXES,
    CW_STUDY_INPUT_FORMAT,
    CW_STUDY_NODE_NAMES,
    CW_STUDY_NODES, /* what is inside hosts */
    CW_STUDY_REPAIR,
    CW_STUDY_MEASURES, /* a list, too, but no axis */
    CW_STUDY_KEYS
};

struct cw_study_value {
    char *text;         /* "": nothing, of what fails or is slow */
    unsigned long line; /* in the file; 0: it does not come from there */
    bool parted; /* a comma without a blank parts it from another one of its list: they may have been meant as one */
};

/* Values in their order, all different. Start zeroed. */
struct cw_study_values {
    struct cw_study_value *items;
    size_t n, capacity;
};

/* Leaves out the cases that have one of the values of each axis that it names. */
struct cw_study_rule {
    struct cw_study_values axes[CW_STUDY_AXES];
};

/* Starts zeroed; free with cw_study_free. */
struct cw_study {
    char *file;
    struct cw_study_values keys[CW_STUDY_KEYS];
    struct cw_study_rule *rules;
    size_t n_rules, capacity;
};

/* A combination of values: the text of each axis, NULL where there is none; of tables and engine, one at most. */
struct cw_study_case {
    const char *of[CW_STUDY_AXES]; /* the study's */
    size_t network;                /* its number */
};

/* The name of a key, as files have it. Static. */
const char *cw_study_key_name(enum cw_study_key key);

/* The only value of KEY; NULL: it has none. */
const char *cw_study_single(const struct cw_study *study, enum cw_study_key key);

/* The study in the LENGTH bytes at DATA; FILE is its name. CW_EPARSE says the line, what is wrong and what was
 * expected. Whether there are such networks and routings is not asked; numbers are checked. Free OUT with
 * cw_study_free. */
int cw_study_parse(const char *file, const char *data, size_t length, struct cw_study *out);
int cw_study_read(const char *path, struct cw_study *out);
void cw_study_free(struct cw_study *study);

/* Gives KEY the value TEXT if the study has none. 0 or CW_ENOMEM. */
int cw_study_default(struct cw_study *study, enum cw_study_key key, const char *text);

/* All cases, in order. CW_ELIMIT if there are more than CW_STUDY_MOST_CASES combinations, CW_EPARSE if none is left.
 * *OUT [*N]: free. */
#define CW_STUDY_MOST_CASES 100000
int cw_study_cases(const struct cw_study *study, struct cw_study_case **out, size_t *n);

CW_END_DECLS

#endif
