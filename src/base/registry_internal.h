/*
 * Registries from within: what one is made of, guesses and lists.
 *
 * The array has pointers to descriptors and ends with NULL, or, where `size` is given, the descriptors themselves and
 * ends with one whose name is NULL. It is in the order of help:
 *
 *     const struct cw_method *const cw_methods[] = {&cw_method_default, &cw_method_lp, NULL};
 *     const struct cw_registry cw_method_registry = {
 *         .items = cw_methods,
 *         .near = "no method is called '%s'; did you mean '%s'?",
 *         .none = "no method is called '%s'; there are %s"};
 *
 *     const struct cw_method *method = cw_registry_find(&cw_method_registry, name);
 *     if (!method) return cw_registry_unknown(&cw_method_registry, name);
 *
 * Names are few: everything here looks at all of them.
 */
#ifndef CW_BASE_REGISTRY_INTERNAL_H
#define CW_BASE_REGISTRY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decls.h"
#include "base/registry.h"
#include "base/text.h"

CW_BEGIN_DECLS

struct cw_registry {
    const void *items;             /* the array */
    size_t size;                   /* of a descriptor that is in the array itself; 0: the array has pointers */
    bool (*has)(const void *item); /* which of them; NULL: all */
    /* Other things that are understood in the same place: guesses and lists name them, too, and a name that is in both
     * once. NULL: none. */
    const struct cw_registry *also;
    const char *near; /* message about an unknown name: a format of the name and the nearest one that is known */
    const char *none; /* the message where none is near: a format of the name and the list of all */
    /* Of a registry to which descriptors can be added (cw_registry_add): */
    size_t room;      /* pointers in the array, which is no constant then; the last stays NULL. 0: none can be added */
    size_t item_size; /* of a descriptor */
    const char *kind; /* what one is called in messages: "topology" */
    const char *(*lacks)(
        const void *item); /* what a descriptor must have and lacks: "a function build"; NULL: nothing */
};

#define CW_REGISTRY_ROOM 256 /* for those registries: many more than there are */

/* Lets GUESS try all names. */
void cw_registry_guess(const struct cw_registry *registry, struct cw_guess *guess);

/* The length of the first element of LIST, elements "NAME" or "NAME:parameters" separated by commas, which also
 * separate an element's parameters. After a comma another element begins if the next word is the name of one of
 * REGISTRY, alone or before a ':'; if it has a ':' before any '=', whatever the name; or if the element so far has no
 * parameters. All else is one more parameter. 0: an empty element. */
size_t cw_registry_element(const struct cw_registry *registry, const char *list);

/* Appends all names with SEPARATOR between two. */
void cw_registry_list(const struct cw_registry *registry, const char *separator, struct cw_text *text);

CW_END_DECLS

#endif
