/*
 * Text in SVG: taken literally, whatever it holds. Markup is escaped, bytes that are not UTF-8 become U+FFFD, control
 * characters blanks.
 */
#ifndef CW_REPORT_SVG_TEXT_H
#define CW_REPORT_SVG_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* Appends STRING as character data: at most MOST letters (SIZE_MAX: all), of longer ones the middle is left out, for
 * what tells names apart is most often at their end. */
void cw_svg_add_text(struct cw_text *svg, const char *string, size_t most);

/* Appends it as what is shown where a pointer rests on the element that it is in. */
void cw_svg_add_title(struct cw_text *svg, const char *title);

/* Appends it as an element of the classes STYLE (separated by blanks) at X and Y, in pixels. */
void cw_svg_add_label(struct cw_text *svg, double x, double y, const char *style, const char *label, size_t most);

CW_END_DECLS

#endif
