/* The parser and the writer of case files. Words are separated by blanks; each statement has its own short function. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/noise_case.h"

/* The rest of a line. */
struct words {
    const struct cw_lines *lines;
    const char *at, *end;
};

static bool next_word(struct words *words, const char **word, size_t *length)
{
    while (words->at < words->end && (*words->at == ' ' || *words->at == '\t')) words->at++;
    if (words->at == words->end || *words->at == '#') return false;
    *word = words->at;
    while (words->at < words->end && *words->at != ' ' && *words->at != '\t' && *words->at != '#') words->at++;
    *length = (size_t)(words->at - *word);
    return true;
}

static int fail(const struct words *words, const char *expected)
{
    return cw_fail_at(words->lines->file, words->lines->number, "expected %s", expected);
}

static int read_count(struct words *words, uint64_t max, const char *expected, uint64_t *out)
{
    const char *word;
    size_t length;
    if (!next_word(words, &word, &length)) return fail(words, expected);
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9' || value > max) return fail(words, expected);
        value = 10 * value + (uint64_t)(word[i] - '0');
    }
    if (value > max) return fail(words, expected);
    *out = value;
    return 0;
}

static int read_id(struct words *words, const char *expected, uint32_t *out)
{
    uint64_t value;
    const int rc = read_count(words, UINT32_MAX - 1, expected, &value);
    if (!rc) *out = (uint32_t)value;
    return rc;
}

static int read_number(struct words *words, const char *expected, double *out)
{
    const char *word;
    size_t length;
    char copy[64];
    if (!next_word(words, &word, &length) || length >= sizeof copy) return fail(words, expected);
    memcpy(copy, word, length);
    copy[length] = 0;
    char *end;
    const double value = strtod(copy, &end);
    if (end == copy || *end || !(value >= 0 && value <= 1e300)) return fail(words, expected);
    *out = value;
    return 0;
}

/* Statements that may stand in a file once only. */
static int read_first(const struct words *words, const char *keyword, bool already)
{
    if (!already) return 0;
    return cw_fail_at(words->lines->file, words->lines->number, "a second '%s' line", keyword);
}

static int read_end(struct words *words)
{
    const char *word;
    size_t length;
    if (!next_word(words, &word, &length)) return 0;
    return cw_fail_at(words->lines->file, words->lines->number, "unexpected '%.*s', expected the end of the line",
                      (int)(length < 40 ? length : 40), word);
}

/* --- statements -------------------------------------------------------------------------------------------------- */

/* A count can be no larger than the line that lists the items has characters. */
static int read_length(struct words *words, const char *expected, size_t *out)
{
    uint64_t n;
    const int rc = read_count(words, (uint64_t)(words->end - words->at), expected, &n);
    if (!rc) *out = (size_t)n;
    return rc;
}

static int read_pairs(struct words *words, const char *keyword, struct cw_endpoint_pairs *pairs)
{
    size_t n;
    int rc = read_first(words, keyword, pairs->src != NULL);
    if (!rc) rc = read_length(words, "the number of pairs, then as many pairs 'source destination'", &n);
    if (rc) return rc;
    pairs->src = cw_new_array(n, sizeof *pairs->src, "pairs");
    pairs->dst = cw_new_array(n, sizeof *pairs->dst, "pairs");
    if (!pairs->src || !pairs->dst) return CW_ENOMEM;
    pairs->n = n;
    for (size_t i = 0; !rc && i < n; i++) {
        rc = read_id(words, "as many pairs 'source destination' as the line says", &pairs->src[i]);
        if (!rc) rc = read_id(words, "as many pairs 'source destination' as the line says", &pairs->dst[i]);
    }
    return rc ? rc : read_end(words);
}

#define EXPECT_NETWORK "'net xgft h m1 .. mh w1 .. wh radix', 'net torus k n' or 'net' and one word"

static int read_network(struct words *words, struct cw_noise_case *out)
{
    const char *kind;
    size_t length;
    uint64_t values[64];
    size_t n = 0;
    int rc = read_first(words, "net", out->network != NULL);
    if (rc) return rc;
    if (!next_word(words, &kind, &length)) return fail(words, EXPECT_NETWORK);
    struct words rest = *words;
    const char *word;
    size_t word_length;
    if (!next_word(&rest, &word, &word_length)) {
        out->network = cw_copy_text(kind, length);
        return out->network ? 0 : CW_ENOMEM;
    }
    rest = *words;
    while (next_word(&rest, &word, &word_length)) {
        if (n == 64) return fail(words, "at most 64 numbers");
        rc = read_count(words, 1000000000, "a number", &values[n++]);
        if (rc) return rc;
    }
    struct cw_text spec = {0};
    if (length == 4 && memcmp(kind, "xgft", 4) == 0 && n > 1 && n == 2 * values[0] + 2) {
        const size_t h = (size_t)values[0];
        cw_text_printf(&spec, "xgft:%zu:", h);
        for (size_t i = 1; i <= 2 * h; i++)
            cw_text_printf(&spec, "%llu%s", (unsigned long long)values[i], i == h || i == 2 * h ? ":" : ",");
        cw_text_printf(&spec, "radix=%llu", (unsigned long long)values[n - 1]);
    } else if (length == 5 && memcmp(kind, "torus", 5) == 0 && n == 2 && values[1] >= 1 && values[1] <= 31) {
        for (uint64_t i = 0; i < values[1]; i++)
            cw_text_printf(&spec, "%s%llu", i ? "x" : "torus:", (unsigned long long)values[0]);
    } else {
        return fail(words, EXPECT_NETWORK);
    }
    rc = cw_text_check(&spec);
    if (!rc) out->network = spec.data;
    return rc;
}

