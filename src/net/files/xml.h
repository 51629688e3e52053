/*
 * XML, by expat: elements as they begin and end, with their lines. Not installed.
 *
 * Entities other than those of XML itself are refused where they are declared, so that none grows beyond measure; what
 * a DOCTYPE names is not fetched.
 */
#ifndef CW_NET_XML_H
#define CW_NET_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

/* A function that is given CONTEXT and LINE returns 0, or an error that ends the reading. Texts are there until it
 * returns. */
struct cw_xml_handlers {
    /* TEXT: the characters since the last begin or end of any element, without blanks around them. ATTRIBUTES: names
     * and values in turn, ended by NULL. */
    int (*begin)(void *context, unsigned long line, const char *element, const char *text,
                 const char *const *attributes);
    int (*end)(void *context, unsigned long line, const char *element, const char *text);
};

/* Reads the LENGTH bytes at DATA of FILE. */
int cw_xml_read(const char *file, const char *data, size_t length, const struct cw_xml_handlers *handlers,
                void *context);

/* The value of the attribute NAME, or NULL. */
const char *cw_xml_attribute(const char *const *attributes, const char *name);

/* True if the first element of the LENGTH bytes at DATA is ELEMENT. */
bool cw_xml_is(const char *data, size_t length, const char *element);

/* Appends STRING as XML has it between tags or quotes. Control characters, which it does not have, become blanks, and
 * bytes that are not UTF-8 U+FFFD. */
void cw_xml_add(struct cw_text *text, const char *string);

CW_END_DECLS

#endif
