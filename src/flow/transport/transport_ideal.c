/*
 * Relays that cost nothing but what no relay can do without: a chunk is sent on once all of it is there, from a buffer
 * that is free again when that is done. Channels have their capacity, and chunks that meet on one share it, by pieces.
 * Nothing is fitted or assumed of a machine: it is the default where no other set was made for the network, so that no
 * plan promises what its hottest channel would allow but its relays do not. A relay has room for two chunks of a path,
 * so that one comes in while another leaves; with one alone each path moves at half the speed of its channels.
 */
#include "flow/transport/transport_set.h"

const struct cw_transport_set cw_transport_set_ideal = {
    .name = "ideal",
    .help =
        "relays that cost nothing but storing whole chunks, on channels at full capacity. Default where no other set "
        "is made for the network: machines are slower",
    .note =
        "The cost of relaying on this network is not known. Only the storing of whole chunks is counted, so plans "
        "that relay will take longer than predicted. --transport NAME (crosswind help transports) or FILE gives the "
        "costs; --model flits simulates every flit, and --model flows, for what is too large for that, how paths "
        "share channels in time.",
    .transport = {.chunk_bytes = 65536, .credits = 2, .order = CW_ORDER_LOCAL_FIRST, .efficiency = 1, .pieces = 8}};
