#include "net/files/formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/files/compressed.h"
#include "base/registry_internal.h"
#include "base/text.h"
#include "net/files/formats_internal.h"
#include "net/network_internal.h"

/*
 * Files of other tools, which are no networks but are given as one: their names, for messages. Private to net/.
 */

struct foreign {
    const char *begin, *within; /* how it is told, see the table */
    const char *what;           /* "a list of nodes (ibhosts)", behind "this seems to be" */
    const char *instead;        /* what to do where a network was expected: "give ..." */
};

#define LINES 100 /* that are looked at */

#define BLOCKS "give a topology.conf of switches, what scontrol show topology prints, or the map it was made from"

#define MAP   "give the map that ibnetdiscover prints"
#define QUERY "it is about one node or path; " MAP
#define HOST  "it is about one host; " MAP

/* A file is of a kind if one of its first lines has BEGIN at its beginning (blanks aside) and WITHIN somewhere (NULL:
 * anything). The first kind that fits counts, line by line. */
static const struct foreign kinds[] = {
    {NULL, "# Topology file: generated on", "a map of ibnetdiscover with something in front of its lines",
     "take that away, as in <(sed 's/^> //' FILE)"},
    {"BlockName=", NULL, "a Slurm topology.conf of blocks", BLOCKS},
    {"- topology:", NULL, "a Slurm topology.yaml", BLOCKS},
    {"- switch:", NULL, "a Slurm topology.yaml", BLOCKS},
    {"graph", "{", "a graph in DOT", "that is written but not read"},
    {"digraph", "{", "a graph in DOT", "that is written but not read"},
    {"strict ", "graph", "a graph in DOT", "that is written but not read"},
    {"<topology", NULL, "what lstopo writes", HOST},
    {"<system ", "version", "a topology of NCCL", HOST},
    {"GPU0", NULL, "what nvidia-smi topo prints", HOST},
    {"hca_id:", NULL, "what ibv_devinfo prints", HOST},
    {"# DEVICE ATTRIBUTES OPTIONS", NULL, "an opensm.conf", MAP},
    {NULL, ": command not found", "an error message of the shell", "the command that should have made it failed"},
    {NULL, ": Permission denied", "an error message", "the command that should have made it failed"},
    {NULL, ": No such file or directory", "an error message", "the command that should have made it failed"},
    {"<!DOCTYPE html", NULL, "a page of HTML", "was a download refused?"},
    {"<!doctype html", NULL, "a page of HTML", "was a download refused?"},
    {"<html", NULL, "a page of HTML", "was a download refused?"},
    {NULL, "iberror: failed", "an error message of infiniband-diags", "the command that should have made it failed"},
    {"ibwarn: [", NULL, "warnings of infiniband-diags", "the command that should have made it failed"},
    {"Fatal error:", NULL, "an error message of infiniband-diags", "the command that should have made it failed"},
    {NULL, "] 0x01 -> ", "a log of OpenSM", MAP},
    {NULL, "] 0x02 -> ", "a log of OpenSM", MAP},
    {NULL, "] 0x7f -> ", "a log of ibdiagnet", MAP},
    {NULL, "] 0x80 -> ", "a log of OpenSM", MAP},
    {"Unicast lids", " of switch ", CW_FORMAT_TABLES, "they are for --lft"},
    {NULL, "dump_ucast_routes: Switch", CW_FORMAT_TABLES, "they are for --lft"},
    {"Multicast mlids", NULL, "multicast tables", MAP},
    {"Switch 0x", "MLID", "multicast tables (opensm.mcfdbs)", MAP},
    {NULL, "dump_ar", "tables of adaptive routing", MAP},
    {"Switch: guid 0x", NULL, "opensm-lid-matrix.dump", MAP},
    {"# SL2VL table:", NULL, "SL2VL tables", "they are for --sl2vl"},
    {"#in out :", NULL, "SL2VL tables", "they are for --sl2vl"},
    {"PathRecord dump:", NULL, "path records", "they are for --path-records"},
    {"# LID  : SL", NULL, "path records", "they are for --path-records"},
    {"LinkRecord dump:", NULL, "link records of saquery, which say LIDs and no names", MAP},
    {"NodeRecord dump:", NULL, "node records of saquery, which have no cables", MAP},
    {"LFT Record dump:", NULL, "records of saquery", "dump_fts prints forwarding tables that --lft reads"},
    {NULL, "Record dump:", "records of saquery", MAP},
    {NULL, ": PhysSta", "ibdiagnet2.net_dump", "give ibdiagnet2.db_csv or ibdiagnet2.ibnetdiscover"},
    {"Loading IBDIAGNET", NULL, "what ibdiagnet prints",
     "give the file that it writes, ibdiagnet2.db_csv or ibdiagnet2.ibnetdiscover"},
    {"-I- ", NULL, "what ibdiagnet prints",
     "give the file that it writes, ibdiagnet2.db_csv or ibdiagnet2.ibnetdiscover"},
    {"-W- ", NULL, "what ibdiagnet prints",
     "give the file that it writes, ibdiagnet2.db_csv or ibdiagnet2.ibnetdiscover"},
    {"CA '", NULL, "what ibstat prints", QUERY},
    {"Infiniband device '", NULL, "what ibstatus prints", QUERY},
    {"From ", "portnum", "what ibtracert prints", QUERY},
    {"BaseVers:", NULL, "what smpquery prints", QUERY},
    {"sminfo:", NULL, "what sminfo prints", QUERY},
    {"# Port counters:", NULL, "counters of ports (perfquery)", QUERY},
    {"Errors for ", NULL, "counters of ports (ibqueryerrors)", QUERY},
    {"Switch", ": 0x", "a list of nodes (ibswitches)", "it has no cables; " MAP},
    {"Ca", ": 0x", "a list of nodes (ibhosts)", "it has no cables; " MAP},
    {"0x", " 0x", "a list of GUIDs, such as guid2lid", MAP},
    {"[{", NULL, "JSON of another tool", MAP},
    {"Router", ": 0x", "a list of nodes (ibrouters)", "it has no cables; " MAP},
};

