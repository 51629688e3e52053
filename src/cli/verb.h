/*
 * Verbs of the command line. Adding one: a file cli/verb_NAME.c with one descriptor at its end, one line in
 * cli/main.c. Parsing, range checks, --help, the man page and shell completion come from its option table.
 */
#ifndef CW_CLI_VERB_H
#define CW_CLI_VERB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/option.h"
#include "base/progress.h"
#include "base/registry.h"
#include "base/result.h"
#include "base/trials.h"
#include "cli/configuration.h"
#include "cli/flit/flit_options.h"
#include "cli/program.h"
#include "report/page.h"

#define MAX_GROUPS 12

/* What NETWORK is, for verbs with a table of arguments of their own. */
#define NETWORK_HELP                                                                                                   \
    "a specification, such as torus:8x8 (see crosswind help topologies), or a file (see crosswind help formats)"

enum help { HELP_NO, HELP_USUAL, HELP_ALL };

/* Options every verb has. */
struct common {
    int64_t threads;
    int64_t seed;
    int format; /* enum cw_format */
    char *output, *html;
    char *plot;  /* of verbs with pictures; NULL: none is asked for */
    char *store; /* of verbs that store something; likewise */
    bool quiet;
    char *plugins; /* files with ':' or ',' between two */
    int help;      /* enum help */
    bool version;
};

enum lids { LIDS_FIRST, LIDS_ALL };

/* Options of verbs that route a network. */
struct routing {
    char *input_format; /* NULL: by content */
    char *node_names;
    char *endpoints;
    char *failed, *degraded;
    char *nodes;                             /* what is behind the HCAs of hosts; NULL: they are the endpoints */
    const struct cw_channel_changes *faults; /* that go before these, from a file; NULL: none */
    char *name;
    char *lft;
    char *repair;
    char *path_records, *sl2vl; /* service levels of lft */
    char *paths;
    bool tables;
    int lids;      /* which of an endpoint's LIDs messages are sent to: enum lids */
    bool all_lids; /* set by verbs that want the routes to all LIDs, too; */
    bool deferred; /* the network is opened without routes: they are made by the verb; */
    bool named;    /* by those whose input names the endpoints that send: none is left out by default */
    bool relayed;  /* by those in which endpoints pass on what they receive */
};

/* True if nobody said how the network is routed. */
static inline bool routing_is_default(const struct routing *routing)
{
    return !routing->name && !routing->lft && !routing->paths;
}

/* A verb that is running. */
struct invocation {
    const struct verb *verb;
    int argc; /* what follows the verb on the command line */
    char *const *argv;
    struct common common;
    struct routing routing;
    struct cw_flit_how flits;            /* of verbs that simulate flits */
    void *values;                        /* the verb's own options */
    struct cw_arguments arguments;       /* what was given */
    struct configuration *configuration; /* what was not, and has a default of the user's */
    const char *const *positional;       /* its own */
    size_t n_positional;
    struct cw_result *result;          /* the verb fills it, the program writes it */
    struct cw_page_more more;          /* for pages, from verbs that have some */
    const char *page;                  /* a page that a verb has as its own file, beside that of --html; NULL: none */
    const struct program_ranks *ranks; /* that run it together; NULL: this process alone */
    char *const *command; /* what to run, ended by NULL, of verbs that run something; NULL: none was given */
    int status;           /* ... and its exit status */
    bool failed;          /* the result is complete and says that something is wrong: exit 1 */
    bool unsteady;        /* a mean lacks its interval because of a trend, which is said */
};

/* What a verb simulates flit by flit. */
enum flit_use { FLITS_NO, FLITS_OF_PLANS, FLITS_OF_LOADS };

/* Who draws what --plot asks for, after the verb has run: nobody, the program what the result declares as its figures,
 * or the verb itself. */
enum pictures { PICTURES_NONE, PICTURES_DECLARED, PICTURES_OWN };

/* What goes to the store of --store: nothing; the result, which the program puts there, or takes from there instead of
 * running the verb; or figures, which the verb puts there as it has them. */
enum stores { STORES_NOTHING, STORES_RESULT, STORES_FIGURES };

/* An option that a verb has no more, and the command that replaces it. */
struct moved_option {
    const char *name, *to;
};

