/*
 * Published experiments as data: which figures there are, which points they have, how one point is computed, what is
 * written down of them, and what the publication claims. One loop does the rest for all of them, figure by figure:
 * it computes the points, side by side, writes them to a CSV file, asks whether the claims hold, and draws. What a
 * figure needs is so there while the next one is under way; of a figure that ends early the points that were done are
 * kept.
 *
 * Adding one: study/papers/NAME_paper.c with one descriptor, one line in paper.c (CONTRIBUTING says more).
 */
#ifndef CW_STUDY_PAPERS_PAPER_H
#define CW_STUDY_PAPERS_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/registry.h"
#include "base/result.h"
#include "base/trials.h"
#include "net/selection.h"
#include "report/chart.h"
#include "report/drawing.h"
#include "report/rows.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

enum cw_verdict {
    CW_HOLDS,
    CW_HOLDS_CORRECTED, /* once a mistake of the publication is put right: the finding says which */
    CW_HOLDS_IN_PART,   /* under a condition, or for most of what it speaks of: the sentence says which */
    CW_HOLDS_NOT,
    CW_NOT_TESTED, /* what was computed cannot decide it */
    CW_NOT_COMPUTED
};

/* "yes", "corrected", "in part", "no", "not tested", "failed": by enum cw_verdict. */
extern const char *const cw_verdict_names[];

struct cw_finding {
    const struct cw_paper_claim *claim;
    const char *figure;   /* "13", "table 2": as the publication numbers it */
    size_t index;         /* of the figure, among those of the paper */
    const char *quantity; /* what `value` is; NULL: no number decides it */
    double value, ci95;   /* NaN: none; ci95 is the half width of a 95 % confidence interval, NaN for exact values */
    enum cw_verdict verdict;
    const char *correction; /* what was put right for CW_HOLDS_CORRECTED; finders may leave it out. NULL: nothing */
    char found[400];        /* a sentence: what is found */
};

struct cw_paper_claim {
    const char *text, *quantity; /* what is said, and the number that decides it; NULL: none does */
    /* Says in FINDING, which begins as not tested and without a value, what is found in OF: the points, or what else
     * the figure has. */
    int (*find)(const void *of, struct cw_finding *finding);
    uint32_t numbers[4];    /* that it speaks of; what they are is the finder's */
    const char *figure;     /* which the publication says it of; NULL: the one that is computed */
    const char *correction; /* of a mistake in the publication, without which it does not hold; NULL: none */
};

/* What finders end with: a verdict, the number that decides it (NaN: none) and a sentence. Returns 0. */
int cw_find(struct cw_finding *finding, enum cw_verdict verdict, double value, const char *format, ...) CW_PRINTF(4, 5);

/* The claim cannot be tested, and has no number. Returns 0. */
int cw_find_nothing(struct cw_finding *finding, const char *why);

/* Appends FINDING in two sentences. */
void cw_finding_say(const struct cw_finding *finding, struct cw_text *text);

/* Of claims that hold in every case of TESTED, of which KEPT keep it. */
enum cw_verdict cw_verdict_of(size_t kept, size_t tested);

/* --- points ------------------------------------------------------------------------------------------------------- */

/* What every point begins with. */
struct cw_point {
    size_t figure; /* index among those of the paper */
    double cost;   /* what takes longest must not begin last; any unit, not NaN */
    bool done;
};

/* A list that starts zeroed but for SIZE, the bytes of a point. Those of a figure stand together. */
struct cw_points {
    void *items;
    size_t n, capacity, size;
};

/* Appends a copy of POINT. Returns where it is, until the next one is added; NULL after an error, CW_ENOMEM. */
void *cw_points_add(struct cw_points *points, const void *point);
const void *cw_points_at(const struct cw_points *points, size_t index);

/* The next point of FIGURE that has run, from index *AT on, which moves behind it; NULL: no more. */
const void *cw_points_next(const struct cw_points *points, size_t figure, size_t *at);

/* --- papers ------------------------------------------------------------------------------------------------------- */

struct cw_paper_run;

