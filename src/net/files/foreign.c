#include "net/files/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define LINES 100 /* that are looked at */

/* A file is of a kind if one of its first lines has BEGIN at its beginning (blanks aside) and WITHIN somewhere. */
static const struct {
    const char *begin, *within; /* NULL: anything */
    const char *what;
} kinds[] = {
    {"SwitchName=", NULL, "a Slurm topology.conf, which has no cables and ports; give the map it was made from"},
    {"BlockName=", NULL, "a Slurm topology.conf, which has no cables and ports; give the map it was made from"},
    {"- topology:", NULL, "a Slurm topology.yaml, which has no cables and ports; give the map it was made from"},
    {"- switch:", NULL, "a Slurm topology.yaml, which has no cables and ports; give the map it was made from"},
    {"graph", "{", "a graph in DOT, which is written but not read"},
    {"digraph", "{", "a graph in DOT, which is written but not read"},
    {"strict ", "graph", "a graph in DOT, which is written but not read"},
    {NULL, "<graphml", "a graph in GraphML, which is written but not read"},
    {"<!DOCTYPE html", NULL, "a page of HTML; was a download refused?"},
    {"<html", NULL, "a page of HTML; was a download refused?"},
    {NULL, "] 0x01 -> ", "a log of OpenSM; give the map that ibnetdiscover prints"},
    {NULL, "] 0x02 -> ", "a log of OpenSM; give the map that ibnetdiscover prints"},
    {NULL, "] 0x80 -> ", "a log of OpenSM; give the map that ibnetdiscover prints"},
    {"Unicast lids", " of switch ", "forwarding tables, for --lft"},
    {NULL, "dump_ucast_routes: Switch", "forwarding tables, for --lft"},
    {"Multicast mlids", NULL, "forwarding tables of multicast"},
    {"Switch: guid 0x", NULL, "opensm-lid-matrix.dump; give the map that ibnetdiscover prints"},
    {"START_", NULL, "ibdiagnet's db_csv; give ibdiagnet2.ibnetdiscover"},
    {"Switch", ": 0x", "a list of nodes (ibswitches), which has no cables; give the map that ibnetdiscover prints"},
    {"Ca", ": 0x", "a list of nodes (ibhosts), which has no cables; give the map that ibnetdiscover prints"},
};

static bool has(const char *line, size_t length, const char *word)
{
    return !word || (length > 0 && memmem(line, length, word, strlen(word)));
}

static bool begins(const char *line, size_t length, const char *word)
{
    return !word || (length >= strlen(word) && memcmp(line, word, strlen(word)) == 0);
}

const char *cw_foreign_name(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (lines.number < LINES && cw_lines_next(&lines)) {
        const char *line = lines.line;
        size_t n = lines.length;
        for (; n > 0 && (*line == ' ' || *line == '\t'); n--) line++;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (begins(line, n, kinds[i].begin) && has(line, n, kinds[i].within)) return kinds[i].what;
    }
    return NULL;
}
