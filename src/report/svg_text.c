#include "report/svg_text.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* The LENGTH bytes of STRING, valid UTF-8, as character data of XML, which has no control characters. */
static void add_characters(struct cw_text *svg, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)string[i];
        if (c == '&')
            cw_text_add(svg, "&amp;");
        else if (c == '<')
            cw_text_add(svg, "&lt;");
        else if (c == '>')
            cw_text_add(svg, "&gt;");
        else if (c < ' ' && c != '\n')
            cw_text_add(svg, " ");
        else if (c == 0xef && i + 2 < length && (unsigned char)string[i + 1] == 0xbf &&
                 (unsigned char)string[i + 2] >= 0xbe) { /* U+FFFE and U+FFFF are no characters */
            cw_text_add(svg, "?");
            i += 2;
        } else
            cw_text_append(svg, &string[i], 1);
    }
}

void cw_svg_add_text(struct cw_text *svg, const char *string, size_t most)
{
    json_t *clean = cw_json_string(string);
    const char *valid = clean ? json_string_value(clean) : NULL;
    if (!valid) {
        svg->failed = true;
        json_decref(clean);
        return;
    }
    const size_t letters = cw_text_width(valid), length = strlen(valid);
    if (letters <= most || most < 4) {
        add_characters(svg, valid, letters <= most ? length : 0);
    } else { /* what tells names apart is most often at their end */
        const size_t head = (most - 1) / 3, tail = most - 1 - head;
        size_t n = 0, from = 0, to = length;
        for (size_t i = 0; i < length; i++) {
            if (((unsigned char)valid[i] & 0xc0) == 0x80) continue; /* within a letter */
            if (n == head) from = i;
            if (n == letters - tail) to = i;
            n++;
        }
        add_characters(svg, valid, from);
        cw_text_add(svg, "…");
        add_characters(svg, valid + to, length - to);
    }
    json_decref(clean);
}

void cw_svg_add_title(struct cw_text *svg, const char *title)
{
    cw_text_add(svg, "<title>");
    cw_svg_add_text(svg, title, SIZE_MAX);
    cw_text_add(svg, "</title>");
}

void cw_svg_add_label(struct cw_text *svg, double x, double y, const char *style, const char *label, size_t most)
{
    cw_text_printf(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x, y);
    cw_svg_add_text(svg, label, most);
    cw_text_add(svg, "</text>\n");
}
