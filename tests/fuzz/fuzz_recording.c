/* Recordings. What is accepted is a program, or refused with a reason; a program is one that GOAL can say. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "traffic/goal_file.h"
#include "traffic/recorded/recording.h"

static void check(const struct cw_recording *recording)
{
    struct cw_program *program;
    struct cw_recorded_event event;
    struct cw_text text = {0};
    uint64_t left_out;
    for (uint32_t r = 0; r < cw_recording_ranks(recording); r++)
        for (size_t i = 0; i < cw_recording_events(recording, r); i++) {
            cw_recording_event(recording, r, i, &event);
            if (!event.name || event.computed < 0 || event.begin < event.computed) abort();
        }
    if (cw_recording_program(recording, NULL, &program, &left_out) != 0) {
        if (*cw_error_message() == 0) abort();
        return;
    }
    if (cw_goal_write(program, &text) != 0) abort();
    cw_text_free(&text);
    cw_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_recording *recording;
    if (cw_recording_parse("fuzz", (const char *)data, size, &recording) == 0) {
        check(recording);
        cw_recording_free(recording);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
    return 0;
}
