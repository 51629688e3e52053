#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "flow/files/plan_file.h"
#include "flow/moves/moves.h"

#define DATATYPE "uint64" /* of CW_MOVES_ELEMENT bytes */

struct reader {
    const char *file;
    json_t *root;
    size_t steps_capacity, channels_capacity;
    struct cw_moves moves;
};

static struct cw_plan_place place_of(const struct reader *reader, const char *key)
{
    return (struct cw_plan_place){.file = reader->file,
                                  .demands = "ranks",
                                  .paths = "steps",
                                  .demand = CW_NOWHERE,
                                  .path = CW_NOWHERE,
                                  .key = key,
                                  .index = CW_NOWHERE};
}

/* The text VALUE of LEAST to MOST bytes. */
static int read_text(const struct cw_plan_place *place, const json_t *value, size_t least, size_t most,
                     const char **out)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a text of %zu to %zu bytes", least, most);
    const size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (!json_is_string(value) || length < least || length > most) return cw_plan_value_fail(place, value, expected);
    *out = json_string_value(value);
    return 0;
}

/* A number of bytes, or of anything, above 0. */
static int read_positive(const struct cw_plan_place *place, const json_t *value, uint64_t *out)
{
    const int rc = cw_plan_value_bytes(place, value, out);
    return rc || *out > 0 ? rc : cw_plan_value_fail(place, value, "more than 0");
}

/* VALUE into OUT, which has room for the digits of a fingerprint. */
static int read_fingerprint(const struct cw_plan_place *place, const json_t *value, char out[CW_FINGERPRINT_SIZE])
{
    const char *text;
    const int rc = read_text(place, value, CW_FINGERPRINT_SIZE - 1, CW_FINGERPRINT_SIZE - 1, &text);
    if (rc) return rc;
    if (strspn(text, "0123456789abcdef") != CW_FINGERPRINT_SIZE - 1)
        return cw_plan_value_fail(place, value, "64 hexadecimal digits in lower case");
    memcpy(out, text, CW_FINGERPRINT_SIZE);
    return 0;
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

static int read_network(struct reader *reader)
{
    static const char *const known[] = {"title", "fingerprint", NULL};
    struct cw_moves *moves = &reader->moves;
    struct cw_plan_place place = place_of(reader, "network");
    json_t *object = json_object_get(reader->root, "network"), *title;
    const char *text;
    int rc = cw_plan_value_keys(&place, object, known);
    if (rc) return rc;
    place.key = "network.fingerprint";
    rc = read_fingerprint(&place, json_object_get(object, "fingerprint"), moves->fingerprint);
    if (rc) return rc;
    title = json_object_get(object, "title");
    if (!title) return 0;
    place.key = "network.title";
    rc = read_text(&place, title, 0, CW_FILE_LIMIT, &text);
    if (rc) return rc;
    moves->title = cw_copy_text(text, strlen(text));
    return moves->title ? 0 : CW_ENOMEM;
}

/* Which model predicts. */
static int read_model(struct reader *reader)
{
    const struct cw_plan_place place = place_of(reader, "predicted_by");
    const json_t *value = json_object_get(reader->root, place.key);
    const char *model = json_is_string(value) ? json_string_value(value) : "";
    if (!value) return 0;
    if (strcmp(model, "flows") != 0 && strcmp(model, "flits") != 0)
        return cw_plan_value_fail(&place, value, "flows or flits");
    memcpy(reader->moves.model, model, strlen(model) + 1);
    return 0;
}

static int read_head(struct reader *reader)
{
    static const char *const known[] = {"format",
                                        "version",
                                        "network",
                                        "method",
                                        "chunk_bytes",
                                        "credits",
                                        "datatype",
                                        "demands",
                                        "predicted_seconds",
                                        "predicted_default_seconds",
                                        "predicted_by",
                                        "ranks",
                                        NULL};
    struct cw_moves *moves = &reader->moves;
    struct cw_plan_place place = place_of(reader, "format");
    uint32_t version;
    const char *method;
    if (!json_is_object(reader->root))
        return cw_fail_at(reader->file, 1, "no object, expected { \"format\": \"%s\", …", CW_MOVES_FORMAT);
    int rc = cw_plan_value_text(&place, json_object_get(reader->root, place.key), CW_MOVES_FORMAT);
    place.key = "version";
    if (!rc)
        rc = cw_plan_value_integer(&place, json_object_get(reader->root, place.key), CW_MOVES_VERSION, CW_MOVES_VERSION,
                                   &version);
    place.key = NULL;
    if (!rc) rc = cw_plan_value_keys(&place, reader->root, known);
    if (!rc) rc = read_network(reader);
    place.key = "method";
    if (!rc) rc = read_text(&place, json_object_get(reader->root, place.key), 1, sizeof moves->method - 1, &method);
    if (!rc) memcpy(moves->method, method, strlen(method) + 1);
    place.key = "chunk_bytes";
    if (!rc) rc = read_positive(&place, json_object_get(reader->root, place.key), &moves->chunk_bytes);
    place.key = "credits";
    if (!rc)
        rc = cw_plan_value_integer(&place, json_object_get(reader->root, place.key), 1, UINT32_MAX, &moves->credits);
    place.key = "predicted_seconds";
    if (!rc) rc = cw_plan_value_real(&place, json_object_get(reader->root, place.key), (double)NAN, &moves->seconds);
    place.key = "predicted_default_seconds";
    moves->default_seconds = (double)NAN;
    const json_t *seconds = json_object_get(reader->root, place.key);
    if (!rc && seconds) rc = cw_plan_value_real(&place, seconds, (double)NAN, &moves->default_seconds);
    return rc ? rc : read_model(reader);
}

/* --- demands and ranks -------------------------------------------------------------------------------------------- */

static int read_demand(struct reader *reader, size_t d, json_t *object)
{
    static const char *const known[] = {"src", "dst", "bytes", NULL};
    struct cw_moves_demand *demand = &reader->moves.demands[d];
    struct cw_plan_place place = place_of(reader, NULL);
    place.demands = "demands";
    place.demand = d;
    int rc = cw_plan_value_keys(&place, object, known);
    const uint32_t last = reader->moves.n_ranks - 1;
    place.key = "src";
    demand->src = CW_NONE;
    if (!rc && !json_is_null(json_object_get(object, place.key)))
        rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, last, &demand->src);
    place.key = "dst";
    demand->dst = CW_NONE;
    if (!rc && !json_is_null(json_object_get(object, place.key)))
        rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, last, &demand->dst);
    place.key = "bytes";
    return rc ? rc : read_positive(&place, json_object_get(object, place.key), &demand->bytes);
}

