/* A network as ibnetdiscover would print it: input for the benchmark of the reader. */
#ifndef BENCH_IBNETDISCOVER_TEXT_H
#define BENCH_IBNETDISCOVER_TEXT_H

#include "base/text.h"
#include "net/network.h"

/* Appends NET, in which every endpoint has one cable. GUIDs and LIDs are numbered in vertex order; switches stand
 * first, each with its ports, as in a real dump. */
void ibnetdiscover_text(const struct cw_network *net, struct cw_text *text);

#endif
