#include <string.h>

#include "base/text.h"

size_t cw_text_control(const char *string)
{
    const unsigned char a = (unsigned char)string[0], b = a ? (unsigned char)string[1] : 0;
    if ((a > 0 && a < 0x20) || a == 0x7f) return 1;
    return a == 0xc2 && b >= 0x80 && b < 0xa0 ? 2 : 0; /* U+0080 to U+009F */
}

void cw_text_add_visible(struct cw_text *text, const char *string, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t control = cw_text_control(string + i);
        if (control == 0) cw_text_append(text, string + i, 1);
        for (size_t k = 0; k < control; k++) cw_text_printf(text, "\\x%02x", (unsigned char)string[i + k]);
        i += control > 0 ? control : 1;
    }
}

/* Bytes 10xxxxxx continue a UTF-8 character; all others begin one. */
static size_t width_of(const char *bytes, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length;) {
        const size_t control = cw_text_control(bytes + i);
        width += control > 0 ? 4 * control : ((unsigned char)bytes[i] & 0xc0) != 0x80;
        i += control > 0 ? control : 1;
    }
    return width;
}

size_t cw_text_width(const char *string)
{
    return width_of(string, strlen(string));
}

void cw_text_wrap(struct cw_text *text, const char *string, size_t column, size_t indent, size_t width)
{
    static const char blanks[] = " \t\n";
    bool first = true; /* the next word begins a line: no blank before it */
    for (const char *word = string + strspn(string, blanks); *word; word += strspn(word, blanks)) {
        const size_t length = strcspn(word, blanks), columns = width_of(word, length);
        if (!first && column + 1 + columns > width) {
            cw_text_printf(text, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        if (!first) cw_text_append(text, " ", 1);
        cw_text_add_visible(text, word, length);
        column += columns + !first;
        first = false;
        word += length;
    }
}
