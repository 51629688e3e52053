/*
 * D-mod-k and dimension-order routes against recorded trials: messages of each level of a binomial tree, their
 * congestion without and with a perturbation, and sometimes a bisection. tests/golden/noise has some;
 * $CW_SHARED/reference/noise-cases more.
 */
#include "../skip.h"
#include "net/network_internal.h"
#include "route_test.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"

#define MOST_LEVELS 32

struct pairs {
    size_t n;
    uint32_t *src, *dst;
};

struct outcome {
    uint64_t messages, sum, max;
    double inverse; /* sum of 1/congestion */
};

struct noise_case {
    char spec[256];
    struct pairs app; /* src only: the endpoint of each rank */
    struct pairs perturbation, bisection;
    uint64_t level[MOST_LEVELS][5]; /* messages, sum and maximum clean, sum and maximum perturbed */
    size_t n_levels;
    uint64_t alone[3]; /* the perturbation's messages, sum and maximum */
    double bisection_inverse;
    uint64_t bisection_max;
};

/* --- reading ----------------------------------------------------------------------------------------------------- */

static uint64_t number(char **at)
{
    char *end;
    const uint64_t value = strtoull(*at, &end, 10);
    assert_ptr_not_equal(end, *at);
    *at = end;
    return value;
}

static struct pairs read_pairs(char *at, bool single)
{
    struct pairs pairs = {.n = number(&at)};
    pairs.src = zeros(pairs.n, sizeof *pairs.src);
    pairs.dst = zeros(pairs.n, sizeof *pairs.dst);
    for (size_t i = 0; i < pairs.n; i++) {
        pairs.src[i] = (uint32_t)number(&at);
        if (!single) pairs.dst[i] = (uint32_t)number(&at);
    }
    return pairs;
}

static void free_pairs(struct pairs *pairs)
{
    free(pairs->src);
    free(pairs->dst);
}

/* "xgft h m… w… radix" or "torus k n" as a specification. */
static void read_network(char *at, struct noise_case *out)
{
    struct cw_text text = {0};
    if (strncmp(at, "torus ", 6) == 0) {
        at += 6;
        const uint64_t k = number(&at), n = number(&at);
        for (uint64_t d = 0; d < n; d++) cw_text_printf(&text, "%s%" PRIu64, d ? "x" : "torus:", k);
    } else {
        assert_int_equal(strncmp(at, "xgft ", 5), 0);
        at += 5;
        const uint64_t h = number(&at);
        cw_text_printf(&text, "xgft:%" PRIu64, h);
        for (uint64_t i = 0; i < 2 * h; i++) cw_text_printf(&text, "%c%" PRIu64, i % h ? ',' : ':', number(&at));
        cw_text_printf(&text, ":radix=%" PRIu64, number(&at));
    }
    must(cw_text_check(&text));
    snprintf(out->spec, sizeof out->spec, "%s", text.data);
    cw_text_free(&text);
}

