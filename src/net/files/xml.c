#include "net/files/xml.h"

#include <expat.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"

#define PIECE ((size_t)1 << 20) /* bytes that expat is given at a time: it counts them in an int */

struct reading {
    const char *file;
    const struct cw_xml_handlers *handlers;
    void *context;
    XML_Parser parser;
    struct cw_text text; /* since the last tag */
    int rc;              /* of the handler that ended the reading */
};

static unsigned long line_of(const struct reading *reading)
{
    return XML_GetCurrentLineNumber(reading->parser);
}

static void stop(struct reading *reading, int rc)
{
    if (reading->rc || !rc) return;
    reading->rc = rc;
    XML_StopParser(reading->parser, XML_FALSE);
}

/* The text since the last tag, without blanks around it; or NULL without memory. */
static const char *take_text(struct reading *reading)
{
    static const char blanks[] = " \t\r\n";
    cw_text_append(&reading->text, "", 1);
    if (cw_text_check(&reading->text)) return NULL;
    char *text = reading->text.data + strspn(reading->text.data, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1])) length--;
    text[length] = 0;
    reading->text.length = 0;
    return text;
}

static void on_begin(void *data, const XML_Char *element, const XML_Char **attributes)
{
    struct reading *reading = data;
    const char *text = reading->rc ? NULL : take_text(reading);
    if (reading->rc) return;
    stop(reading, text ? reading->handlers->begin(reading->context, line_of(reading), element, text,
                                                  (const char *const *)attributes)
                       : CW_ENOMEM);
}

static void on_end(void *data, const XML_Char *element)
{
    struct reading *reading = data;
    const char *text = reading->rc ? NULL : take_text(reading);
    if (reading->rc) return;
    stop(reading, text ? reading->handlers->end(reading->context, line_of(reading), element, text) : CW_ENOMEM);
}

static void on_text(void *data, const XML_Char *characters, int length)
{
    struct reading *reading = data;
    cw_text_append(&reading->text, characters, (size_t)length);
}

static void on_entity(void *data, const XML_Char *name, int parameter, const XML_Char *value, int length,
                      const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
    struct reading *reading = data;
    (void)parameter;
    (void)value;
    (void)length;
    (void)base;
    (void)system;
    (void)public;
    (void)notation;
    stop(reading, cw_fail_at(reading->file, line_of(reading), "the entity '%.60s' is declared, expected none", name));
}

static int fail_parser(const struct reading *reading)
{
    const enum XML_Error error = XML_GetErrorCode(reading->parser);
    if (error == XML_ERROR_NO_MEMORY) return cw_fail(CW_ENOMEM, "out of memory for XML");
    return cw_fail_at(reading->file, line_of(reading), "%s, expected well-formed XML", XML_ErrorString(error));
}

int cw_xml_read(const char *file, const char *data, size_t length, const struct cw_xml_handlers *handlers,
                void *context)
{
    struct reading reading = {.file = file, .handlers = handlers, .context = context, .parser = XML_ParserCreate(NULL)};
    if (!reading.parser) return cw_fail(CW_ENOMEM, "out of memory for XML");
    XML_SetUserData(reading.parser, &reading);
    XML_SetElementHandler(reading.parser, on_begin, on_end);
    XML_SetCharacterDataHandler(reading.parser, on_text);
    XML_SetEntityDeclHandler(reading.parser, on_entity);
    enum XML_Status status = XML_STATUS_OK;
    for (bool last = false; !last && status == XML_STATUS_OK;) {
        const size_t piece = length < PIECE ? length : PIECE;
        last = piece == length;
        status = XML_Parse(reading.parser, data, (int)piece, last);
        data += piece;
        length -= piece;
    }
    const int rc = reading.rc ? reading.rc : status == XML_STATUS_OK ? 0 : fail_parser(&reading);
    XML_ParserFree(reading.parser);
    cw_text_free(&reading.text);
    return rc;
}

const char *cw_xml_attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

/* Behind the next WORD, or END. */
static const char *behind(const char *at, const char *end, const char *word)
{
    const char *found = memmem(at, (size_t)(end - at), word, strlen(word));
    return found ? found + strlen(word) : end;
}

/* Declarations may stand in brackets. */
static const char *behind_doctype(const char *at, const char *end)
{
    const char *close = behind(at, end, ">"), *bracket = memchr(at, '[', (size_t)(close - at));
    return bracket ? behind(behind(bracket, end, "]"), end, ">") : close;
}

bool cw_xml_is(const char *data, size_t length, const char *element)
{
    const char *at = data, *end = data + length;
    const size_t name = strlen(element);
    if (length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (;;) {
        while (at < end && strchr(" \t\r\n", *at)) at++;
        if (end - at < 2 || *at++ != '<') return false;
        if (*at == '?')
            at = behind(at, end, "?>");
        else if (end - at >= 3 && memcmp(at, "!--", 3) == 0)
            at = behind(at, end, "-->");
        else if (*at == '!')
            at = behind_doctype(at, end);
        else
            return (size_t)(end - at) > name && memcmp(at, element, name) == 0 && strchr(" \t\r\n/>", at[name]);
    }
}

void cw_xml_add(struct cw_text *text, const char *string)
{
    json_t *repaired = cw_json_string(string); /* UTF-8, whatever STRING was */
    if (!repaired) {
        text->failed = true;
        return;
    }
    for (const char *at = json_string_value(repaired); *at; at++) {
        if (*at == '&')
            cw_text_add(text, "&amp;");
        else if (*at == '<')
            cw_text_add(text, "&lt;");
        else if (*at == '>')
            cw_text_add(text, "&gt;");
        else if (*at == '"')
            cw_text_add(text, "&quot;");
        else
            cw_text_append(text, (unsigned char)*at < ' ' ? " " : at, 1);
    }
    json_decref(repaired);
}