struct verb {
    const char *name;
    const char *help;                  /* one sentence */
    const struct cw_option *arguments; /* positional ones; NULL: none */
    const char *description;           /* paragraphs for --help and the man page */
    const char *examples;              /* lines of shell */
    const struct cw_option *options;   /* NULL: none of its own */
    size_t size;
    const struct moved_option *moved; /* ended by a NULL; NULL: none */
    bool command;                     /* takes a command behind "--" */
    bool ranks;                       /* is about MPI ranks: a verb of crosswind-mpi alone */
    bool computes;                    /* takes the options of struct common; those with `network` do anyway */
    bool network; /* computes something about one: takes the options of struct common but --help, and of struct routing;
                   * those that select routes only if `routes` */
    bool routes;
    bool lft;               /* without `routes`: has --lft among its own options */
    enum pictures pictures; /* takes --plot */
    /* Of those: why what is asked for has no figure; NULL: it has one. Then --plot is refused before the verb runs, as
     * "--plot WHY". Where only files tell, the verb refuses it before it computes anything: invocation_refuse_plot.
     * NULL: all has a figure. */
    const char *(*undrawn)(const struct invocation *invocation);
    enum stores stores;  /* takes --store */
    enum flit_use flits; /* simulates flits: takes options of struct cw_flit_how */
    bool nodes;          /* with `network`: can look into hosts, --nodes */
    bool lids;           /* with `routes` or `lft`: can spread messages over the routes to all LIDs */
    bool lanes;          /* its results depend on the lanes that packets take */
    bool compares;      /* its results are about several networks or routings: the verb says what they have in common */
    bool reports_holes; /* pairs without a route are its result, not an error */
    bool counts_cut_off; /* pairs without a path are 0 in its figures; other verbs leave out who is cut off */
    bool one_route;      /* with `routes` or routes of its own: needs one route a pair, not several ways with shares */
    int (*run)(struct invocation *invocation);
};

extern const struct verb *const verbs[];           /* of the program, which defines it; ended by NULL */
extern const struct cw_registry verb_registry;     /* of them */
extern const char *const result_formats[];         /* names of enum cw_format; ended by NULL */
extern const struct cw_option network_argument[];  /* NETWORK, all that most verbs are about */
extern const struct cw_option about_options[];     /* of struct common: --help and --version, which every verb takes */
extern const struct cw_option common_options[];    /* … and the rest */
extern const struct cw_option plot_options[];      /* … and what `pictures` gives */
extern const struct cw_option store_options[];     /* … and `stores` */
extern const struct cw_option endpoints_options[]; /* of struct routing: what `network` gives */
extern const struct cw_option routing_options[];   /* … what `routes` gives */
extern const struct cw_option levels_options[];    /* … and what either `routes` or `lft` does */
extern const struct cw_option lids_options[];      /* … and what `lids` does */
extern const struct cw_option nodes_options[];     /* … and what `nodes` does */

/* The groups of options a verb takes, own ones first. Returns their number. INVOCATION may be NULL: without values. */
size_t verb_groups(const struct verb *verb, struct invocation *invocation, struct cw_option_group groups[MAX_GROUPS]);

/* Appends what `crosswind NAME --help` shows, or, with ALL, --help=all. */
void verb_describe(const struct verb *verb, bool all, struct cw_text *text);

/* True if the option NAME was given, be it as a default of the user's. */
bool invocation_has(const struct invocation *invocation, const char *name);

/* The same, for who then refuses it, since it means nothing in the company of others: the program runs the verb anew
 * without it, if it is a default. */
bool invocation_refuses(const struct invocation *invocation, const char *name);

/* CW_EUSAGE if one of the options NAMES (ended by NULL) was given: "--NAME WHY". For options that mean nothing in the
 * company of others, and must not be passed over. */
int invocation_refuse(const struct invocation *invocation, const char *const *names, const char *why);

/* CW_EUSAGE if --plot was given: "--plot WHY". */
int invocation_refuse_plot(const struct invocation *invocation, const char *why);

/* Who runs the trials of an invocation: base/trials.h. */
const struct cw_executor *invocation_executor(const struct invocation *invocation);

/* Whether a page is written of the result, with the map that a verb may have made for it. */
static inline bool invocation_has_page(const struct invocation *invocation)
{
    return invocation->common.html || invocation->page;
}

/* Whether figures of the result are drawn or kept: what only they show is left out elsewhere. */
static inline bool invocation_has_figures(const struct invocation *invocation)
{
    return invocation->common.plot || invocation->common.store || invocation->common.format == CW_FORMAT_JSON ||
           invocation_has_page(invocation);
}

/* A progress bar on stderr for an invocation that is not quiet; NULL otherwise. */
struct cw_progress *invocation_progress(const struct invocation *invocation, const char *label, size_t total);

#endif
