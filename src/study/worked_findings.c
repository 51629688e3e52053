/* What the papers say of their worked example, one claim a function. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/worked_example.h"

static enum cw_verdict verdict_of(bool holds)
{
    return holds ? CW_HOLDS : CW_HOLDS_NOT;
}

static unsigned bits_of(unsigned word)
{
    unsigned n = 0;
    for (; word; word &= word - 1) n++;
    return n;
}

/* "each link between level 0 and 1 … serves three endpoints and each link between level 1 and 0 serves exactly two" */
static int find_balance(const struct cw_worked_example *example, struct cw_findings *findings)
{
    const struct cw_network *net = example->net;
    const uint32_t first_spine = net->n_vertices - 2;
    unsigned least[2] = {99, 99}, greatest[2] = {0, 0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->tail[c]) || cw_network_is_endpoint(net, net->head[c])) continue;
        const bool down = net->tail[c] >= first_spine;
        const unsigned n = bits_of(example->targets[c]);
        if (n < least[down]) least[down] = n;
        if (n > greatest[down]) greatest[down] = n;
    }
    const struct cw_finding finding = {
        .figure = "8",
        .claim = "the routing is balanced: a link up serves three endpoints, a link down two",
        .value = NAN,
        .ci95 = NAN,
        .verdict = verdict_of(least[0] == 3 && greatest[0] == 3 && least[1] == 2 && greatest[1] == 2)};
    return cw_findings_add(findings, &finding,
                           "channels up serve %u to %u endpoints, channels down %u to %u; the tables are ours",
                           least[0], greatest[0], least[1], greatest[1]);
}

static int find_free(const struct cw_worked_example *example, struct cw_findings *findings)
{
    uint32_t greatest = 0;
    for (uint32_t level = 0; level < CW_WORKED_LEVELS; level++)
        for (uint32_t c = 0; c < CW_WORKED_CHANNELS; c++)
            if (example->application[level][c] > greatest) greatest = example->application[level][c];
    const struct cw_finding finding = {.figure = "8",
                                       .claim = "the tree alone is free of congestion and takes 3",
                                       .quantity = "time without perturbation",
                                       .value = example->replay.times.clean,
                                       .ci95 = NAN,
                                       .verdict = verdict_of(greatest == 1 && example->replay.times.clean == 3)};
    return cw_findings_add(findings, &finding, "no channel carries more than %u message of a level; the tree takes %g",
                           greatest, example->replay.times.clean);
}

static const struct cw_worked_message *edge(const struct cw_worked_example *example, uint32_t src, uint32_t dst)
{
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++)
        if (example->messages[i].src == src && example->messages[i].dst == dst) return &example->messages[i];
    return NULL;
}

/* "the communication from process 0 to process 4 … has a maximum congestion of 2 … on the up-link between level 0 and
 * 1"
 */
static int find_level3(const struct cw_worked_example *example, struct cw_findings *findings)
{
    const struct cw_worked_message *message = edge(example, 0, 4);
    const struct cw_network *net = example->net;
    const bool is_up = net->head[message->worst] >= net->n_vertices - 2;
    char name[2 * CW_NAME_SIZE];
    const struct cw_finding finding = {
        .figure = "9",
        .claim = "in level 3 the message from rank 0 to 4 meets a perturbing one on its way up",
        .quantity = "congestion",
        .value = message->perturbed,
        .ci95 = NAN,
        .verdict = verdict_of(message->perturbed == 2 && is_up)};
    return cw_findings_add(findings, &finding, "its congestion is %u, on %s", message->perturbed,
                           cw_network_channel_name(net, message->worst, name, sizeof name));
}

static int find_time(const struct cw_worked_example *example, const struct cw_worked_example *dmodk,
                     struct cw_findings *findings)
{
    static const uint32_t expected[] = {0, 1, 3, 7};
    const struct cw_noise_replay *replay = &example->replay;
    char path[64] = "";
    for (size_t i = 0, at = 0; i < replay->path_length && at < sizeof path; i++)
        at += (size_t)snprintf(path + at, sizeof path - at, "%s%u", i > 0 ? "-" : "", replay->path[i]);
    const bool same = replay->path_length == 4 && memcmp(replay->path, expected, sizeof expected) == 0;
    const struct cw_finding finding = {.figure = "10",
                                       .claim = "the longest path is 0-1-3-7 with a total congestion of 5",
                                       .quantity = "time with perturbation",
                                       .value = replay->times.perturbed,
                                       .ci95 = NAN,
                                       .verdict = verdict_of(same && replay->times.perturbed == 5)};
    return cw_findings_add(findings, &finding,
                           "the longest path is %s and takes %g; the tables decide that: D-mod-k takes %g, %g without "
                           "perturbation",
                           path, replay->times.perturbed, dmodk->replay.times.perturbed, dmodk->replay.times.clean);
}

/* The time of the tree if the edge SRC → DST were not perturbed. */
static uint32_t time_without(const struct cw_worked_example *example, uint32_t src, uint32_t dst)
{
    uint32_t arrival[CW_WORKED_RANKS] = {0}, last = 0;
    for (size_t i = 0; i < CW_WORKED_RANKS - 1; i++) {
        const struct cw_worked_message *message = &example->messages[i];
        const bool spared = message->src == src && message->dst == dst;
        arrival[message->dst] = arrival[message->src] + (spared ? message->clean : message->perturbed);
        if (arrival[message->dst] > last) last = arrival[message->dst];
    }
    return last;
}

static int find_absorption(const struct cw_worked_example *example, struct cw_findings *findings)
{
    const double time = example->replay.times.perturbed;
    const uint32_t absorbed = time_without(example, 0, 4), first = time_without(example, 0, 1),
                   last = time_without(example, 3, 7);
    const struct cw_finding finding = {
        .figure = "10",
        .claim = "the congestion from rank 0 to 4 is absorbed, that from 0 to 1 and from 3 to 7 accumulates",
        .value = NAN,
        .ci95 = NAN,
        .verdict = verdict_of(absorbed == time && first < time && last < time)};
    return cw_findings_add(findings, &finding, "without the first the tree would take %u, without the others %u and %u",
                           absorbed, first, last);
}

int cw_find_worked_example(const struct cw_worked_example *example, const struct cw_worked_example *dmodk,
                           struct cw_findings *findings)
{
    int rc = find_balance(example, findings);
    if (!rc) rc = find_free(example, findings);
    if (!rc) rc = find_level3(example, findings);
    if (!rc) rc = find_time(example, dmodk, findings);
    if (!rc) rc = find_absorption(example, findings);
    return rc;
}
