#include "study/time_line.h"

#include <math.h>

#include "net/network.h"
#include "traffic/schedule.h"

#define PROCESSES CW_TIME_LINE_PROCESSES

static const double computation = 1, latency = 2, gap = 1, interruption = 2, slow = 2;
enum { HIT = 1 }; /* the process that is interrupted, or whose message is slow */

/* Sends MESSAGES, which are in the schedule's order. READY: when a process has its data; FREE: when it may send. */
static void send_all(enum cw_time_line_noise noise, const struct cw_messages *messages, struct cw_time_line *line)
{
    double ready[PROCESSES], free_at[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; p++) ready[p] = free_at[p] = computation;
    for (size_t i = 0; i < messages->n; i++) {
        const uint32_t src = messages->items[i].src, dst = messages->items[i].dst;
        const double sent = fmax(ready[src], free_at[src]);
        const double takes = noise == CW_NETWORK_NOISE && dst == HIT ? slow * latency : latency;
        line->messages[i] = (struct cw_time_line_message){src, dst, sent, sent + takes, sent + latency};
        free_at[src] = sent + gap;
        ready[dst] = sent + takes;
        if (noise == CW_OS_NOISE && dst == HIT) {
            line->interrupted = HIT;
            line->from = ready[dst];
            line->to = ready[dst] += interruption;
        }
    }
    for (uint32_t p = 0; p < PROCESSES; p++) line->finish[p] = fmax(ready[p], free_at[p]);
}

int cw_time_line_run(enum cw_time_line_noise noise, struct cw_time_line *out)
{
    struct cw_schedule *tree;
    struct cw_messages messages = {0};
    uint32_t rounds = 0, blocks;
    int rc = cw_schedule_new("binomial-bcast", &tree);
    if (rc) return rc;
    rc = cw_schedule_plan(tree, PROCESSES, &rounds, &blocks);
    for (uint32_t round = 0; !rc && round < rounds; round++) rc = cw_schedule_round(tree, PROCESSES, round, &messages);
    struct cw_time_line line = {.computed = computation, .interrupted = CW_NONE};
    if (!rc) {
        send_all(noise, &messages, &line);
        *out = line;
    }
    cw_messages_free(&messages);
    cw_schedule_free(tree);
    return rc;
}

/* Both kinds of noise are to cost processes 1 and 3 two slices, and the others nothing. */
static int find_delays(const struct cw_time_line *clean, const struct cw_time_line *noisy, const char *claim,
                       struct cw_findings *findings)
{
    static const double expected[PROCESSES] = {0, 2, 0, 2};
    bool holds = true;
    double late[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; p++) {
        late[p] = noisy->finish[p] - clean->finish[p];
        holds = holds && late[p] == expected[p];
    }
    const struct cw_finding finding = {.figure = "1",
                                       .claim = claim,
                                       .quantity = "slices by which rank 4 is late",
                                       .value = late[3],
                                       .ci95 = NAN,
                                       .verdict = holds ? CW_HOLDS : CW_HOLDS_NOT};
    return cw_findings_add(findings, &finding, "ranks 1 to 4 finish %g, %g, %g and %g slices later than without noise",
                           late[0], late[1], late[2], late[3]);
}

int cw_find_time_lines(const struct cw_time_line lines[CW_TIME_LINES], struct cw_findings *findings)
{
    const int rc = find_delays(&lines[CW_NOISELESS], &lines[CW_OS_NOISE],
                               "operating-system noise on rank 2 makes ranks 2 and 4 finish 2 slices later", findings);
    if (rc) return rc;
    return find_delays(&lines[CW_NOISELESS], &lines[CW_NETWORK_NOISE],
                       "congestion on the message to rank 2 makes ranks 2 and 4 receive their data 2 slices later",
                       findings);
}
