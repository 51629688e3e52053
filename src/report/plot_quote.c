#include "report/plot_quote.h"

#include <stdint.h>

/* The bytes of the UTF-8 character at BYTES (not 0) and its code point, or 0 if there is none. */
static size_t decode(const unsigned char *bytes, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = bytes[0];
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0) return 0;
    uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (bytes[i] >> 6 != 2) return 0; /* the 0 at the end, too */
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
    *code = value;
    return length;
}

static void add_escaped(struct cw_text *script, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    while (*at) {
        uint32_t code = 0;
        const size_t length = decode(at, &code);
        if (length == 0 || code == 0xfffe || code == 0xffff)
            cw_text_add(script, "?");
        else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            cw_text_add(script, " ");
        else if (code == '\'')
            cw_text_add(script, "''");
        else
            cw_text_append(script, (const char *)at, length);
        at += length > 0 ? length : 1;
    }
}

void cw_plot_quote(struct cw_text *script, const char *label, const char *unit)
{
    cw_text_add(script, "'");
    add_escaped(script, label);
    if (unit) {
        cw_text_add(script, *label ? " [" : "[");
        add_escaped(script, unit);
        cw_text_add(script, "]");
    }
    cw_text_add(script, "'");
}
