/* What was measured of a machine. What is accepted is sorted, answers any question, and can be written and read again.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz.h"
#include "nbc/nbc_tuning.h"

static void ask(const struct cw_nbc_tuning *tuning)
{
    for (int collective = 0; collective < CW_COLLECTIVES; collective++)
        for (uint32_t ranks = 1; ranks > 0; ranks *= 2)
            for (uint64_t bytes = 1; bytes > 0; bytes *= 16) {
                const struct cw_nbc_choice *choice =
                    cw_nbc_tuning_find(tuning, (enum cw_collective_kind)collective, ranks, bytes);
                if (choice && (choice->bytes > bytes || (int)choice->collective != collective)) abort();
            }
}

/* What is written of it. */
static void read_again(const struct cw_nbc_tuning *tuning, struct cw_nbc_tuning *again)
{
    struct cw_text text = {0};
    char path[64];
    cw_nbc_tuning_print(tuning, &text);
    const int file = memory_file((const uint8_t *)text.data, text.length, path);
    if (cw_nbc_tuning_read(path, again) != 0) abort();
    close(file);
    cw_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_nbc_tuning tuning, again;
    char path[64];
    const int file = memory_file(data, size, path);
    const int rc = cw_nbc_tuning_read(path, &tuning);
    close(file);
    if (rc) {
        if (*cw_error_message() == 0) abort(); /* every failure says why */
        return 0;
    }
    ask(&tuning);
    read_again(&tuning, &again);
    if (again.n != tuning.n || again.site.processors != tuning.site.processors) abort();
    cw_nbc_tuning_keep(&tuning, 3);
    ask(&tuning);
    return 0;
}
