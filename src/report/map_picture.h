/*
 * A drawing of a network as SVG or JSON: boxes, and lines between them that are coloured by load. It knows nothing of
 * networks: whoever has one says what stands where (topo/layout.h) and what is written there.
 *
 * SVG is one file without scripts, for light and dark screens; what a box or line is appears when a pointer rests on
 * it. Labels are left out, or shortened, where they have no room. All text is taken literally.
 *
 * JSON has the same drawing, for programs that show it: {"form", "title", "captions": […], "width", "height",
 * "quantity", "greatest_load", "shades", "boxes": [{"x", "y", "width", "height", "label", "name", "endpoints",
 * "switches", "level", "load", "state"}], "lines": [{"a", "b", "bend", "label", "load", "capacity", "cables", "failed",
 * "slow", "state", "channels": [name, …]}], "panels": […]}. Channels are those from box a to box b, one for each cable.
 * Shades are the loads above which a colour hotter than the one before begins.
 *
 * A picture can show the difference of two states instead: then a load is a change, negative where there is less, and
 * shades are those of its size, red of more and blue of less. JSON has what it is compared with as "against".
 */
#ifndef CW_REPORT_MAP_PICTURE_H
#define CW_REPORT_MAP_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* Lengths are in pixels, x to the right and y downwards, within 0 … width and height. Text is borrowed. */
struct cw_map_box {
    double x, y, width, height;   /* x and y of its middle */
    const char *label, *name;     /* what is written in it, and what is said of it, in full */
    uint32_t endpoints, switches; /* in it */
    uint32_t level;
    uint32_t failed; /* of its switches */
    double load;     /* of the busiest channel between what is in it, or that changes most; NAN: none is */
};

struct cw_map_line {
    uint32_t a, b;
    double bend;      /* how far its middle is off the straight line, to the left of who goes from a to b */
    const char *name; /* what is said of it */
    double load; /* of its busiest channel, or that changes most, in either direction; NAN: it has none that works */
    double capacity;               /* byte/s of all its cables that work, in one direction */
    uint32_t cables, failed, slow; /* all of them, and of these */
};

struct cw_map_panel {
    double x, y, width, height; /* x and y of its middle; of no size: a word alone */
    const char *label;
};

struct cw_map_picture {
    const char *form, *title;
    const char *const *captions; /* [n_captions] sentences below the drawing */
    size_t n_captions;
    const char *quantity; /* what a load is, with its unit */
    const char *against;  /* the state that loads are changes from; NULL: they are loads */
    double width, height;
    const struct cw_map_box *boxes;
    const struct cw_map_line *lines;
    const struct cw_map_panel *panels;
    size_t n_boxes, n_lines, n_panels;
    /* Writes a load, or the size of a change, as people read it; and the name of the channel of cable I of LINE (NULL:
     * JSON has no channels). Both return BUFFER. */
    const char *(*format_load)(double load, char *buffer, size_t size);
    const char *(*channel_name)(const void *context, size_t line, size_t i, char *buffer, size_t size);
    const void *context;
};

/* The greatest load of a line or box, or size of a change; 0 if there is none. */
double cw_map_greatest_load(const struct cw_map_picture *picture);
/* … of the changes of SIGN, 1 or -1, alone */
double cw_map_greatest(const struct cw_map_picture *picture, double sign);

/* The loads above which lines have colour 1, 2 …; below is the colour of no load. All are 0 where nothing has a load.
 */
#define CW_MAP_SHADES 5
void cw_map_shades(const struct cw_map_picture *picture, double out[CW_MAP_SHADES]);

/* Append it. The same picture gives the same bytes. */
int cw_map_svg(const struct cw_map_picture *picture, struct cw_text *text);
int cw_map_json(const struct cw_map_picture *picture, struct cw_text *text);

/* Writes it to PATH, as its ending says: .svg or .json; others are CW_EUSAGE, which cw_map_check finds early. What ends
 * in .html is a page (report/page.h), which others write. */
int cw_map_check(const char *path);
int cw_map_write(const struct cw_map_picture *picture, const char *path);

CW_END_DECLS

#endif
