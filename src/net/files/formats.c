#include "net/files/formats.h"

#include <string.h>

#include "base/error.h"
#include "net/files/foreign.h"
#include "net/files/formats_internal.h"

#define ENTER_READER(NAME) &cw_reader_##NAME,
#define ENTER_WRITER(NAME) &cw_writer_##NAME,
const struct cw_reader *const cw_readers[] = {CW_READERS(ENTER_READER) NULL};
const struct cw_writer *const cw_writers[] = {CW_WRITERS(ENTER_WRITER) NULL};

const struct cw_registry cw_reader_registry = {.items = cw_readers,
                                               .near = "there is no format '%s' of networks; did you mean '%s'?",
                                               .none = "there is no format '%s' of networks; expected one of %s"};

const struct cw_registry cw_writer_registry = {.items = cw_writers};

bool cw_format_guess(const char *data, size_t length, struct cw_text *guess)
{
    for (const struct cw_reader *const *known = cw_readers; *known; known++) {
        if (!(*known)->recognises(data, length)) continue;
        cw_text_printf(guess, "a network (%s)", (*known)->name);
        return true;
    }
    const struct cw_foreign *foreign = cw_foreign_find(data, length);
    if (foreign) cw_text_add(guess, foreign->what);
    return foreign != NULL;
}

static bool is_blank(const char *data, size_t length)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", data[i])) i++;
    return i == length;
}

static int fail_unknown(const char *file, const char *data, size_t length)
{
    const struct cw_foreign *foreign = cw_foreign_find(data, length);
    struct cw_text names = {0};
    cw_registry_list(&cw_reader_registry, ", ", &names);
    int rc = cw_text_check(&names);
    if (!rc && is_blank(data, length)) rc = cw_fail_at(file, 0, "nothing is in it; expected one of %s", names.data);
    if (!rc && foreign)
        rc = cw_fail_at(file, 0, "this seems to be %s; %s (expected one of %s)", foreign->what, foreign->instead,
                        names.data);
    if (!rc)
        rc = cw_fail_at(file, 0,
                        "the content is in no known format; expected one of %s (a list of cables begins with the line "
                        "\"" CW_EDGES_TITLE "\"; ibnetdiscover prints the map of an InfiniBand fabric)",
                        names.data);
    cw_text_free(&names);
    return rc;
}

static int fail_names(const char *file, const struct cw_reader *reader)
{
    struct cw_text names = {0};
    for (const struct cw_reader *const *known = cw_readers; *known; known++)
        if ((*known)->names_nodes) cw_text_printf(&names, "%s%s", names.length > 0 ? ", " : "", (*known)->name);
    int rc = cw_text_check(&names);
    if (!rc)
        rc = cw_fail(CW_EUSAGE, "%s is in the format %s, to which a node name map does not apply; expected one of %s",
                     file, reader->name, names.data);
    cw_text_free(&names);
    return rc;
}

/* Reads with the names of the file NODE_NAMES (NULL: none). */
static int read_with_names(const struct cw_reader *reader, const char *node_names, const char *file, const char *data,
                           size_t length, struct cw_network **net)
{
    struct cw_node_names *names = NULL;
    if (node_names && !reader->names_nodes) return fail_names(file, reader);
    int rc = node_names ? cw_node_names_read(node_names, &names) : 0;
    if (rc) return rc;
    rc = reader->read(file, data, length, names, net);
    /* The builder refuses what the file says without knowing of the file. */
    if (rc == CW_EUSAGE) rc = cw_fail_at(file, 0, "%s", cw_error_message());
    cw_node_names_free(names);
    return rc;
}

int cw_network_parse_as(const struct cw_reading *how, const char *file, const char *data, size_t length,
                        struct cw_network **net)
{
    const char *format = how->format;
    const struct cw_reader *const *known = cw_readers;
    const struct cw_reader *reader = format ? cw_registry_find(&cw_reader_registry, format) : NULL;
    if (format && !reader) return cw_registry_unknown(&cw_reader_registry, format);
    while (!format && *known && !(*known)->recognises(data, length)) known++;
    if (!format) reader = *known;
    if (!reader) return fail_unknown(file, data, length);
    struct cw_network *read = NULL;
    int rc = read_with_names(reader, how->node_names, file, data, length, &read);
    if (!rc) rc = cw_network_set_title(read, file);
    if (rc)
        cw_network_free(read);
    else
        *net = read;
    return rc;
}

int cw_network_parse(const char *file, const char *data, size_t length, struct cw_network **net)
{
    return cw_network_parse_as(&(struct cw_reading){0}, file, data, length, net);
}

int cw_network_read_as(const struct cw_reading *how, const char *path, struct cw_network **net)
{
    struct cw_text text = {0};
    const bool known = !how->format || cw_registry_find(&cw_reader_registry, how->format);
    int rc = known ? cw_file_read(path, &text) : cw_registry_unknown(&cw_reader_registry, how->format);
    if (!rc) rc = cw_network_parse_as(how, path, text.data, text.length, net);
    cw_text_free(&text);
    return rc;
}

int cw_network_read(const char *path, struct cw_network **net)
{
    return cw_network_read_as(&(struct cw_reading){0}, path, net);
}

/* The writer whose extension PATH has, or NULL. */
static const struct cw_writer *writer_of(const char *path)
{
    const size_t length = strlen(path);
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++) {
        const size_t extension = strlen((*writer)->extension);
        if (length > extension && strcmp(path + length - extension, (*writer)->extension) == 0) return *writer;
    }
    return NULL;
}

static int fail_extension(const char *path)
{
    struct cw_text names = {0};
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++)
        cw_text_printf(&names, "%s%s", writer == cw_writers ? "" : ", ", (*writer)->extension);
    int rc = cw_text_check(&names);
    if (!rc) rc = cw_fail(CW_EUSAGE, "no format writes '%s'; expected a name that ends in one of %s", path, names.data);
    cw_text_free(&names);
    return rc;
}

/* What a file cannot say must not be lost in silence. */
static int check_directions(const struct cw_network *net, const struct cw_writer *writer)
{
    char name[2 * CW_NAME_SIZE];
    for (uint32_t c = 0; c < net->n_channels && !writer->directed; c++) {
        const uint32_t twin = net->twin[c];
        if (net->capacity[c] == net->capacity[twin] && net->latency[c] == net->latency[twin]) continue;
        return cw_fail(CW_EUSAGE,
                       "channel %s has another capacity or latency than the way back, which %s files cannot "
                       "say; expected a name that ends in .json",
                       cw_network_channel_name(net, c, name, sizeof name), writer->extension);
    }
    return 0;
}

int cw_network_write(const struct cw_network *net, const char *path)
{
    const struct cw_writer *writer = writer_of(path);
    if (!writer) return fail_extension(path);
    struct cw_text text = {0};
    int rc = check_directions(net, writer);
    if (!rc) rc = writer->write(net, &text);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}
