/* Files of moves. What is accepted is written again and read again as it is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flow/moves/moves.h"
#include "fuzz.h"

static void check(const struct cw_moves *moves)
{
    struct cw_text text = {0}, again = {0};
    struct cw_moves same;
    if (cw_moves_verify(moves) != 0 || cw_moves_write(moves, &text) != 0) abort();
    if (cw_moves_parse("again", text.data, text.length, &same) != 0 || cw_moves_write(&same, &again) != 0) abort();
    if (strcmp(text.data, again.data) != 0) abort();
    cw_moves_free(&same);
    cw_text_free(&text);
    cw_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_moves moves;
    if (cw_moves_parse("fuzz", (const char *)data, size, &moves) == 0) {
        check(&moves);
        cw_moves_free(&moves);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
    return 0;
}