static int read_application(struct words *words, struct cw_noise_case *out)
{
    size_t n;
    int rc = read_first(words, "app", out->endpoints != NULL);
    if (!rc) rc = read_length(words, "the number of ranks, then the endpoint of each", &n);
    if (!rc && n == 0) rc = fail(words, "at least one rank");
    if (rc) return rc;
    out->endpoints = cw_new_array(n, sizeof *out->endpoints, "ranks");
    if (!out->endpoints) return CW_ENOMEM;
    out->ranks = (uint32_t)n;
    for (size_t r = 0; !rc && r < n; r++) rc = read_id(words, "as many endpoints as the line says", &out->endpoints[r]);
    return rc ? rc : read_end(words);
}

static int read_level(struct words *words, struct cw_noise_case *out)
{
    static const char expected[] = "'level l messages clean_sum clean_max perturbed_sum perturbed_max'";
    size_t lines_capacity = out->levels_capacity;
    int rc = cw_grow_array((void **)&out->level_lines, &lines_capacity, out->n_levels + 1, sizeof *out->level_lines,
                           "levels");
    if (!rc)
        rc = cw_grow_array((void **)&out->levels, &out->levels_capacity, out->n_levels + 1, sizeof *out->levels,
                           "levels");
    if (rc) return rc;
    uint64_t number, clean_max, perturbed_max;
    struct cw_level level = {0};
    rc = read_count(words, 1000000, expected, &number);
    if (!rc && number != out->n_levels + 1)
        return cw_fail_at(words->lines->file, words->lines->number, "level %llu, expected level %zu",
                          (unsigned long long)number, out->n_levels + 1);
    if (!rc) rc = read_count(words, UINT64_MAX / 20, expected, &level.messages);
    if (!rc) rc = read_count(words, UINT64_MAX / 20, expected, &level.clean_sum);
    if (!rc) rc = read_count(words, UINT32_MAX, expected, &clean_max);
    if (!rc) rc = read_count(words, UINT64_MAX / 20, expected, &level.perturbed_sum);
    if (!rc) rc = read_count(words, UINT32_MAX, expected, &perturbed_max);
    if (rc) return rc;
    level.clean_max = (uint32_t)clean_max;
    level.perturbed_max = (uint32_t)perturbed_max;
    out->level_lines[out->n_levels] = words->lines->number;
    out->levels[out->n_levels++] = level;
    return read_end(words);
}

static int read_perturbation_only(struct words *words, struct cw_noise_case *out)
{
    static const char expected[] = "'perturbation_only messages sum max'";
    uint64_t max;
    int rc = read_first(words, "perturbation_only", out->perturbation_line > 0);
    if (!rc) rc = read_count(words, UINT64_MAX / 20, expected, &out->perturbation_only.messages);
    if (!rc) rc = read_count(words, UINT64_MAX / 20, expected, &out->perturbation_only.sum);
    if (!rc) rc = read_count(words, UINT32_MAX, expected, &max);
    if (rc) return rc;
    out->perturbation_only.max = (uint32_t)max;
    out->perturbation_line = words->lines->number;
    return read_end(words);
}

static int read_bisection_result(struct words *words, struct cw_noise_case *out)
{
    static const char expected[] = "'bisect_result sum_of_1/c max'";
    uint64_t max;
    int rc = read_first(words, "bisect_result", out->bisection_line > 0);
    if (!rc) rc = read_number(words, expected, &out->bisection_result.inverse_sum);
    if (!rc) rc = read_count(words, UINT32_MAX, expected, &max);
    if (rc) return rc;
    out->bisection_result.max = (uint32_t)max;
    out->bisection_line = words->lines->number;
    return read_end(words);
}

