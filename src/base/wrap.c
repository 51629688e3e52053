#include <string.h>

#include "base/text.h"

/* Bytes 10xxxxxx continue a UTF-8 character; all others begin one. */
static size_t width_of(const char *bytes, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) width += ((unsigned char)bytes[i] & 0xc0) != 0x80;
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
        cw_text_append(text, word, length);
        column += columns + !first;
        first = false;
        word += length;
    }
}
