/*
 * What a rank asks for when it calls a collective, so that all ranks can be held to the same.
 */
#ifndef CW_NBC_NBC_COLLECTIVE_H
#define CW_NBC_NBC_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "preload/nbc_functions.h"
#include "traffic/collectives.h"

CW_BEGIN_DECLS

/* Of what basic types a message consists. */
enum cw_nbc_kind {
    CW_NBC_ANY,   /* not said, or MPI_PACKED: agrees with all */
    CW_NBC_MIXED, /* several, in whatever order */
    CW_NBC_BYTES, /* MPI_BYTE, which agrees with no numbers */
    CW_NBC_SIGNED,
    CW_NBC_UNSIGNED,
    CW_NBC_REAL,
    CW_NBC_COMPLEX,
    CW_NBC_LOGICAL,
    CW_NBC_TEXT
};

/* A kind, and the bytes of an element: 1, 2, … 128. */
typedef uint8_t cw_nbc_basic;
cw_nbc_basic cw_nbc_basic_of(enum cw_nbc_kind kind, uint64_t bytes);
enum cw_nbc_kind cw_nbc_basic_kind(cw_nbc_basic basic);
uint64_t cw_nbc_basic_bytes(cw_nbc_basic basic);

#define CW_NBC_OP_OWN    254 /* of the program, or one on types that are no plain numbers */
#define CW_NBC_OP_UNSAID 255 /* agrees with all */

#define CW_NBC_UNKNOWN CW_COLLECTIVES /* instead of a collective */
#define CW_NBC_OTHERS  (CW_NBC_UNKNOWN + 1)

/* What a rank asks for. [0]: what it gives, [1]: what it takes; the same but for collectives that move blocks, where a
 * program may err. */
struct cw_nbc_asked {
    uint64_t bytes[2];      /* of the vector, or a block, without gaps; UINT64_MAX: MPI knows no such length */
    uint32_t rank;          /* who asks: of the communicator */
    uint32_t root;          /* 0 where there is none */
    uint8_t collective, op; /* enum cw_collective_kind, or CW_NBC_OTHERS + one of enum cw_nbc_calls, of which nothing
                               else is known; enum cw_nbc_op, or one of the two above */
    cw_nbc_basic basic[2];
    uint8_t refused; /* MPI has refused the call */
    uint8_t room[3]; /* 0 */
};

/* In what two ranks differ. */
enum cw_nbc_clash {
    CW_NBC_AGREE,
    CW_NBC_OTHER_COLLECTIVE,
    CW_NBC_OTHER_ROOT,
    CW_NBC_OTHER_BYTES,
    CW_NBC_OTHER_TYPE,
    CW_NBC_OTHER_OP,
    CW_NBC_OTHER_SIDE /* one rank's call is MPI's own, or was refused by it */
};

/* A and B may be the same: then whether it agrees with itself. */
enum cw_nbc_clash cw_nbc_asked_compare(const struct cw_nbc_asked *a, const struct cw_nbc_asked *b);

/* "rank 3 calls bcast of 800000 bytes (int32) from rank 0", into TEXT, which it returns. */
#define CW_NBC_ASKED_SIZE 192
const char *cw_nbc_asked_format(const struct cw_nbc_asked *asked, char text[CW_NBC_ASKED_SIZE]);

/* Two ranks that did not ask for the same, and what each did. */
struct cw_nbc_clash_note {
    enum cw_nbc_clash clash;
    bool left; /* B's call was left to MPI, or refused by it, while A waited for it on our side */
    struct cw_nbc_asked a, b;
};

/* CW_EUSAGE, with all of that. */
int cw_nbc_fail_of_clash(const struct cw_nbc_clash_note *note);

CW_END_DECLS

#endif
