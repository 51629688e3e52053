/*
 * InfiniBand link rates: what "4xQDR" is in bytes of data a second.
 *
 * A link is 1, 2, 4, 8 or 12 lanes. Generations differ in the signalling rate of a lane and in the line code, which
 * takes its share: 8b/10b for SDR, DDR and QDR; 64b/66b for FDR10, FDR and EDR; 256b/257b with the Reed-Solomon code
 * RS(544,514) from HDR on. What remains for packets is the capacity here. Source: InfiniBand Architecture
 * Specification, volume 1 (link speeds) and volume 2 (line codes); FDR10 is Mellanox's own, 10.3125 Gbit/s a lane.
 */
#ifndef CW_NET_IB_SPEED_H
#define CW_NET_IB_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Reads the rate that the LENGTH bytes at TEXT begin with: "4xQDR", "4X QDR", "4x 2.5 Gbps" (the signalling rate of a
 * lane), "QDR" or "2.5 Gbps" (one lane). *CAPACITY is in byte/s of data, or 0 where the tool printed '?' because it
 * did not know. Returns the number of bytes read, 0 if TEXT begins with no rate (and *CAPACITY is left alone). */
size_t cw_ib_rate_read(const char *text, size_t length, double *capacity);

/* The rate of exactly CAPACITY byte/s as "4xQDR", four lanes preferred. False if there is none. */
bool cw_ib_rate_name(double capacity, char *name, size_t size);

/* All rates of exactly CAPACITY byte/s, "4xSDR, 1xQDR": which of them a link has its capacity does not tell. Those of 8
 * and 12 lanes, which are rare, only where there is no other. Returns how many they are. */
size_t cw_ib_rate_names(double capacity, char *names, size_t size);

CW_END_DECLS

#endif
