#include "base/files/stray_lines.h"

#include <string.h>

#include "base/input.h"

static bool begins(const char *line, size_t length, const char *with)
{
    const size_t n = strlen(with);
    return length >= n && memcmp(line, with, n) == 0;
}

/* "src/query_smp.c:228; ": the place in a source file, as libibnetdisc says it. */
static bool is_place(const char *line, size_t length)
{
    const char *end = line + length, *colon = memmem(line, length, ".c:", 3);
    if (!colon || memchr(line, ' ', (size_t)(colon - line))) return false;
    const char *digit = colon + 3;
    while (digit < end && *digit >= '0' && *digit <= '9') digit++;
    return digit > colon + 3 && digit < end && *digit == ';';
}

static bool is_error(const char *line, size_t length)
{
    return begins(line, length, "ibwarn: [") || begins(line, length, "iberror: ") || is_place(line, length);
}

/* "[root@node ~]# " and "root@node:~# ". */
static bool is_prompt(const char *line, size_t length)
{
    const char *at = memchr(line, '@', length);
    if (!at) return false;
    if (line[0] == '[') return length > 1 && line[1] > '9';
    const size_t rest = (size_t)(line + length - at);
    const char *colon = memchr(at, ':', rest), *blank = memchr(line, ' ', length);
    if (!colon || (blank && blank < colon)) return false;
    const size_t behind = (size_t)(line + length - colon);
    return memmem(colon, behind, "# ", 2) || memmem(colon, behind, "$ ", 2) || line[length - 1] == '#' ||
           line[length - 1] == '$';
}

bool cw_is_stray(const char *line, size_t length)
{
    static const char *const others[] = {"[sudo] ", "Script started on ", "Script done on ", "```"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(line, length, others[i])) return true;
    return length > 0 && (is_error(line, length) || is_prompt(line, length));
}

void cw_stray_lines_add(struct cw_stray_lines *strays, const char *line, size_t length, unsigned long number)
{
    if (strays->n++ == 0) strays->first = number;
    if (length > 0 && is_error(line, length)) strays->errors++;
}

void cw_stray_lines_remark(const struct cw_stray_lines *strays, const char *file, const char *what)
{
    static const char passed[] = "%lu line%s no part of the %s, the first here: passed over.";
    static const char failed[] = "%lu line%s no part of the %s, the first here: passed over. %lu %s of the tool that "
                                 "wrote it: what it could not reach is missing here.";
    const char *are = strays->n == 1 ? " is" : "s are";
    if (strays->errors > 0)
        cw_inputs_remark(file, strays->first, failed, strays->n, are, what, strays->errors,
                         strays->errors == 1 ? "is an error or warning" : "are errors or warnings");
    else if (strays->n > 0)
        cw_inputs_remark(file, strays->first, passed, strays->n, are, what);
}