struct cw_paper_figure {
    const char *name; /* that chooses it: "13", "3a", "table1" */
    const char *file; /* its files are called so; NULL: another name of the figure before */
    const char *title;
    const struct cw_paper_claim *claims;
    size_t n_claims;
    /* Computes and writes down what has no points; NULL: it has some. */
    int (*make)(struct cw_paper_run *run, size_t figure);
};

/* An option of `crosswind reproduce` besides --directory. */
struct cw_paper_option {
    const char *name, *figures; /* "NAME[,NAME…]", those that it is for; NULL: all */
};

struct cw_paper {
    const char *name;
    const char *help;                      /* what it computes, and the source: a sentence without its full stop */
    const char *source;                    /* the publication: NAME-README.txt begins with it */
    const char *const *remarks;            /* ended by NULL */
    size_t n_told;                         /* of them: so many, from the first on, are in the result, too */
    const char *written;                   /* what there is in the end: "NAME-README.txt with remarks, …" */
    const struct cw_paper_option *takes;   /* ended by one without a name */
    const char *runs_begin;                /* what files of measured runs begin with; NULL: it takes none */
    const struct cw_paper_figure *figures; /* ended by one without a name, at most CW_MAX_FIGURES */
    /* Before everything else, when the figures are chosen, and after it. Both may be NULL. */
    int (*begin)(struct cw_paper_run *run);
    void (*end)(struct cw_paper_run *run);

    /* Points: plain data that begin with a struct cw_point. What comes of one stands from RESULTS on, and moves from
     * process to process: there, pointers mean nothing. */
    size_t point_size, results;
    int (*add)(struct cw_paper_run *run, size_t figure);         /* adds those of FIGURE */
    int (*compute)(const struct cw_paper_run *run, void *point); /* on one thread among others or in another process; */
    bool shared; /* … or, one after another, on all threads of all processes: it has trials to share out */
    const struct cw_column *columns;
    size_t n_columns;
    void (*rows)(const struct cw_paper_run *run, struct cw_table *table, const void *point);
    int (*tables)(struct cw_paper_run *run);              /* adds to the result what is seen of points; may be NULL */
    void (*sum)(struct cw_paper_run *run, size_t figure); /* after a figure, before its claims; may be NULL */
    int (*draw)(struct cw_paper_run *run, size_t figure);
};

extern const struct cw_paper *const cw_papers[]; /* ended by NULL */
extern const struct cw_registry cw_paper_registry;

/* --- running one -------------------------------------------------------------------------------------------------- */

#define CW_MAX_FIGURES 16

/* A fabric whose figures are asked for. */
struct cw_paper_fabric {
    const char *name;
    const struct cw_routes *routes;
    const struct cw_selection *selection; /* its endpoints that take part */
};

enum cw_paper_sizes { CW_SIZES_QUICK, CW_SIZES_SMALL, CW_SIZES_ALL };

/* Is told what a run finds as it finds it. All may be NULL. */
struct cw_paper_watcher {
    void *context;
    int (*found)(void *context, const struct cw_paper *paper, const struct cw_finding *finding);
    int (*drawn)(void *context, const struct cw_paper *paper, size_t figure, const char *path); /* a picture is there */
    int (*failed)(void *context, const struct cw_paper *paper, size_t figure, const char *why);
};

/* How it is asked for. */
struct cw_paper_setup {
    const char *directory; /* of all files; it is there */
    const char *figures;   /* "NAME[,NAME…]" or "all" */
    enum cw_paper_sizes sizes;
    size_t trials; /* 0: the paper has none */
    bool emulate;
    const char *runs; /* files of measured runs; NULL: none */
    const struct cw_paper_fabric *fabrics;
    size_t n_fabrics;
    uint64_t seed;
    unsigned n_threads;
    const struct cw_executor *executor; /* who computes points or trials; NULL: threads of this process */
    bool bar;                           /* shows progress on standard error, where that is a terminal */
    struct cw_result *result;           /* gets tables and sentences */
    bool goes_on; /* a figure that fails stops no other: what is claimed of it is not computed, and says why */
    const struct cw_paper_watcher *watcher; /* NULL: nobody */
};

