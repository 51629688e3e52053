#include "base/registry_internal.h"

#include <string.h>

#include "base/error.h"

const char *cw_registry_name_of(const void *item)
{
    return *(const char *const *)item;
}

const void *cw_registry_item(const struct cw_registry *registry, size_t i)
{
    const size_t step = registry->size > 0 ? registry->size : sizeof(void *);
    for (const char *at = registry->items;; at += step) {
        const void *item = at;
        if (registry->size == 0) memcpy(&item, at, step); /* whatever the pointers point to, they look alike */
        if (!item || !cw_registry_name_of(item)) return NULL;
        if ((!registry->has || registry->has(item)) && i-- == 0) return item;
    }
}

/* The item whose name is the LENGTH characters at WORD. */
static const void *find_word(const struct cw_registry *registry, const char *word, size_t length)
{
    const void *item;
    for (size_t i = 0; (item = cw_registry_item(registry, i)) != NULL; i++) {
        const char *name = cw_registry_name_of(item);
        if (strlen(name) == length && memcmp(name, word, length) == 0) return item;
    }
    return NULL;
}

const void *cw_registry_find(const struct cw_registry *registry, const char *name)
{
    return find_word(registry, name, strlen(name));
}

size_t cw_registry_element(const struct cw_registry *registry, const char *list)
{
    size_t length = strcspn(list, ",");
    const bool has_parameters = memchr(list, ':', length);
    while (list[length] == ',') {
        const char *word = list + length + 1;
        const size_t name = strcspn(word, ",:=");
        const bool is_value = word[name] == '=', has_own = word[name] == ':';
        if (name == 0 || has_own || (!is_value && (!has_parameters || find_word(registry, word, name)))) break;
        length += 1 + strcspn(word, ",");
    }
    return length;
}

void cw_registry_guess(const struct cw_registry *registry, struct cw_guess *guess)
{
    const void *item;
    for (; registry; registry = registry->also)
        for (size_t i = 0; (item = cw_registry_item(registry, i)) != NULL; i++)
            cw_guess_try(guess, cw_registry_name_of(item));
}

/* True if NAME is in one of the registries from FIRST on that come before REGISTRY. */
static bool is_listed(const struct cw_registry *first, const struct cw_registry *registry, const char *name)
{
    for (; first != registry; first = first->also)
        if (cw_registry_find(first, name)) return true;
    return false;
}

void cw_registry_list(const struct cw_registry *registry, const char *separator, struct cw_text *text)
{
    const void *item;
    const char *before = "";
    for (const struct cw_registry *part = registry; part; part = part->also)
        for (size_t i = 0; (item = cw_registry_item(part, i)) != NULL; i++) {
            const char *name = cw_registry_name_of(item);
            if (is_listed(registry, part, name)) continue;
            cw_text_printf(text, "%s%s", before, name);
            before = separator;
        }
}

int cw_registry_unknown(const struct cw_registry *registry, const char *name)
{
    struct cw_guess guess = cw_guess_of(name);
    cw_registry_guess(registry, &guess);
    if (guess.nearest) return cw_fail(CW_EUSAGE, registry->near, name, guess.nearest);
    struct cw_text all = {0};
    cw_registry_list(registry, ", ", &all);
    int rc = cw_text_check(&all);
    if (!rc) rc = cw_fail(CW_EUSAGE, registry->none, name, all.data ? all.data : "");
    cw_text_free(&all);
    return rc;
}

/* True if NAME can be written wherever names are: in specifications, lists of them, and files. */
static bool is_name(const char *name)
{
    return name && *name >= 'a' && *name <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static int check_addition(const struct cw_registry *registry, const void *item)
{
    const char *name = cw_registry_name_of(item);
    if (!is_name(name))
        return cw_fail(CW_EUSAGE,
                       "%s '%s': expected a name of lower-case letters, digits and '-' that begins with a letter",
                       registry->kind, name ? name : "");
    const char *lacking = registry->lacks(item);
    if (lacking) return cw_fail(CW_EUSAGE, "%s '%s' lacks %s", registry->kind, name, lacking);
    if (is_listed(registry, NULL, name))
        return cw_fail(CW_EUSAGE, "there is a %s '%s' already; expected another name", registry->kind, name);
    return 0;
}

int cw_registry_add(const struct cw_registry *registry, const void *item, unsigned interface, size_t size)
{
    if (registry->room == 0) return cw_fail(CW_EUSAGE, "nothing can be added to this registry");
    if (interface != CW_INTERFACE || size != registry->item_size)
        return cw_fail(
            CW_EUSAGE,
            "a %s was compiled for interface %u (%zu bytes) of Crosswind, and this is %u (%zu bytes); compile it "
            "with the headers of this version",
            registry->kind, interface, size, CW_INTERFACE, registry->item_size);
    const int rc = check_addition(registry, item);
    if (rc) return rc;
    size_t n = 0;
    while (cw_registry_item(registry, n)) n++;
    if (n + 1 >= registry->room)
        return cw_fail(CW_ELIMIT, "there is no room for another %s than %zu", registry->kind, registry->room - 1);
    memcpy((char *)registry->items + n * sizeof item, &item, sizeof item);
    return 0;
}