/* What follows WORD and a blank at the beginning of LINE, or NULL. */
static char *after(char *line, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static void read_line(char *line, struct noise_case *out)
{
    char *at;
    if ((at = after(line, "net"))) {
        read_network(at, out);
    } else if ((at = after(line, "app"))) {
        out->app = read_pairs(at, true);
    } else if ((at = after(line, "pert"))) {
        out->perturbation = read_pairs(at, false);
    } else if ((at = after(line, "bisect"))) {
        out->bisection = read_pairs(at, false);
    } else if ((at = after(line, "level"))) {
        assert_int_equal(number(&at), out->n_levels + 1);
        for (size_t i = 0; i < 5; i++) out->level[out->n_levels][i] = number(&at);
        out->n_levels++;
    } else if ((at = after(line, "perturbation_only"))) {
        for (size_t i = 0; i < 3; i++) out->alone[i] = number(&at);
    } else if ((at = after(line, "bisect_result"))) {
        out->bisection_inverse = strtod(at, &at);
        out->bisection_max = number(&at);
    }
}

static struct noise_case read_case(const char *path)
{
    struct noise_case result = {0};
    struct cw_text content = {0};
    must(cw_file_read(path, &content));
    for (char *line = strtok(content.data, "\n"); line; line = strtok(NULL, "\n")) read_line(line, &result);
    cw_text_free(&content);
    assert_true(result.n_levels > 0 && result.perturbation.n > 0);
    return result;
}

/* --- replaying --------------------------------------------------------------------------------------------------- */

/* The congestion of MESSAGES, on top of what OTHERS load the channels with. */
static struct outcome congestion(const struct cw_routes *routes, const struct pairs *messages,
                                 const struct pairs *others)
{
    const uint32_t stride = cw_routes_max_hops(routes);
    uint32_t *load = zeros(cw_routes_network(routes)->n_channels, sizeof *load);
    uint32_t *hops = zeros(messages->n, sizeof *hops), *channels = zeros(messages->n * stride, sizeof *channels);
    struct outcome outcome = {.messages = messages->n};
    if (others) must(cw_routes_count(routes, others->n, others->src, others->dst, load));
    must(cw_routes_count(routes, messages->n, messages->src, messages->dst, load));
    must(cw_routes_paths(routes, messages->n, messages->src, messages->dst, hops, channels, NULL));
    for (size_t i = 0; i < messages->n; i++) {
        uint32_t most = 0;
        for (uint32_t h = 0; h < hops[i]; h++)
            if (load[channels[i * stride + h]] > most) most = load[channels[i * stride + h]];
        outcome.sum += most;
        outcome.inverse += 1.0 / most;
        if (most > outcome.max) outcome.max = most;
    }
    free(load);
    free(hops);
    free(channels);
    return outcome;
}

static void check_level(const struct cw_routes *routes, const struct noise_case *expected, size_t level)
{
    const uint32_t step = UINT32_C(1) << level;
    struct pairs messages = {.src = zeros(step, sizeof *messages.src), .dst = zeros(step, sizeof *messages.dst)};
    for (uint32_t r = 0; r < step && r + step < expected->app.n; r++) {
        messages.src[messages.n] = expected->app.src[r];
        messages.dst[messages.n++] = expected->app.src[r + step];
    }
    const struct outcome clean = congestion(routes, &messages, NULL);
    const struct outcome perturbed = congestion(routes, &messages, &expected->perturbation);
    const uint64_t *const figures = expected->level[level];
    assert_int_equal(clean.messages, figures[0]);
    assert_int_equal(clean.sum, figures[1]);
    assert_int_equal(clean.max, figures[2]);
    assert_int_equal(perturbed.sum, figures[3]);
    assert_int_equal(perturbed.max, figures[4]);
    free_pairs(&messages);
}

static void check_case(const char *path)
{
    struct noise_case expected = read_case(path);
    struct cw_network *net = network_of(expected.spec);
    struct cw_routes *routes = routes_of(net, NULL);
    for (size_t level = 0; level < expected.n_levels; level++) check_level(routes, &expected, level);
    const struct outcome alone = congestion(routes, &expected.perturbation, NULL);
    assert_int_equal(alone.messages, expected.alone[0]);
    assert_int_equal(alone.sum, expected.alone[1]);
    assert_int_equal(alone.max, expected.alone[2]);
    const struct outcome bisection = congestion(routes, &expected.bisection, NULL);
    assert_true(fabs(bisection.inverse - expected.bisection_inverse) < 1e-8);
    assert_int_equal(bisection.max, expected.bisection_max);
    cw_routes_free(routes);
    cw_network_free(net);
    free_pairs(&expected.app);
    free_pairs(&expected.perturbation);
    free_pairs(&expected.bisection);
}

/* The number of cases in FOLDER, all checked; -1 if there is no such folder. */
static int check_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    int n = 0;
    if (!directory) return -1;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char path[1024];
        const size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".txt") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_case(path);
        n++;
    }
    closedir(directory);
    return n;
}

static void recorded_cases(void **state)
{
    (void)state;
    assert_true(check_folder(CW_TEST_DATA "/golden/noise") >= 3);
}

static void reference_cases(void **state)
{
    (void)state;
    const char *shared = getenv("CW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/reference/noise-cases", shared ? shared : CW_TEST_DATA "/../../shared");
    const int n = check_folder(folder);
    if (n < 0) skip_because("there is no %s", folder);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_cases), cmocka_unit_test(reference_cases)};
    return run_cases(tests);
}
