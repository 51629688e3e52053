/*
 * Typed option tables: one table a verb, or a thing with parameters (a topology, an engine, a pattern, ...), from which
 * parsing, range checks, --help, man pages and shell completion all come.
 *
 * A table is an array of cw_option ended by an entry whose name is NULL; each entry stores its value at `offset` in
 * a structure of the owner's (like FFmpeg's AVOption). Parameters are written after the owner's name
 * (dragonfly:8,16,8,g=33): values without a name fill the options marked `positional`, in the table's order.
 *
 *     struct torus { struct cw_ints k; bool doubled; };
 *     static const struct cw_option options[] = {
 *         {.name = "k", .type = CW_OPTION_DIMENSIONS, .offset = offsetof(struct torus, k), .positional = true, …},
 *         {.name = NULL}};
 *
 * Whoever owns the table gets the structure filled, and never frees what is in it.
 */
#ifndef CW_BASE_PARAMETERS_H
#define CW_BASE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/registry.h"

CW_BEGIN_DECLS

/* Arrays of numbers, owned by the values that they are part of. */
struct cw_reals {
    double *values;
    size_t n;
};
struct cw_ints {
    int64_t *values;
    size_t n;
};
struct cw_sizes {
    uint64_t *values;
    size_t n;
};

enum cw_option_type {
    CW_OPTION_FLAG,         /* bool; present, or =yes, =no */
    CW_OPTION_INT,          /* int64_t */
    CW_OPTION_REAL,         /* double */
    CW_OPTION_BYTES,        /* uint64_t */
    CW_OPTION_RATE,         /* double, byte/s */
    CW_OPTION_TIME,         /* double, s */
    CW_OPTION_BYTE_TIME,    /* double, s/byte */
    CW_OPTION_TEXT,         /* char *, owned by the values; NULL where there is no default */
    CW_OPTION_INPUT,        /* the same: a file that will be read, "-", or one of `choices`, or what `names` names */
    CW_OPTION_INPUTS,       /* the same: several files that will be read, with ',' or ':' between two */
    CW_OPTION_OUTPUT,       /* the same: a file that will be written */
    CW_OPTION_NAMED_OUTPUT, /* the same: "NAME:FILE", a file that will be written in the form NAME of `names` */
    CW_OPTION_DIRECTORY,    /* the same: where files will be written */
    CW_OPTION_CHOICE,       /* int: index into choices, or of the item of `names` */
    CW_OPTION_REALS,        /* struct cw_reals, owned */
    CW_OPTION_SIZES,        /* struct cw_sizes, owned */
    CW_OPTION_INTS,         /* struct cw_ints, owned; "4,8,2" on a command line, "4x8x2" also understood */
    CW_OPTION_DIMENSIONS    /* struct cw_ints, owned; written 10x10x4 */
};

struct cw_option {
    const char *name; /* without dashes, e.g. "ratio" */
    char letter;      /* of a flag: "-h" is the same as "--help"; 0: there is none */
    enum cw_option_type type;
    size_t offset;              /* of the value in the owner's structure */
    const char *value_name;     /* shown in help: "R[,R…]", "FILE"; NULL: one by type */
    const char *default_text;   /* as the user would write it; NULL: zero, false, empty or NULL */
    double min, max;            /* inclusive limits of numbers and of each list item; both 0: no limits */
    const char *const *choices; /* CW_OPTION_CHOICE: names, ended by NULL, or else `names`; CW_OPTION_INPUT: words that
                                 * are no file */
    const struct cw_registry *names; /* of texts and files: what values name, with parameters or not; NULL: nothing */
    const char *bare; /* on a command line: its value where it stands without "=VALUE"; NULL: it needs one */
    bool rare;        /* what few need: --help names it, --help=all explains it */
    bool positional;  /* plug-ins: may be given without its name */
    bool required;    /* must be given */
    bool repeats;     /* one positional argument of a command line: any number of them */
    bool incidental;  /* how a result is computed or shown, not what it is: no part of the command that
                       * gives it again */
    const char *help; /* one sentence, no full stop; says the unit */
};

CW_END_DECLS

#endif
