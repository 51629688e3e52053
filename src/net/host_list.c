#include "net/host_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "base/text.h"

#define MOST_BRACKETS 8  /* in a name */
#define MOST_DIGITS   18 /* of a number */

/* A name with the brackets in it that stand for numbers. */
struct item {
    const char *begin, *end;
    struct brackets {
        const char *open, *close; /* at '[' and ']' */
    } brackets[MOST_BRACKETS];
    size_t n;
};

/* Numbers LOW to HIGH, written with at least WIDTH digits. */
struct range {
    uint64_t low, high;
    int width;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* True if the bracket at AT of the name that starts at BEGIN belongs to it. */
static bool is_literal(const char *begin, const char *at)
{
    return at == begin || is_blank(at[-1]);
}

size_t cw_host_list_item(const char *list)
{
    const char *at = list, *begin = list + strspn(list, " \t");
    for (int depth = 0; *at && (*at != ',' || depth > 0); at++) {
        depth += (*at == '(') - (*at == ')');
        const char *close = *at == '[' && !is_literal(begin, at) ? strchr(at, ']') : NULL;
        if (close) at = close;
    }
    return (size_t)(at - list);
}

/* --- one item ----------------------------------------------------------------------------------------------------- */

static int fail_item(const struct item *item, const char *problem)
{
    return cw_fail(CW_EUSAGE, "'%.*s': %s; expected numbers in brackets, such as node[001-064] or node[1-4,7]",
                   (int)(item->end - item->begin), item->begin, problem);
}

/* Reads the digits at *AT, of which *LENGTH get the number. What is wrong, or NULL. */
static const char *read_number(const char **at, const char *end, uint64_t *number, size_t *length)
{
    const char *begin = *at;
    for (*number = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (*at - begin == MOST_DIGITS) return "a number has more than 18 digits";
        *number = *number * 10 + (uint64_t)(**at - '0');
    }
    *length = (size_t)(*at - begin);
    if (*length > 0) return NULL;
    return *at == end || **at == ',' || **at == '-' ? "a number is missing"
                                                    : "other characters than digits, '-' and ','";
}

/* Reads the range at *AT, and the comma behind it. What is wrong, or NULL. */
static const char *read_range(const char **at, const char *end, struct range *range)
{
    size_t low, high;
    const char *begin = *at, *problem = read_number(at, end, &range->low, &low);
    if (problem) return problem;
    range->high = range->low;
    range->width = low > 1 && *begin == '0' ? (int)low : 0;
    if (*at < end && **at == '-') {
        begin = ++*at;
        problem = read_number(at, end, &range->high, &high);
        if (problem) return problem;
        if (high > 1 && *begin == '0' && high != low) return "the numbers of a range are written with different widths";
        if (range->high < range->low) return "a range goes down";
    }
    if (*at == end) return NULL;
    if (**at != ',') return "other characters than digits, '-' and ','";
    return ++*at == end ? "a number is missing" : NULL;
}

/* Adds the brackets at OPEN to ITEM, and multiplies *COUNT by the numbers in them. */
static int add_brackets(struct item *item, const char *open, uint64_t *count)
{
    const char *close = memchr(open, ']', (size_t)(item->end - open)), *at = open + 1, *problem = NULL;
    uint64_t numbers = 0;
    if (!close) return fail_item(item, "'[' without ']'");
    if (item->n == MOST_BRACKETS) return fail_item(item, "more than 8 pairs of brackets");
    do {
        struct range range = {0};
        problem = read_range(&at, close, &range);
        numbers = cw_saturating_add(numbers, range.high - range.low + 1);
    } while (!problem && at < close);
    if (problem) return fail_item(item, problem);
    item->brackets[item->n++] = (struct brackets){open, close};
    *count = cw_saturating_multiply(*count, numbers);
    return 0;
}

/* The LENGTH bytes at TEXT as an item; *COUNT gets how many names it stands for. */
static int read_item(const char *text, size_t length, struct item *item, uint64_t *count)
{
    const char *begin = text, *end = text + length;
    while (begin < end && is_blank(*begin)) begin++;
    while (begin < end && is_blank(end[-1])) end--;
    *item = (struct item){.begin = begin, .end = end};
    *count = 1;
    int literal = 0; /* brackets that are open */
    for (const char *at = begin; at < end; at++) {
        if (*at == '[' && is_literal(begin, at)) {
            literal++;
        } else if (*at == '[') {
            const int rc = add_brackets(item, at, count);
            if (rc) return rc;
            at = item->brackets[item->n - 1].close;
        } else if (*at == ']' && literal-- == 0) {
            return fail_item(item, "']' without '['");
        }
    }
    return 0;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

struct expansion {
    cw_host_list_take *take;
    void *context;
    struct cw_text name;
    uint64_t names; /* so far */
};

/* Takes all names that begin with what EXPANSION has, which is ITEM up to its brackets K. */
static int expand(struct expansion *expansion, const struct item *item, size_t k)
{
    struct cw_text *name = &expansion->name;
    const char *from = k == 0 ? item->begin : item->brackets[k - 1].close + 1;
    const char *to = k == item->n ? item->end : item->brackets[k].open;
    cw_text_append(name, from, (size_t)(to - from));
    int rc = cw_text_check(name);
    if (k == item->n) return rc ? rc : expansion->take(expansion->context, name->data, true);
    const size_t length = name->length;
    for (const char *at = item->brackets[k].open + 1; !rc && at < item->brackets[k].close;) {
        struct range range;
        read_range(&at, item->brackets[k].close, &range);
        for (uint64_t number = range.low; !rc && number <= range.high; number++) {
            name->length = length;
            cw_text_printf(name, "%0*" PRIu64, range.width, number);
            rc = expand(expansion, item, k + 1);
        }
    }
    return rc;
}

/* Takes the item of LENGTH bytes at TEXT, as it stands or expanded. */
static int take_item(struct expansion *expansion, const char *text, size_t length)
{
    struct item item;
    uint64_t count;
    const int fault = read_item(text, length, &item, &count);
    const bool plain = !fault && item.n == 0;
    if (item.begin == item.end) return cw_fail(CW_EUSAGE, "an empty name; expected names with commas between them");
    expansion->name.length = 0;
    cw_text_append(&expansion->name, item.begin, (size_t)(item.end - item.begin));
    int rc = cw_text_check(&expansion->name);
    if (!rc) rc = expansion->take(expansion->context, expansion->name.data, plain);
    if (rc != CW_HOST_UNKNOWN) return rc;
    rc = read_item(text, length, &item, &count); /* says again what is wrong */
    if (rc) return rc;
    expansion->names = cw_saturating_add(expansion->names, count);
    if (expansion->names > CW_HOST_LIST_LIMIT)
        return cw_fail(CW_EUSAGE, "'%.*s': more than %u names", (int)length, text, CW_HOST_LIST_LIMIT);
    expansion->name.length = 0;
    return expand(expansion, &item, 0);
}

int cw_host_list_each(const char *list, cw_host_list_take *take, void *context)
{
    struct expansion expansion = {.take = take, .context = context};
    const size_t whole = strlen(list);
    const bool several = cw_host_list_item(list) < whole;
    const bool padded = whole > 0 && (is_blank(list[0]) || is_blank(list[whole - 1]));
    int rc = several || padded ? take(context, list, false) : CW_HOST_UNKNOWN;
    if (rc != CW_HOST_UNKNOWN) return rc;
    for (bool more = true; more; list++) {
        const size_t length = cw_host_list_item(list);
        rc = take_item(&expansion, list, length);
        list += length;
        more = !rc && *list == ',';
    }
    cw_text_free(&expansion.name);
    return rc;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* A name as what stands before its number, and the number: as many of the digits at its end as a number may have. */
struct numbered {
    const char *name;
    size_t prefix; /* bytes; the whole name if it has no number that could stand in brackets */
    uint64_t number;
    int width; /* as of a range */
};

static struct numbered number_of(const char *name)
{
    const size_t length = strlen(name);
    size_t prefix = length;
    while (prefix > 0 && length - prefix < MOST_DIGITS && name[prefix - 1] >= '0' && name[prefix - 1] <= '9') prefix--;
    if (prefix == 0 || is_blank(name[prefix - 1])) prefix = length; /* brackets there would be part of the name */
    const size_t digits = length - prefix;
    const int width = digits > 1 && name[prefix] == '0' ? (int)digits : 0;
    return (struct numbered){name, prefix, digits > 0 ? strtoull(name + prefix, NULL, 10) : 0, width};
}

/* Whether the number of NEXT is that of LAST and 1, in a range that begins with digits as FIRST has them. */
static bool continues(const struct numbered *first, const struct numbered *last, const struct numbered *next)
{
    char digits[MOST_DIGITS + 2];
    snprintf(digits, sizeof digits, "%0*" PRIu64, first->width, last->number + 1);
    return strcmp(digits, next->name + next->prefix) == 0;
}

static bool share_brackets(const struct numbered *a, const struct numbered *b)
{
    return a->name[a->prefix] && b->name[b->prefix] && a->prefix == b->prefix &&
           memcmp(a->name, b->name, a->prefix) == 0;
}

void cw_host_list_write(const char *const *names, size_t n, struct cw_text *list)
{
    for (size_t i = 0, end; i < n; i = end) {
        const struct numbered head = number_of(names[i]);
        struct numbered first = head, last = head, next = head;
        for (end = i + 1; end < n && (next = number_of(names[end]), share_brackets(&head, &next));) end++;
        if (i > 0) cw_text_add(list, ",");
        if (end == i + 1) {
            cw_text_add(list, names[i]);
            continue;
        }
        cw_text_append(list, head.name, head.prefix);
        for (size_t k = i + 1; k <= end; k++) {
            if (k < end) next = number_of(names[k]);
            const bool more = k < end && continues(&first, &last, &next);
            if (more) {
                last = next;
                continue;
            }
            cw_text_printf(list, "%s%s", first.name == head.name ? "[" : ",", first.name + first.prefix);
            if (last.name != first.name) cw_text_printf(list, "-%s", last.name + last.prefix);
            first = last = next;
        }
        cw_text_add(list, "]");
    }
}
