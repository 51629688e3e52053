/* Files of studies. What is accepted has cases, each with a network of the study's, and as many as its axes allow. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "study/compare/study_file.h"

static void check(const struct cw_study *study)
{
    struct cw_study_case *cases;
    size_t n, most = 1;
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++)
        for (size_t i = 0; i < study->keys[axis].n; i++)
            if (!study->keys[axis].items[i].text) abort();
    if (study->n_rules > 100) return; /* for every case each: that takes its time */
    if (cw_study_cases(study, &cases, &n) != 0) return;
    for (size_t axis = 0; axis < CW_STUDY_AXES; axis++)
        if (axis != CW_STUDY_ROUTING && study->keys[axis].n > 0)
            most *= study->keys[axis].n + (axis == CW_STUDY_LFT ? study->keys[CW_STUDY_ROUTING].n : 0);
    if (study->keys[CW_STUDY_LFT].n == 0 && study->keys[CW_STUDY_ROUTING].n > 0)
        most *= study->keys[CW_STUDY_ROUTING].n;
    if (n == 0 || n > most || (study->n_rules == 0 && n != most)) abort();
    for (size_t i = 0; i < n; i++) {
        const struct cw_study_value *network = &study->keys[CW_STUDY_NETWORK].items[cases[i].network];
        if (strcmp(cases[i].of[CW_STUDY_NETWORK], network->text) != 0) abort();
        if (cases[i].of[CW_STUDY_LFT] && cases[i].of[CW_STUDY_ROUTING]) abort();
    }
    free(cases);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_study study;
    if (cw_study_parse("fuzz", (const char *)data, size, &study) == 0) {
        check(&study);
        cw_study_free(&study);
    } else if (*cw_error_message() == 0) {
        abort(); /* every failure says why */
    }
    return 0;
}
