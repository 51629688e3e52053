#include "route/packets/minimal_share.h"

#define TIE 1e-12 /* relative: times that differ less are equal */

/* A channel's time over the share. */
struct line {
    double valiant, slope;
};

static double value_at(struct line line, double share)
{
    return line.valiant + share * line.slope;
}

static struct line greatest_at(double share, size_t n, const double *valiant, const double *minimal)
{
    struct line greatest = {0, 0};
    for (size_t c = 0; c < n; c++) {
        const struct line line = {valiant[c], minimal[c] - valiant[c]};
        if (value_at(line, share) > value_at(greatest, share)) greatest = line;
    }
    return greatest;
}

/* From the lines at both ends on, the greatest where the two meet takes the place of the one on its side, until there
 * is none above them. A level line is on the left, so that the greatest of several shares is found. */
double cw_minimal_share(size_t n, const double *valiant, const double *minimal)
{
    struct line falling = greatest_at(0, n, valiant, minimal), rising = greatest_at(1, n, valiant, minimal);
    if (falling.slope > 0) return 0;
    if (rising.slope <= 0) return 1;
    for (;;) {
        const double share = (falling.valiant - rising.valiant) / (rising.slope - falling.slope);
        const struct line above = greatest_at(share, n, valiant, minimal);
        if (value_at(above, share) <= value_at(rising, share) * (1 + TIE)) return share;
        if (above.slope > 0)
            rising = above;
        else
            falling = above;
    }
}
