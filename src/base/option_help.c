
#include "base/option.h"

#define HELP_WIDTH  80
#define HELP_COLUMN 26 /* of the sentences */

const char *cw_option_value_name(const struct cw_option *option)
{
    if (option->value_name) return option->value_name;
    switch (option->type) {
    case CW_OPTION_FLAG:
        return "yes|no"; /* in a plug-in's parameters; on a command line a flag has no value */
    case CW_OPTION_INT:
        return "N";
    case CW_OPTION_REAL:
        return "X";
    case CW_OPTION_BYTES:
        return "SIZE";
    case CW_OPTION_RATE:
        return "RATE";
    case CW_OPTION_TIME:
        return "TIME";
    case CW_OPTION_BYTE_TIME:
        return "TIME|RATE";
    case CW_OPTION_TEXT:
        return "TEXT";
    case CW_OPTION_INPUT:
    case CW_OPTION_OUTPUT:
        return "FILE";
    case CW_OPTION_INPUTS:
        return "FILE[,...]";
    case CW_OPTION_NAMED_OUTPUT:
        return "NAME:FILE";
    case CW_OPTION_DIRECTORY:
        return "DIRECTORY";
    case CW_OPTION_CHOICE:
        return "NAME";
    case CW_OPTION_REALS:
        return "X[,X…]";
    case CW_OPTION_SIZES:
        return "SIZE[,SIZE…]";
    case CW_OPTION_INTS:
        return "N[,N…]";
    case CW_OPTION_DIMENSIONS:
        return "N[xN…]";
    }
    return "";
}

/* "  --ratio R[,R…]" or "  g=N". */
static void add_usage(const struct cw_option *option, bool dashes, struct cw_text *line)
{
    if (dashes && option->letter) cw_text_printf(line, "  -%c,", option->letter);
    cw_text_printf(line, "%s%s%s", dashes && option->letter ? " " : "  ", dashes ? "--" : "", option->name);
    if (dashes && option->bare) {
        cw_text_printf(line, "[=%s]", cw_option_value_name(option));
        return;
    }
    if (dashes && option->type == CW_OPTION_FLAG) return;
    cw_text_printf(line, "%c%s", dashes ? ' ' : '=', cw_option_value_name(option));
}

static void add_choices(const struct cw_option *option, struct cw_text *line)
{
    if (option->type != CW_OPTION_CHOICE || option->bare) return;
    const struct cw_registry choices = cw_option_choices(option);
    cw_text_add(line, ": ");
    cw_registry_list(&choices, ", ", line);
}

/* " (required)", " (default: 8)" or nothing. */
static void add_default(const struct cw_option *option, struct cw_text *line)
{
    if (option->required)
        cw_text_add(line, " (required)");
    else if (option->default_text && option->type != CW_OPTION_FLAG && !option->bare)
        cw_text_printf(line, " (default: %s)", option->default_text);
}

/* USAGE and SENTENCE in two columns, or under each other where USAGE is wide; both are freed. */
static void add_row(struct cw_text *usage, struct cw_text *sentence, struct cw_text *text)
{
    if (usage->failed || sentence->failed) {
        text->failed = true;
    } else {
        const size_t width = cw_text_width(usage->data);
        cw_text_add(text, usage->data);
        if (width + 2 > HELP_COLUMN)
            cw_text_printf(text, "\n%*s", HELP_COLUMN, "");
        else
            cw_text_printf(text, "%*s", (int)(HELP_COLUMN - width), "");
        cw_text_wrap(text, sentence->data, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH);
        cw_text_add(text, "\n");
    }
    cw_text_free(usage);
    cw_text_free(sentence);
}

void cw_options_help(const struct cw_option *options, bool dashes, bool all, struct cw_text *text)
{
    for (; options->name; options++) {
        if (options->rare && !all) continue;
        struct cw_text usage = {0}, sentence = {0};
        add_usage(options, dashes, &usage);
        cw_text_add(&sentence, options->help);
        add_choices(options, &sentence);
        add_default(options, &sentence);
        add_row(&usage, &sentence, text);
    }
}

void cw_positional_help(const struct cw_option *positional, struct cw_text *text)
{
    for (; positional->name; positional++) {
        struct cw_text usage = {0}, sentence = {0};
        cw_text_printf(&usage, "  %s", positional->name);
        cw_text_add(&sentence, positional->help);
        add_row(&usage, &sentence, text);
    }
}

void cw_positional_synopsis(const struct cw_option *positional, struct cw_text *text)
{
    for (; positional->name; positional++)
        cw_text_printf(text, positional->required ? " %s%s" : " [%s%s]", positional->name,
                       positional->repeats ? "..." : "");
}
