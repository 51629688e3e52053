/* The scale of colours of maps; maps as JSON, and in files. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "report/map_picture.h"

/* --- loads -------------------------------------------------------------------------------------------------------- */

double cw_map_greatest(const struct cw_map_picture *picture, double sign)
{
    double most = 0;
    for (size_t i = 0; i < picture->n_lines; i++) most = fmax(most, sign * picture->lines[i].load); /* not NAN */
    for (size_t i = 0; i < picture->n_boxes; i++) most = fmax(most, sign * picture->boxes[i].load);
    return most;
}

double cw_map_greatest_load(const struct cw_map_picture *picture)
{
    return fmax(cw_map_greatest(picture, 1), cw_map_greatest(picture, -1));
}

/* … so many times the mean, and what is more: where all loads are alike, nothing looks hot. */
static const double ends[CW_MAP_SHADES] = {0, .5, 1.25, 2, 3};

/* Of the lines that have a load; 0: none has. */
static double mean_load(const struct cw_map_picture *picture)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < picture->n_lines; i++) {
        if (!(fabs(picture->lines[i].load) > 0)) continue; /* or NAN */
        sum += fabs(picture->lines[i].load);
        n++;
    }
    return n > 0 ? sum / (double)n : 0;
}

void cw_map_shades(const struct cw_map_picture *picture, double out[CW_MAP_SHADES])
{
    const double mean = mean_load(picture);
    for (size_t i = 0; i < CW_MAP_SHADES; i++) out[i] = ends[i] * mean;
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void add_key(struct cw_text *text, const char *before, const char *key, const char *string)
{
    cw_text_printf(text, "%s\"%s\": ", before, key);
    cw_json_add_string(text, string);
}

static void add_reals(struct cw_text *text, const char *const *keys, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cw_text_printf(text, "%s\"%s\": ", i == 0 ? "" : ", ", keys[i]);
        cw_json_add_real(text, values[i]);
    }
}

static const char *const place_keys[] = {"x", "y", "width", "height", "load"};

static const char *state_of(uint32_t failed, uint32_t all, uint32_t slow)
{
    return all > 0 && failed == all ? "failed" : failed > 0 ? "partly failed" : slow > 0 ? "slow" : "whole";
}

static void add_json_box(struct cw_text *text, const struct cw_map_box *box)
{
    const double values[] = {box->x, box->y, box->width, box->height, box->load};
    cw_text_add(text, "    {");
    add_reals(text, place_keys, values, 5);
    add_key(text, ", ", "label", box->label);
    add_key(text, ", ", "name", box->name);
    cw_text_printf(text, ", \"endpoints\": %u, \"switches\": %u, \"level\": %u, \"state\": \"%s\"}", box->endpoints,
                   box->switches, box->level, state_of(box->failed, box->switches, 0));
}

static void add_json_line(struct cw_text *text, const struct cw_map_picture *picture, size_t i)
{
    static const char *const keys[] = {"bend", "load", "capacity"};
    const struct cw_map_line *line = &picture->lines[i];
    const double values[] = {line->bend, line->load, line->capacity};
    char name[1024];
    cw_text_printf(text, "    {\"a\": %u, \"b\": %u, ", line->a, line->b);
    add_reals(text, keys, values, 3);
    add_key(text, ", ", "label", line->name);
    cw_text_printf(text, ", \"cables\": %u, \"failed\": %u, \"slow\": %u, \"state\": \"%s\"", line->cables,
                   line->failed, line->slow, state_of(line->failed, line->cables, line->slow));
    for (uint32_t k = 0; picture->channel_name && k < line->cables; k++) {
        cw_text_add(text, k > 0 ? ", " : ", \"channels\": [");
        cw_json_add_string(text, picture->channel_name(picture->context, i, k, name, sizeof name));
    }
    cw_text_add(text, picture->channel_name ? "]}" : "}");
}

static void add_json_panel(struct cw_text *text, const struct cw_map_panel *panel)
{
    const double values[] = {panel->x, panel->y, panel->width, panel->height};
    cw_text_add(text, "    {");
    add_reals(text, place_keys, values, 4);
    add_key(text, ", ", "label", panel->label);
    cw_text_add(text, "}");
}

int cw_map_json(const struct cw_map_picture *picture, struct cw_text *text)
{
    static const char *const keys[] = {"width", "height", "greatest_load"};
    const double values[] = {picture->width, picture->height, cw_map_greatest_load(picture)};
    double shades[CW_MAP_SHADES];
    cw_map_shades(picture, shades);
    add_key(text, "{\n  ", "form", picture->form);
    add_key(text, ",\n  ", "title", picture->title);
    cw_text_add(text, ",\n  \"captions\": [");
    for (size_t i = 0; i < picture->n_captions; i++) {
        cw_text_add(text, i > 0 ? ",\n    " : "\n    ");
        cw_json_add_string(text, picture->captions[i]);
    }
    add_key(text, "],\n  ", "quantity", picture->quantity);
    if (picture->against) add_key(text, ",\n  ", "against", picture->against);
    cw_text_add(text, ",\n  ");
    add_reals(text, keys, values, 3);
    for (size_t i = 0; i < CW_MAP_SHADES; i++) {
        cw_text_add(text, i == 0 ? ",\n  \"shades\": [" : ", ");
        cw_json_add_real(text, shades[i]);
    }
    cw_text_add(text, "],\n  \"boxes\": [\n");
    for (size_t i = 0; i < picture->n_boxes; i++) {
        add_json_box(text, &picture->boxes[i]);
        cw_text_add(text, i + 1 < picture->n_boxes ? ",\n" : "\n");
    }
    cw_text_add(text, "  ],\n  \"lines\": [\n");
    for (size_t i = 0; i < picture->n_lines; i++) {
        add_json_line(text, picture, i);
        cw_text_add(text, i + 1 < picture->n_lines ? ",\n" : "\n");
    }
    cw_text_add(text, "  ],\n  \"panels\": [\n");
    for (size_t i = 0; i < picture->n_panels; i++) {
        add_json_panel(text, &picture->panels[i]);
        cw_text_add(text, i + 1 < picture->n_panels ? ",\n" : "\n");
    }
    cw_text_add(text, "  ]\n}\n");
    return cw_text_check(text);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

int cw_map_check(const char *path)
{
    if (ends_in(path, ".svg") || ends_in(path, ".json")) return cw_file_check_output(path);
    return cw_fail(CW_EUSAGE, "%s: a map's file must be called NAME.svg, NAME.html or NAME.json", path);
}

int cw_map_write(const struct cw_map_picture *picture, const char *path)
{
    struct cw_text text = {0};
    int rc = cw_map_check(path);
    if (!rc) rc = ends_in(path, ".svg") ? cw_map_svg(picture, &text) : cw_map_json(picture, &text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}
