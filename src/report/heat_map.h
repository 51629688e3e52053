/*
 * A table of numbers as colours: who sends to whom, who slows down whom. Drawn by gnuplot, as figures are
 * (report/plot.h): the script stays beside the picture, and all text is taken literally.
 */
#ifndef CW_REPORT_HEAT_MAP_H
#define CW_REPORT_HEAT_MAP_H

#include <stddef.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

/* Everything is borrowed. */
struct cw_heat_map {
    const char *title;               /* NULL: none */
    const char *row, *column;        /* what rows and columns are; NULL: not said */
    const char *value, *unit;        /* what the numbers are; UNIT may be NULL */
    const char *const *row_names;    /* [rows], from above; NULL: numbers from 0 */
    const char *const *column_names; /* [columns] */
    size_t rows, columns;            /* 1 or more */
    const double *values;            /* [rows · columns]; one that is not finite is left blank */
    double least;                    /* the value of the lightest colour, if no value is less */
};

/* Appends the gnuplot script, which writes SVG to its standard output. Up to 16 rows and columns have their numbers in
 * them. CW_EUSAGE if there is no value to draw. The same map gives the same script. */
int cw_heat_map_script(const struct cw_heat_map *map, struct cw_text *script);

/* As cw_plot_write. */
int cw_heat_map_write(const struct cw_heat_map *map, const char *path);

CW_END_DECLS

#endif
