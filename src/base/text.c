#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Makes room for LENGTH more bytes and a 0; false if there is no memory. */
static bool reserve(struct cw_text *text, size_t length)
{
    if (text->failed) return false;
    size_t needed;
    void *data = text->data;
    if (__builtin_add_overflow(text->length, length, &needed) || __builtin_add_overflow(needed, 1, &needed) ||
        cw_grow_array(&data, &text->capacity, needed, 1, "text")) {
        text->failed = true;
        return false;
    }
    text->data = data;
    return true;
}

void cw_text_append(struct cw_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length)) return;
    if (length > 0) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void cw_text_add(struct cw_text *text, const char *string)
{
    cw_text_append(text, string, strlen(string));
}

void cw_text_printf(struct cw_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char small[256]; /* most pieces are short: one formatting is enough for them */
    const int length = vsnprintf(small, sizeof small, format, arguments);
    if (length < 0) {
        text->failed = true;
    } else if ((size_t)length < sizeof small) {
        cw_text_append(text, small, (size_t)length);
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

int cw_text_check(const struct cw_text *text)
{
    return text->failed ? cw_fail(CW_ENOMEM, "out of memory for text, after %zu bytes", text->length) : 0;
}

void cw_text_free(struct cw_text *text)
{
    if (!text) return;
    free(text->data);
    *text = (struct cw_text){0};
}

char *cw_next_word(char **rest)
{
    static const char blanks[] = " \t\n\v\f\r";
    char *word = *rest + strspn(*rest, blanks);
    if (!*word) return NULL;
    *rest = word + strcspn(word, blanks);
    if (**rest) *(*rest)++ = 0;
    return word;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares the runs of digits at *A and *B by value, whatever their length, and moves behind them. */
static int compare_runs(const char **a, const char **b)
{
    while (**a == '0') ++*a;
    while (**b == '0') ++*b;
    size_t length_a = 0, length_b = 0;
    while (is_digit((*a)[length_a])) length_a++;
    while (is_digit((*b)[length_b])) length_b++;
    if (length_a != length_b) return length_a < length_b ? -1 : 1;
    const int order = memcmp(*a, *b, length_a);
    *a += length_a;
    *b += length_b;
    return order;
}

int cw_natural_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;
    for (;;) {
        if (is_digit(*p) && is_digit(*q)) {
            const int order = compare_runs(&p, &q);
            if (order != 0) return order;
        } else if (*p != *q) {
            return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
        } else if (*p == '\0') {
            return strcmp(a, b); /* same values, but perhaps leading zeros: "n01" is not "n1" */
        } else {
            p++;
            q++;
        }
    }
}

#define NAME_MAX_LENGTH 64

/* Edits (insert, delete, replace, swap neighbours: optimal string alignment) that turn A into B; case is ignored. */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t rows[3][NAME_MAX_LENGTH + 1]; /* the last three rows of the dynamic programme */
    for (size_t j = 0; j <= length_b; j++) rows[0][j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            size_t best = above[j - 1] + (x != y);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]) &&
                above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[length_a % 3][length_b];
}

struct cw_guess cw_guess_of(const char *wanted)
{
    return (struct cw_guess){wanted, NULL, NAME_MAX_LENGTH};
}

void cw_guess_try(struct cw_guess *guess, const char *candidate)
{
    const size_t length = strlen(guess->wanted), other = strlen(candidate);
    if (length > NAME_MAX_LENGTH || other > NAME_MAX_LENGTH) return;
    const size_t limit = 2 * (length > other ? length : other) / 5; /* more than 2 in 5 wrong: another word */
    const size_t edits = edit_distance(guess->wanted, length, candidate, other);
    if (edits > limit || edits >= guess->edits) return;
    guess->edits = edits;
    guess->nearest = candidate;
}

const char *cw_nearest(const char *name, const char *const *candidates)
{
    struct cw_guess guess = cw_guess_of(name);
    for (; *candidates; candidates++) cw_guess_try(&guess, *candidates);
    return guess.nearest;
}

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

int cw_list_each(const char *list, int (*each)(void *context, const char *item), void *context)
{
    int rc = 0;
    while (!rc && list && *list) {
        const size_t length = strcspn(list, ",");
        char *item = cw_copy_text(list, length);
        rc = item ? each(context, item) : CW_ENOMEM;
        free(item);
        list += length + (list[length] == ',');
    }
    return rc;
}
