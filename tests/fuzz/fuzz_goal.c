/* Programs as GOAL text. What is accepted is written, and read again as the same. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "traffic/goal_file.h"

static void check(const struct cw_program *program)
{
    struct cw_text text = {0}, again = {0};
    struct cw_program *same;
    for (uint32_t i = 0; i < program->n_actions; i++) {
        const struct cw_action *action = &program->actions[i];
        if (action->kind != CW_ACTION_COMPUTE && program->actions[action->partner].partner != i) abort();
    }
    if (cw_goal_write(program, &text) != 0 || cw_goal_parse("again", text.data, text.length, &same) != 0) abort();
    if (cw_goal_write(same, &again) != 0 || strcmp(text.data, again.data) != 0) abort();
    cw_program_free(same);
    cw_text_free(&text);
    cw_text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_program *program;
    if (cw_goal_parse("fuzz", (const char *)data, size, &program) == 0) {
        check(program);
        cw_program_free(program);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
    return 0;
}
