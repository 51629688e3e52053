#include "study/papers/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

const char *const cw_verdict_names[] = {"yes", "in part", "no", "not tested"};

int cw_findings_add(struct cw_findings *findings, const struct cw_finding *finding, const char *format, ...)
{
    void *items = findings->items;
    const int rc = cw_grow_array(&items, &findings->capacity, findings->n + 1, sizeof *findings->items, "findings");
    if (rc) return rc;
    findings->items = items;
    struct cw_finding *added = &findings->items[findings->n++];
    *added = *finding;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(added->found, sizeof added->found, format, arguments);
    va_end(arguments);
    return 0;
}

void cw_findings_free(struct cw_findings *findings)
{
    free(findings->items);
    *findings = (struct cw_findings){0};
}
