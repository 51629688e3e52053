/* Order and trees of hosts. What is accepted knows each of its hosts, answers any question the same after it was
 * written and read again. */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz.h"
#include "nbc/nbc_fabric.h"

static struct cw_nbc_between choose(const struct cw_nbc_fabric *fabric, int collective, uint32_t hosts, uint64_t bytes)
{
    const struct cw_nbc_between asked = {.shape = CW_NBC_SHAPE_AUTO};
    return cw_nbc_trees_choose(&fabric->trees, &asked, (enum cw_collective_kind)collective, true, hosts, bytes);
}

static void ask(const struct cw_nbc_fabric *fabric, const struct cw_nbc_fabric *again)
{
    for (uint32_t i = 0; i < fabric->n; i++)
        if (cw_nbc_fabric_place(fabric, fabric->hosts[i]) != (int)i) abort();
    for (int collective = 0; collective < CW_COLLECTIVES; collective++)
        for (uint32_t hosts = 2; hosts > 0; hosts *= 2)
            for (uint64_t bytes = 1; bytes > 0; bytes *= 16) {
                const struct cw_nbc_between chosen = choose(fabric, collective, hosts, bytes);
                const struct cw_nbc_between same = choose(again, collective, hosts, bytes);
                if (chosen.shape == CW_NBC_NATIVE || (chosen.shape == CW_NBC_KNOMIAL && chosen.radix < 2)) abort();
                if (chosen.shape != same.shape || chosen.radix != same.radix || chosen.by_fabric != same.by_fabric)
                    abort();
            }
}

/* What is written of it. */
static void read_again(const struct cw_nbc_fabric *fabric, struct cw_nbc_fabric *again)
{
    struct cw_text text = {0};
    char path[64];
    cw_nbc_fabric_print(fabric, &text);
    const int file = memory_file((const uint8_t *)text.data, text.length, path);
    if (cw_nbc_fabric_read(path, again) != 0) abort();
    close(file);
    cw_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_nbc_fabric fabric, again;
    char path[64];
    const int file = memory_file(data, size, path);
    const int rc = cw_nbc_fabric_read(path, &fabric);
    close(file);
    if (rc) {
        if (*cw_error_message() == 0) abort(); /* every failure says why */
        return 0;
    }
    read_again(&fabric, &again);
    ask(&fabric, &again);
    if (again.n != fabric.n || again.trees.n != fabric.trees.n) abort();
    cw_nbc_fabric_free(&again);
    cw_nbc_fabric_free(&fabric);
    return 0;
}