/* What numbers are, where some are added up. */
static int read_datatype(const struct reader *reader)
{
    const struct cw_plan_place place = place_of(reader, "datatype");
    const json_t *value = json_object_get(reader->root, place.key);
    if (cw_moves_have_sums(&reader->moves)) return cw_plan_value_text(&place, value, DATATYPE);
    return value ? cw_plan_value_fail(&place, value, "no such key, for no demand is a sum (\"src\": null)") : 0;
}

static int read_demands(struct reader *reader)
{
    struct cw_moves *moves = &reader->moves;
    const struct cw_plan_place place = place_of(reader, "demands");
    json_t *list = json_object_get(reader->root, place.key);
    const size_t n = json_array_size(list);
    if (n == 0 || n >= UINT32_MAX) return cw_plan_value_fail(&place, list, "a list of one or more demands");
    moves->demands = cw_new_array(n, sizeof *moves->demands, "demands of moves");
    if (!moves->demands) return CW_ENOMEM;
    moves->n_demands = n;
    int rc = 0;
    for (size_t d = 0; d < n && !rc; d++) rc = read_demand(reader, d, json_array_get(list, d));
    return rc ? rc : read_datatype(reader);
}

static int read_channels(struct reader *reader, struct cw_plan_place place, const json_t *list, struct cw_step *step)
{
    struct cw_moves *moves = &reader->moves;
    const size_t n = json_array_size(list);
    place.key = "channels";
    if (n == 0 || n >= UINT32_MAX) return cw_plan_value_fail(&place, list, "a list of one or more channels");
    void *channels = moves->channels;
    int rc = cw_grow_array(&channels, &reader->channels_capacity, moves->n_channels + n, sizeof *moves->channels,
                           "channels of moves");
    moves->channels = channels;
    step->first_channel = moves->n_channels;
    step->n_channels = (uint32_t)n;
    for (place.index = 0; place.index < n && !rc; place.index++)
        rc = cw_plan_value_integer(&place, json_array_get(list, place.index), 0, CW_NONE - 1,
                                   &moves->channels[moves->n_channels + place.index]);
    if (!rc) moves->n_channels += n;
    return rc;
}

static bool sends(const struct cw_step *step)
{
    return step->kind == CW_STEP_SEND || step->kind == CW_STEP_FORWARD;
}

