/*
 * Arrays whose size cannot overflow. All memory of the library comes from here and is given back with free().
 */
#ifndef CW_BASE_MEMORY_H
#define CW_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* N items of SIZE bytes, zeroed; WHAT names them in the error message. NULL after cw_fail_memory.
 * A request for 0 items succeeds and gives a pointer that may be freed. */
void *cw_new_array(size_t n, size_t size, const char *what);

/* BYTES, zeroed, on pages of their own, for what one thread writes all the time: processors fetch more of a page than
 * is asked for, and what another one writes there would be fetched in vain again and again. */
void *cw_new_pages(size_t bytes, const char *what);

/* Asks the system for large pages for the BYTES at ITEMS, which will be used all over: their addresses are then found
 * sooner. A wish, and none for less than a few large pages. */
void cw_use_large_pages(void *items, size_t bytes);

/* Grows *ITEMS (of *CAPACITY items) so that it holds at least NEEDED; at least doubles. Items beyond the old
 * capacity are not initialised. 0 or CW_ENOMEM, and then nothing has changed. */
int cw_grow_array(void **items, size_t *capacity, size_t needed, size_t size, const char *what);

/* The bytes that Linux says can be had without swapping, or UINT64_MAX if it does not say: what is certain to need more
 * is refused before it is allocated. */
uint64_t cw_memory_available(void);

/* A copy of the LENGTH bytes at TEXT, with a 0 after them. NULL after cw_fail_memory. */
char *cw_copy_text(const char *text, size_t length);

CW_END_DECLS

#endif