static bool has(const char *line, size_t length, const char *word)
{
    return !word || (length > 0 && memmem(line, length, word, strlen(word)));
}

static bool begins(const char *line, size_t length, const char *word)
{
    return !word || (length >= strlen(word) && memcmp(line, word, strlen(word)) == 0);
}

/* What the LENGTH bytes at DATA seem to be, or NULL if there is no telling. Static. */
static const struct foreign *find_foreign(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (lines.number < LINES && cw_lines_next(&lines)) {
        const char *line = lines.line;
        size_t n = lines.length;
        for (; n > 0 && (*line == ' ' || *line == '\t'); n--) line++;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (begins(line, n, kinds[i].begin) && has(line, n, kinds[i].within)) return &kinds[i];
    }
    return NULL;
}

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
    const struct foreign *foreign = find_foreign(data, length);
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
    const struct foreign *foreign = find_foreign(data, length);
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

size_t cw_identity_parts(const struct cw_identity *identity, struct cw_identity_part parts[CW_IDENTITY_PARTS])
{
    const struct cw_identity_part all[CW_IDENTITY_PARTS] = {{"node_guid", true, identity->node_guid},
                                                            {"port_guid", true, identity->port_guid},
                                                            {"system_guid", true, identity->system_guid},
                                                            {"lid", false, identity->lid},
                                                            {"lmc", false, identity->lmc},
                                                            {"ports", false, identity->ports},
                                                            {"device", false, identity->device},
                                                            {"vendor", false, identity->vendor}};
    size_t n = 0;
    for (size_t i = 0; i < CW_IDENTITY_PARTS; i++)
        if (all[i].value != 0) parts[n++] = all[i];
    return n;
}

const struct cw_writer *cw_writer_of(const char *path)
{
    size_t length;
    cw_compressed_name(path, &length);
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++) {
        const size_t extension = strlen((*writer)->extension);
        if (length > extension && memcmp(path + length - extension, (*writer)->extension, extension) == 0)
            return *writer;
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
                       "say; expected a name that ends in .json or .graphml",
                       cw_network_channel_name(net, c, name, sizeof name), writer->extension);
    }
    return 0;
}

int cw_network_write(const struct cw_network *net, const char *path)
{
    const struct cw_writer *writer = cw_writer_of(path);
    if (!writer) return fail_extension(path);
    struct cw_text text = {0};
    int rc = check_directions(net, writer);
    if (!rc) rc = writer->write(net, &text);
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}