/* Whom a step is sent to, and how. */
static int read_sending(struct reader *reader, struct cw_plan_place place, json_t *object, struct cw_step *step)
{
    place.key = "to";
    int rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, reader->moves.n_ranks - 1, &step->to);
    place.key = "way";
    if (!rc && !json_is_null(json_object_get(object, place.key)))
        rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, CW_NONE - 1, &step->way);
    return rc ? rc : read_channels(reader, place, json_object_get(object, "channels"), step);
}

static int read_kind(const struct cw_plan_place *place, json_t *object, enum cw_step_kind *kind)
{
    static const char *const of_send[] = {"do", "stream", "demand", "offset", "bytes", "to", "way", "channels", NULL};
    static const char *const of_forward[] = {"do",   "stream", "demand", "offset",   "bytes",
                                             "from", "to",     "way",    "channels", NULL};
    static const char *const of_receive[] = {"do", "stream", "demand", "offset", "bytes", "from", NULL};
    static const char *const *const known[] = {of_send, of_forward, of_receive, of_receive};
    struct cw_plan_place here = *place;
    here.key = "do";
    const json_t *value = json_object_get(object, here.key);
    int k = 0;
    while (cw_step_names[k] && !(json_is_string(value) && strcmp(json_string_value(value), cw_step_names[k]) == 0)) k++;
    if (!json_is_object(object)) return cw_plan_value_fail(place, object, "an object");
    if (!cw_step_names[k]) return cw_plan_value_fail(&here, value, "\"send\", \"forward\", \"receive\" or \"combine\"");
    *kind = (enum cw_step_kind)k;
    return cw_plan_value_keys(place, object, known[k]);
}

static int read_step(struct reader *reader, struct cw_plan_place place, json_t *object)
{
    struct cw_moves *moves = &reader->moves;
    struct cw_step step = {.from = CW_NONE, .to = CW_NONE, .way = CW_NONE};
    int rc = read_kind(&place, object, &step.kind);
    const uint32_t last = (uint32_t)(moves->n_demands - 1);
    place.key = "stream";
    if (!rc) rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, CW_NONE - 1, &step.stream);
    place.key = "demand";
    if (!rc) rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, last, &step.demand);
    place.key = "offset";
    if (!rc) rc = cw_plan_value_bytes(&place, json_object_get(object, place.key), &step.offset);
    place.key = "bytes";
    if (!rc) rc = cw_plan_value_bytes(&place, json_object_get(object, place.key), &step.bytes);
    place.key = "from";
    if (!rc && step.kind != CW_STEP_SEND)
        rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, moves->n_ranks - 1, &step.from);
    if (!rc && sends(&step)) rc = read_sending(reader, place, object, &step);
    void *steps = moves->steps;
    const size_t at = moves->first_step[place.demand + 1];
    if (!rc) rc = cw_grow_array(&steps, &reader->steps_capacity, at + 1, sizeof *moves->steps, "steps of moves");
    moves->steps = steps;
    if (rc) return rc;
    moves->steps[at] = step;
    moves->first_step[place.demand + 1]++;
    return 0;
}

static int read_rank(struct reader *reader, struct cw_plan_place place, json_t *object)
{
    static const char *const known[] = {"rank", "endpoint", "name", "steps", NULL};
    struct cw_moves *moves = &reader->moves;
    const uint32_t r = (uint32_t)place.demand;
    uint32_t rank;
    const char *name;
    int rc = cw_plan_value_keys(&place, object, known);
    place.key = "rank";
    if (!rc) rc = cw_plan_value_integer(&place, json_object_get(object, place.key), r, r, &rank);
    place.key = "endpoint";
    if (!rc)
        rc = cw_plan_value_integer(&place, json_object_get(object, place.key), 0, CW_NONE - 1, &moves->endpoints[r]);
    place.key = "name";
    if (!rc) rc = read_text(&place, json_object_get(object, place.key), 1, CW_NAME_SIZE - 1, &name);
    if (rc) return rc;
    moves->names[r] = cw_copy_text(name, strlen(name));
    if (!moves->names[r]) return CW_ENOMEM;
    json_t *steps = json_object_get(object, "steps");
    place.key = "steps";
    if (json_array_size(steps) == 0) return cw_plan_value_fail(&place, steps, "a list of one or more steps");
    place.key = NULL;
    moves->first_step[r + 1] = moves->first_step[r];
    for (place.path = 0; place.path < json_array_size(steps) && !rc; place.path++)
        rc = read_step(reader, place, json_array_get(steps, place.path));
    return rc;
}