struct cw_paper_run {
    const struct cw_paper_setup *setup;
    const struct cw_paper *paper;
    bool wanted[CW_MAX_FIGURES];
    struct cw_points points;
    void *data;             /* the paper's own, as the next ones, which `begin` may set: */
    size_t expected_claims; /* besides those of figures */
    const char *also;       /* a sentence at the end of the result; NULL: none */
    struct cw_table *table; /* of the result: gets the rows of points, too; NULL: none does */
    struct cw_progress *progress;
    /* the loop's own */
    size_t figure, told; /* that is under way, and how many of its claims are told */
    struct cw_table *claims;
    struct cw_text items; /* what was found so far, as NAME-README.txt has it */
};

/* Which figures of PAPER the list FIGURES names. CW_EUSAGE for others. */
int cw_paper_choose(const struct cw_paper *paper, const char *figures, bool wanted[CW_MAX_FIGURES]);

/* The option NAME of PAPER; NULL: it does not take it. */
const struct cw_paper_option *cw_paper_takes(const struct cw_paper *paper, const char *name);

/* Makes the folder PATH, unless it is there. CW_EIO. */
int cw_paper_folder(const char *path);

/* Appends what FIGURE is called in a sentence: "Figure 13", "Table 2", "Experiment fixed". */
void cw_paper_name_figure(const char *figure, struct cw_text *text);

/* Does all of it: figures without points first, then those with points. After an error, of which the first is returned,
 * what was finished is in the result and in the files. */
int cw_paper_run(const struct cw_paper *paper, const struct cw_paper_setup *setup);

/* All of them, one after another, each in a folder of its own in `directory`, with what it takes of the rest; `figures`
 * and `goes_on` are not looked at, and `trials` may be 0: as many as the sizes suggest; each takes those of `runs` that
 * begin like its own, and CW_EUSAGE is of one that nobody takes. What fails stops no other.
 * The result gets one table of claims, one of pictures, and sentences. *PAGE, if not NULL, becomes the figures for a
 * page, with their claims, as JSON (report/page.h); also, as all else, when the run was interrupted. *WHOLE: nothing
 * failed. PAPERS ends with NULL. */
int cw_papers_run(const struct cw_paper *const *papers, const struct cw_paper_setup *setup, struct cw_text *page,
                  bool *whole);

/* --- for papers --------------------------------------------------------------------------------------------------- */

/* Adds a table, of which ROWS are to come, to the result, which owns it. */
int cw_paper_table(const struct cw_paper_run *run, const char *name, const char *title, const struct cw_column *columns,
                   size_t n_columns, size_t rows, struct cw_table **out);

/* Appends DIRECTORY/FILE with END, ".svg". 0 or CW_ENOMEM. */
int cw_paper_path(const struct cw_paper_run *run, const char *file, const char *end, struct cw_text *path);

/* Write TABLE, which is freed, to DIRECTORY/FILE.csv; and draw CHART or DRAWING, which is empty then, as
 * DIRECTORY/FILE.svg. */
int cw_paper_csv(const struct cw_paper_run *run, const char *file, struct cw_table *table);
int cw_paper_plot(const struct cw_paper_run *run, const char *file, struct cw_chart *chart, const struct cw_plot *plot);
int cw_paper_drawing(const struct cw_paper_run *run, const char *file, struct cw_drawing *drawing);

/* A picture of the figure under way that was drawn otherwise is PATH, or has failed with RC, which is returned. */
int cw_paper_drawn(const struct cw_paper_run *run, int rc, const char *path);

/* Says of N claims of FIGURE, from FIRST on, what is found in OF: in the result, in NAME-claims.csv and in
 * NAME-README.txt, so that who stops the program keeps what was done by then. */
int cw_paper_tell(struct cw_paper_run *run, size_t figure, size_t first, size_t n, const void *of);

/* What is found of one of them. */
int cw_paper_find(const struct cw_paper *paper, size_t figure, size_t claim, const void *of, struct cw_finding *out);

CW_END_DECLS

#endif
