/* The user's defaults: each line that is accepted is an option that may have one, and is told in words that are
 * accepted. */
#include <stdlib.h>

#include "base/error.h"
#include "cli/configuration.h"
#include "cli/verb.h"
#include "fuzz.h"

const char program_name[] = "crosswind";
extern const struct verb verb_noise, verb_model, verb_model_split_tree, verb_plan, verb_help;
const struct verb *const verbs[] = {&verb_noise, &verb_model, &verb_model_split_tree, &verb_plan, &verb_help, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct configuration configuration = {0};
    struct cw_text words = {0};
    if (configuration_parse("config", (const char *)data, size, &configuration) != 0) {
        if (*cw_error_message() == 0) abort();
    } else {
        for (size_t i = 0; i < configuration.n; i++) {
            const struct configuration_line *line = &configuration.lines[i];
            if (!line->option || line->option->type == CW_OPTION_OUTPUT || line->number == 0 || !line->value) abort();
            configuration.lines[i].used = true;
        }
        configuration_add_words(&configuration, false, &words);
        if ((words.length > 0) != (configuration.n > 0)) abort();
    }
    cw_text_free(&words);
    configuration_free(&configuration);
    return 0;
}
