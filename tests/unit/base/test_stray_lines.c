/* Lines that terminals and tools leave in files, and lines of the files that look a little like them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/files/stray_lines.h"
#include "base/input.h"

static const char *const strays[] = {
    "[root@mgmt ~]# ibnetdiscover",
    "[root@mgmt ~]# ",
    "[sudo] password for joe: ",
    "root@mgmt:~# exit",
    "root@mgmt:~#",
    "joe@mgmt:/var/log$ cat opensm.fdbs",
    "Script started on 2024-01-01 10:00:00+01:00",
    "Script done on 2024-01-01 10:01:00+01:00",
    "```",
    "ibwarn: [22105] mad_rpc: _do_madrpc failed; dport (Lid 4)",
    "iberror: failed: discover failed",
    "src/query_smp.c:228; umad (DR path slid 0; dlid 0; 0,1 Attr 0x15:0) bad status 110",
    "/usr/src/ibnetdisc.c:811; Failed to resolve self",
};

static const char *const records[] = {
    "",
    "[1]\t\"H-0000000000070030\"[1](70031) \t\t# \"root@node-3:~# \" lid 3 4xSDR",
    "[1@]",
    "Switch\t8 \"S-00000000000500b0\"\t\t# \"a.c:12; b\" base port 0 lid 6 lmc 0",
    "vendid=0x0",
    "CA: root@node:~# :",
    "CA     4  1 0x0000000000070041 4x SDR - SW     6  2 0x00000000000500b0 ( 'a@b:~$ ' - 'leaf-b' )",
    "0x0001 012 # Channel Adapter portguid 0x0000000000070011: 'root@mgmt:~# '",
    "Unicast lids [0x0-0x7] of switch Lid 5 guid 0x00000000000500a0 (root@a:~# ):",
    "22 lids dumped",
    "joe@mgmt",
    "joe@mgmt:22",
    "file.c:;",
    "file.c:12",
};

static void told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
        if (!cw_is_stray(strays[i], strlen(strays[i]))) fail_msg("%s", strays[i]);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (cw_is_stray(records[i], strlen(records[i]))) fail_msg("%s", records[i]);
}

static void remarks(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    struct cw_stray_lines some = {0}, none = {0};
    cw_inputs_record(&inputs);
    cw_stray_lines_remark(&none, "map", "map");
    assert_null(inputs.remarks.data);
    cw_stray_lines_add(&some, strays[0], strlen(strays[0]), 3);
    cw_stray_lines_remark(&some, "a", "map");
    cw_stray_lines_add(&some, "", 0, 5);
    cw_stray_lines_remark(&some, "b", "map");
    cw_stray_lines_add(&some, strays[9], strlen(strays[9]), 7);
    cw_stray_lines_remark(&some, "c", "tables");
    cw_stray_lines_add(&some, strays[11], strlen(strays[11]), 8);
    cw_stray_lines_remark(&some, "d", "tables");
    cw_inputs_record(NULL);
    assert_string_equal(inputs.remarks.data,
                        "a:3: 1 line is no part of the map, the first here: passed over.\n"
                        "b:3: 2 lines are no part of the map, the first here: passed over.\n"
                        "c:3: 3 lines are no part of the tables, the first here: passed over. 1 is an error or warning "
                        "of the tool that wrote it: what it could not reach is missing here.\n"
                        "d:3: 4 lines are no part of the tables, the first here: passed over. 2 are errors or warnings "
                        "of the tool that wrote it: what it could not reach is missing here.\n");
    cw_inputs_free(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(told_apart), cmocka_unit_test(remarks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
