#include <math.h>

#include "base/json_text.h"
#include "flow/moves/moves.h"

static void write_head(const struct cw_moves *moves, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"network\": {", CW_MOVES_FORMAT,
                   CW_MOVES_VERSION);
    if (moves->title) {
        cw_text_add(text, "\"title\": ");
        cw_json_add_string(text, moves->title);
        cw_text_add(text, ", ");
    }
    cw_text_printf(text, "\"fingerprint\": \"%s\"},\n  \"method\": ", moves->fingerprint);
    cw_json_add_string(text, moves->method);
    cw_text_add(text, ",\n  \"chunk_bytes\": ");
    cw_json_add_unsigned(text, moves->chunk_bytes);
    cw_text_printf(text, ",\n  \"credits\": %u,\n  \"predicted_seconds\": ", moves->credits);
    cw_json_add_real(text, moves->seconds);
    if (isnan(moves->default_seconds)) return;
    cw_text_add(text, ",\n  \"predicted_default_seconds\": ");
    cw_json_add_real(text, moves->default_seconds);
}

static void write_step(const struct cw_moves *moves, const struct cw_step *step, struct cw_text *text)
{
    cw_text_printf(text, "{\"do\": \"%s\", \"stream\": %u, \"demand\": %u, \"offset\": ", cw_step_names[step->kind],
                   step->stream, step->demand);
    cw_json_add_unsigned(text, step->offset);
    cw_text_add(text, ", \"bytes\": ");
    cw_json_add_unsigned(text, step->bytes);
    if (step->kind != CW_STEP_SEND) cw_json_add_item(text, ", \"from\": ", step->from);
    if (step->kind != CW_STEP_RECEIVE) {
        cw_json_add_item(text, ", \"to\": ", step->to);
        if (step->way == CW_NONE)
            cw_text_add(text, ", \"way\": null");
        else
            cw_json_add_item(text, ", \"way\": ", step->way);
        cw_text_add(text, ", \"channels\": [");
        for (uint32_t i = 0; i < step->n_channels; i++)
            cw_json_add_item(text, i > 0 ? ", " : "", moves->channels[step->first_channel + i]);
        cw_text_add(text, "]");
    }
    cw_text_add(text, "}");
}

static void write_demands(const struct cw_moves *moves, struct cw_text *text)
{
    cw_text_add(text, ",\n  \"demands\": [");
    for (size_t d = 0; d < moves->n_demands; d++) {
        cw_text_printf(text, "%s    {\"src\": %u, \"dst\": %u, \"bytes\": ", d > 0 ? ",\n" : "\n",
                       moves->demands[d].src, moves->demands[d].dst);
        cw_json_add_unsigned(text, moves->demands[d].bytes);
        cw_text_add(text, "}");
    }
    cw_text_add(text, "]");
}

int cw_moves_write(const struct cw_moves *moves, struct cw_text *text)
{
    write_head(moves, text);
    write_demands(moves, text);
    cw_text_add(text, ",\n  \"ranks\": [");
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        cw_text_printf(text, "%s    {\"rank\": %u, \"endpoint\": %u, \"name\": ", r > 0 ? ",\n" : "\n", r,
                       moves->endpoints[r]);
        cw_json_add_string(text, moves->names[r]);
        cw_text_add(text, ", \"steps\": [");
        for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
            cw_text_add(text, i > moves->first_step[r] ? ",\n      " : "\n      ");
            write_step(moves, &moves->steps[i], text);
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]\n}\n");
    return cw_text_check(text);
}