/* A stream begins with a send, or, if it is added up, ends where it is sent no more. */
static void count_streams(struct cw_moves *moves)
{
    for (uint32_t r = 0; r < moves->n_ranks; r++)
        for (size_t i = moves->first_step[r], end; i < moves->first_step[r + 1]; i = end) {
            const struct cw_step *step = &moves->steps[i];
            end = cw_moves_end(moves, r, i);
            moves->n_streams += step->kind == CW_STEP_SEND      ? !cw_moves_adds(moves, step)
                                : step->kind == CW_STEP_COMBINE ? !sends(&moves->steps[end - 1])
                                                                : 0;
        }
}

static int read_ranks(struct reader *reader)
{
    struct cw_moves *moves = &reader->moves;
    struct cw_plan_place place = place_of(reader, "ranks");
    json_t *list = json_object_get(reader->root, place.key);
    const size_t n = json_array_size(list);
    if (n < 2 || n >= CW_NONE) return cw_plan_value_fail(&place, list, "a list of two or more ranks");
    moves->endpoints = cw_new_array(n, sizeof *moves->endpoints, "ranks");
    moves->names = cw_new_array(n, sizeof *moves->names, "names of ranks");
    moves->first_step = cw_new_array(n + 1, sizeof *moves->first_step, "ranks");
    if (!moves->endpoints || !moves->names || !moves->first_step) return CW_ENOMEM;
    moves->n_ranks = (uint32_t)n;
    int rc = read_demands(reader);
    place.key = NULL;
    for (place.demand = 0; place.demand < n && !rc; place.demand++)
        rc = read_rank(reader, place, json_array_get(list, place.demand));
    if (!rc) count_streams(moves);
    return rc;
}

/* A file's broken promise is the file's fault. */
static int verify(const struct reader *reader)
{
    int rc = cw_moves_verify(&reader->moves);
    if (rc != CW_EINTERNAL) return rc;
    const char *message = cw_error_message() + strlen(CW_MOVES_BREACH);
    char *breach = cw_copy_text(message, strlen(message));
    if (!breach) return CW_ENOMEM;
    rc = cw_fail_at(reader->file, 0, "%s", breach);
    free(breach);
    return rc;
}

int cw_moves_parse(const char *file, const char *data, size_t length, struct cw_moves *out)
{
    struct reader reader = {.file = file};
    int rc = cw_json_read(file, data, length, &reader.root);
    if (!rc) rc = read_head(&reader);
    if (!rc) rc = read_ranks(&reader);
    if (!rc) rc = verify(&reader);
    json_decref(reader.root);
    if (rc)
        cw_moves_free(&reader.moves);
    else
        *out = reader.moves;
    return rc;
}

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
    cw_text_printf(text, ",\n  \"credits\": %u", moves->credits);
    if (cw_moves_have_sums(moves)) cw_text_add(text, ",\n  \"datatype\": \"" DATATYPE "\"");
    cw_text_add(text, ",\n  \"predicted_seconds\": ");
    cw_json_add_real(text, moves->seconds);
    if (!isnan(moves->default_seconds)) {
        cw_text_add(text, ",\n  \"predicted_default_seconds\": ");
        cw_json_add_real(text, moves->default_seconds);
    }
    if (moves->model[0]) cw_text_printf(text, ",\n  \"predicted_by\": \"%s\"", moves->model);
}

/* NUMBER, or null for CW_NONE. */
static void add_number(struct cw_text *text, const char *before, uint32_t number)
{
    cw_text_add(text, before);
    if (number == CW_NONE)
        cw_text_add(text, "null");
    else
        cw_json_add_unsigned(text, number);
}

static void write_step(const struct cw_moves *moves, const struct cw_step *step, struct cw_text *text)
{
    cw_text_printf(text, "{\"do\": \"%s\", \"stream\": %u, \"demand\": %u, \"offset\": ", cw_step_names[step->kind],
                   step->stream, step->demand);
    cw_json_add_unsigned(text, step->offset);
    cw_text_add(text, ", \"bytes\": ");
    cw_json_add_unsigned(text, step->bytes);
    if (step->kind != CW_STEP_SEND) cw_json_add_item(text, ", \"from\": ", step->from);
    if (sends(step)) {
        cw_json_add_item(text, ", \"to\": ", step->to);
        add_number(text, ", \"way\": ", step->way);
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
        add_number(text, d > 0 ? ",\n    {\"src\": " : "\n    {\"src\": ", moves->demands[d].src);
        add_number(text, ", \"dst\": ", moves->demands[d].dst);
        cw_text_add(text, ", \"bytes\": ");
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
