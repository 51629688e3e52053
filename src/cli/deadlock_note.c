#include "cli/deadlock_note.h"

#include "net/network_internal.h"

const char *deadlock_verdict(const struct cw_deadlock *deadlock)
{
    if (!deadlock->acyclic) return deadlock->lanes_unknown ? "unknown" : "no";
    return deadlock->sampled || deadlock->first_lids ? "unproven" : "yes";
}

void deadlock_note(struct invocation *invocation, const struct cw_network *net, const struct cw_deadlock *deadlock)
{
    const bool assumed = !net->generated && routing_is_default(&invocation->routing);
    if (deadlock->acyclic && !deadlock->sampled && deadlock->first_lids) {
        cw_result_note(invocation->result,
                       "The routes to the first LID of each endpoint are free of deadlocks: their channel-dependency "
                       "graph over (channel, lane) has no cycle. Those to further LIDs are not looked at, because only "
                       "the service levels of the first LIDs are read.");
        return;
    }
    if (deadlock->acyclic && !deadlock->sampled && deadlock->lanes_unknown) {
        cw_result_note(
            invocation->result,
            "Deadlock-free: the channel-dependency graph has no cycle even if all routes share one lane, so it "
            "has none whatever their service levels are.");
        return;
    }
    if (deadlock->acyclic && !deadlock->sampled) {
        cw_result_note(invocation->result,
                       "Deadlock-free: the channel-dependency graph over (channel, lane) has no cycle.");
        return;
    }
    if (deadlock->acyclic) {
        cw_result_note(invocation->result,
                       "No cycle was found among the dependencies of a sample of the routes. This does not prove that "
                       "the routes are free of deadlock.");
        return;
    }
    struct cw_text cycle = {0};
    char name[512];
    for (uint32_t i = 0; i < deadlock->cycle_length; i++) {
        cw_text_printf(&cycle, "\n  %s", cw_network_channel_name(net, deadlock->cycle[i], name, sizeof name));
        if (!deadlock->lanes_unknown) cw_text_printf(&cycle, " lane %u", (unsigned)deadlock->cycle_lanes[i]);
    }
    if (deadlock->lanes_unknown)
        cw_result_note(
            invocation->result,
            "Whether the routes can deadlock is unknown, because no service levels are given (--path-records "
            "and --sl2vl). If all routes shared one lane, each of these channels could wait for the next, "
            "and the last for the first:%s",
            cycle.data ? cycle.data : "");
    else
        cw_result_note(invocation->result,
                       "%s: each of these channels %s wait for the next, and the last for the first:%s",
                       assumed ? "The routes that are assumed here, not the fabric's own, are not free of deadlocks"
                               : "Not deadlock-free",
                       assumed ? "could" : "can", cycle.data ? cycle.data : "");
    cw_text_free(&cycle);
}
