/*
 * Pages: results as one HTML file that a browser shows without a network. A page is the application of web/, which the
 * build puts into the program, and behind it the documents, each the JSON of a result (doc/formats/results.md). Nothing
 * that a document holds can end the element it stands in.
 */
#ifndef CW_REPORT_PAGE_H
#define CW_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* Whether PATH ends as pages do: .html or .htm. */
bool cw_page_is_name(const char *path);

/* 0, or CW_EIO if this program was built without the application: before long work. */
int cw_page_check(void);

/* Appends what a page begins with. The same errors. */
int cw_page_begin(struct cw_text *page);

/* JSON, too; each is empty where a result has none. */
struct cw_page_more {
    struct cw_text map; /* of its network (cli/map/map_page.h) */
    /* Experiments that were repeated, each {"name", "source", "figures"}; a figure is {"title", "claims": [{"figure",
     * "claim", "holds", "correction", "found"}], "pictures": [{"name", "svg"}]}. */
    struct cw_text experiments;
};

/* Appends a result: the LENGTH bytes of UTF-8 at JSON. SOURCE is the file they are from, as readers know it; NULL:
 * none, the result is that of the run. MORE is what it has beside that. */
void cw_page_add(struct cw_text *page, const char *source, const struct cw_page_more *more, const char *json,
                 size_t length);

/* Whether the LENGTH bytes at JSON are a result in the form of --format json: 0, CW_EPARSE with FILE and what was
 * expected of it, or CW_ENOMEM. */
int cw_page_check_document(const char *file, const char *json, size_t length);

CW_END_DECLS

#endif
