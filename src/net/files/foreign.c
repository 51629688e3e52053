#include "net/files/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "net/files/formats.h"

#define LINES 100 /* that are looked at */

#define MAP   "give the map that ibnetdiscover prints"
#define QUERY "it is about one node or path; " MAP
#define HOST  "it is about one host; " MAP

/* A file is of a kind if one of its first lines has BEGIN at its beginning (blanks aside) and WITHIN somewhere (NULL:
 * anything). The first kind that fits counts, line by line. */
static const struct cw_foreign kinds[] = {
    {NULL, "# Topology file: generated on", "a map of ibnetdiscover with something in front of its lines",
     "take that away, as in <(sed 's/^> //' FILE)"},
    {"SwitchName=", NULL, "a Slurm topology.conf", "it has no cables and ports; give the map it was made from"},
    {"BlockName=", NULL, "a Slurm topology.conf", "it has no cables and ports; give the map it was made from"},
    {"switchname=", NULL, "a Slurm topology.conf", "it has no cables and ports; give the map it was made from"},
    {"- topology:", NULL, "a Slurm topology.yaml", "it has no cables and ports; give the map it was made from"},
    {"- switch:", NULL, "a Slurm topology.yaml", "it has no cables and ports; give the map it was made from"},
    {"graph", "{", "a graph in DOT", "that is written but not read"},
    {"digraph", "{", "a graph in DOT", "that is written but not read"},
    {"strict ", "graph", "a graph in DOT", "that is written but not read"},
    {NULL, "<graphml", "a graph in GraphML", "that is written but not read"},
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
    {"START_", NULL, "ibdiagnet's db_csv", "give ibdiagnet2.ibnetdiscover"},
    {NULL, ": PhysSta", "ibdiagnet2.net_dump", "give ibdiagnet2.ibnetdiscover"},
    {"Loading IBDIAGNET", NULL, "what ibdiagnet prints", "give the file that it writes, ibdiagnet2.ibnetdiscover"},
    {"-I- ", NULL, "what ibdiagnet prints", "give the file that it writes, ibdiagnet2.ibnetdiscover"},
    {"-W- ", NULL, "what ibdiagnet prints", "give the file that it writes, ibdiagnet2.ibnetdiscover"},
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

const struct cw_foreign *cw_foreign_find(const char *data, size_t length)
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