static int read_times(struct words *words, struct cw_noise_case *out)
{
    int rc = read_first(words, "time", out->times_line > 0);
    if (!rc) rc = read_number(words, "'time clean perturbed'", &out->times.clean);
    if (!rc) rc = read_number(words, "'time clean perturbed'", &out->times.perturbed);
    out->times_line = words->lines->number;
    return rc ? rc : read_end(words);
}

static int read_perturbation(struct words *words, struct cw_noise_case *out)
{
    return read_pairs(words, "pert", &out->perturbation);
}

static int read_bisection(struct words *words, struct cw_noise_case *out)
{
    out->has_bisection = true;
    return read_pairs(words, "bisect", &out->bisection);
}

static const struct statement {
    const char *keyword;
    int (*read)(struct words *words, struct cw_noise_case *out);
} statements[] = {
    {"net", read_network},       {"app", read_application},
    {"pert", read_perturbation}, {"level", read_level},
    {"time", read_times},        {"perturbation_only", read_perturbation_only},
    {"bisect", read_bisection},  {"bisect_result", read_bisection_result},
};

static int read_statement(struct words *words, struct cw_noise_case *out)
{
    const char *word;
    size_t length;
    if (!next_word(words, &word, &length)) return 0;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strlen(statements[i].keyword) == length && memcmp(statements[i].keyword, word, length) == 0)
            return statements[i].read(words, out);
    return cw_fail_at(words->lines->file, words->lines->number,
                      "unknown statement '%.*s', expected net, app, pert, level, perturbation_only, time, bisect or "
                      "bisect_result",
                      (int)(length < 40 ? length : 40), word);
}

int cw_noise_case_parse(const char *file, const char *data, size_t length, struct cw_noise_case *out)
{
    struct cw_noise_case result = {0};
    result.file = cw_copy_text(file, strlen(file));
    int rc = result.file ? 0 : CW_ENOMEM;
    struct cw_lines lines = cw_lines_of(file, data, length);
    while (!rc && cw_lines_next(&lines)) {
        struct words words = {&lines, lines.line, lines.line + lines.length};
        rc = read_statement(&words, &result);
    }
    if (!rc && !result.endpoints) rc = cw_fail_at(file, 0, "no 'app' line, expected one");
    if (rc) {
        cw_noise_case_free(&result);
        return rc;
    }
    *out = result;
    return 0;
}

int cw_noise_case_read(const char *path, struct cw_noise_case *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (!rc) rc = cw_noise_case_parse(path, text.data, text.length, out);
    cw_text_free(&text);
    return rc;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static void write_pairs(const char *keyword, const struct cw_endpoint_pairs *pairs, struct cw_text *text)
{
    cw_text_printf(text, "%s %zu", keyword, pairs->n);
    for (size_t i = 0; i < pairs->n; i++) cw_text_printf(text, " %u %u", pairs->src[i], pairs->dst[i]);
    cw_text_add(text, "\n");
}

void cw_noise_case_write(const struct cw_noise_case *noise_case, const char *network,
                         const struct cw_noise_replay *replay, struct cw_text *text)
{
    if (*network && !strpbrk(network, " \t#\r\n")) cw_text_printf(text, "net %s\n", network);
    cw_text_printf(text, "app %u", noise_case->ranks);
    for (uint32_t r = 0; r < noise_case->ranks; r++) cw_text_printf(text, " %u", noise_case->endpoints[r]);
    cw_text_add(text, "\n");
    write_pairs("pert", &noise_case->perturbation, text);
    for (size_t i = 0; i < replay->trace.n_levels; i++) {
        const struct cw_level *level = &replay->trace.levels[i];
        cw_text_printf(text, "level %zu %llu %llu %u %llu %u\n", i + 1, (unsigned long long)level->messages,
                       (unsigned long long)level->clean_sum, level->clean_max, (unsigned long long)level->perturbed_sum,
                       level->perturbed_max);
    }
    cw_text_printf(text, "perturbation_only %llu %llu %u\n", (unsigned long long)replay->perturbation_only.messages,
                   (unsigned long long)replay->perturbation_only.sum, replay->perturbation_only.max);
    cw_text_printf(text, "time %.17g %.17g\n", replay->times.clean, replay->times.perturbed);
    if (!noise_case->has_bisection) return;
    write_pairs("bisect", &noise_case->bisection, text);
    cw_text_printf(text, "bisect_result %.17g %u\n", replay->bisection.inverse_sum, replay->bisection.max);
}

void cw_noise_case_free(struct cw_noise_case *noise_case)
{
    if (!noise_case) return;
    free(noise_case->file);
    free(noise_case->network);
    free(noise_case->endpoints);
    free(noise_case->perturbation.src);
    free(noise_case->perturbation.dst);
    free(noise_case->bisection.src);
    free(noise_case->bisection.dst);
    free(noise_case->levels);
    free(noise_case->level_lines);
    *noise_case = (struct cw_noise_case){0};
}
