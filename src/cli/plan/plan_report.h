/* What `crosswind plan` says of plans: a table with a row for each, and the sentences that say what it means. */
#ifndef CW_CLI_PLAN_REPORT_H
#define CW_CLI_PLAN_REPORT_H

#include "base/result.h"
#include "base/table.h"
#include "flow/anycast/anycast.h"
#include "flow/moves/moves.h"
#include "net/selection.h"
#include "study/move/plan_case.h"

/* SELECTION: the endpoints that take part. */
int plan_report_table(const struct cw_plan_case *made, const struct cw_selection *selection, const char *title,
                      struct cw_table **out);
void plan_report_row(struct cw_table *table, const struct cw_plan_run *run);

/* Demands that were merged or left out. */
void plan_report_demands(struct cw_result *result, const struct cw_plan_case *made);

/* --anycast: reads FILE, of which SELECTION takes part; says what each member takes, and what the CHOICE gains. */
int plan_anycast_read(const struct cw_network *net, const struct cw_selection *selection, const char *file,
                      struct cw_anycast *out);
int plan_report_anycast(struct cw_result *result, const struct cw_network *net, const struct cw_anycast *anycast,
                        const struct cw_anycast_choice *choice);

/* Pairs with fewer paths than were wanted. */
void plan_report_paths(struct cw_result *result, const struct cw_plan_case *made);

/* How the best run compares with the default one, if that is there; what no plan can surpass; the hottest channel,
 * and the bandwidths at its pace; how times were predicted. 0 or CW_ENOMEM. */
int plan_report_meaning(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *runs,
                        size_t n);

/* Writes the bytes of every channel to PATH as CSV, with the context of RESULT. */
int plan_report_channels(const struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *run,
                         const char *path);

/* Which share of the bytes of N runs has arrived by when, as a table and its figure, of those that were predicted. */
int plan_report_arrivals(struct cw_result *result, const struct cw_plan_run *runs, const struct cw_arrivals *arrivals,
                         size_t n);

/* The same of the channels that RUN keeps busy longest. */
int plan_report_busiest(struct cw_result *result, const struct cw_plan_case *made, const struct cw_plan_run *run);

/* --- moves: what each rank does to carry a plan out --------------------------------------------------------------- */

/* MOVES of RUN, with what was predicted of them and, with OWN, of the network's own routes. Free with cw_moves_free. */
int plan_make_moves(struct cw_plan_case *made, const struct cw_plan_run *run, bool own, struct cw_moves *moves);

/* Says where flows on the network of ROUTES (study/jobs/flit_moves_case.h) contradict what was predicted of RUN without
 * knowing what relays cost; very many paths are not asked for. */
int plan_doubt(struct cw_result *result, struct cw_plan_case *made, const struct cw_plan_run *run,
               const struct cw_routes *routes);

/* Writes MOVES on NET to FILE and notes in RESULT what EXPLAIN, "all" or names of endpoints separated by commas, do.
 * Either may be NULL. */
int plan_moves(struct cw_result *result, const struct cw_network *net, const struct cw_moves *moves, const char *file,
               const char *explain);

#endif
