/* The figures of `reproduce noise` that show one example: the time-lines, and the worked example. */
#ifndef CW_CLI_NOISE_DRAWINGS_H
#define CW_CLI_NOISE_DRAWINGS_H

#include "study/papers/worked_example.h"

/* noise-fig1.csv and noise-fig1.svg. */
int noise_draw_time_lines(const struct cw_time_line lines[CW_TIME_LINES], const char *directory);

/* noise-fig7.svg: the tree; noise-fig8-levelN.svg: the network at each level; noise-fig9-levelN.svg: the same
 * perturbed; noise-fig10.svg: the tree with its congestion; and noise-fig8-9.csv: every channel, noise-fig10.csv: every
 * message. */
int noise_draw_worked_example(const struct cw_worked_example *example, const char *directory);

#endif
