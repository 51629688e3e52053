# Maps as they come: what is no part of them, what contradicts itself, and what other tools write.
fabric=$GOLDEN/fabric/two-level.ibnetdiscover
# what a reader had to remark stands with the result, whatever its format
remarks()
{
    echo "\$ $1"
    crosswind topo $1 --format json >result.json && python3 -c '
import json
result = json.load(open("result.json"))
row = result["tables"]["topology"]["rows"][0]
print(row["endpoints"], "endpoints,", row["switches"], "switches,", row["cables"], "cables")
print("\n".join(note for note in result["notes"] if note.startswith(("'$1'"))))'
}
# a terminal's lines above, below and among the records
{
    echo '[root@head ~]# ibnetdiscover'
    echo 'ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1)'
    sed '/^switchguid=0x5000a1/i ibwarn: [4711] mad_rpc: timed out' "$fabric"
    echo '[root@head ~]# '
} >terminal.txt
remarks terminal.txt
crosswind topo terminal.txt --write terminal.json >/dev/null
crosswind topo "$fabric" --write fabric.json >/dev/null
same terminal.json fabric.json
# ibdiagnet: the system's GUID in front of the parenthesis
sed 's/^sysimgguid=0x5000a[01]$/sysimgguid=0x999/; s/^switchguid=0x5000a\([01]\)(/switchguid=0x999(/' "$fabric" >system.txt
grep -c '=0x999' system.txt
remarks system.txt
# a loop-back cable, two owners of a LID, a peer's LID that is not its own
awk '/^Switch.*S-00000000005000a0/ {sub("Switch\t8", "Switch\t10"); print
        print "[9]\t\"S-00000000005000a0\"[10]\t\t# \"leaf-0\" lid 11 4xSDR"
        print "[10]\t\"S-00000000005000a0\"[9]\t\t# \"leaf-0\" lid 11 4xSDR"; next} {print}' "$fabric" >loop.txt
remarks loop.txt
sed '/^Ca.*"node-02"/,/^$/s/lid 3 lmc/lid 4 lmc/' "$fabric" >lids.txt
remarks lids.txt
sed '/^Ca.*"node-02"/,/^$/s/^\[1\](700021)/[1](700031)/' "$fabric" >guids.txt
run crosswind topo guids.txt
sed '/^Ca.*"node-02"/,/^$/s/lid 3 lmc/lid 60000 lmc/' "$fabric" >range.txt
run crosswind topo range.txt
sed '/^Ca.*"node-02"/,/^$/s/lid 3 lmc/lid 65535 lmc/' "$fabric" >none.txt
remarks none.txt
# what was remarked is said also if the command then fails
run crosswind route loop.txt --from node-01 --to nowhere
run crosswind ebb lids.txt --lft missing.lfts
# forwarding tables under the head that OpenSM itself writes
for head in osm_ucast_mgr_dump_ucast_routes __osm_ucast_mgr_dump_ucast_routes; do
    sed "s/^dump_ucast_routes/$head/" "$GOLDEN/fabric/two-level.fdbs" >tables.fdbs
    crosswind route "$fabric" --lft tables.fdbs --format csv >tables.csv
    crosswind route "$fabric" --lft "$GOLDEN/fabric/two-level.fdbs" --format csv >expected.csv
    sed 's/"[^"]*"//g; s|[^,]*two-level[^,]*||g; s|[^,]*tables.fdbs[^,]*||g' tables.csv >a
    sed 's/"[^"]*"//g; s|[^,]*two-level[^,]*||g; s|[^,]*tables.fdbs[^,]*||g' expected.csv >b
    same a b
done
# another tool's file, and a list of cables that does not say it is one
printf 'BlockName=b1 Nodes=n[1-4]\n' >topology.conf
run crosswind topo topology.conf
printf 'a s\nb s\n' >cables.txt
run crosswind topo cables.txt
crosswind topo cables.txt --input-format edges --format csv
run crosswind topo cables.txt --input-format edge
run crosswind topo cables.txt --input-format json
run crosswind topo fattree:16
run crosswind topo fat-tree
run crosswind topo clos:3
crosswind topo xgft:3:8,8,16:1,8,8 --format csv | cut -d, -f2-4
# escape bytes of a file are shown, not sent to the terminal
sed 's/"node-02"/"node\x1b[31m02"/' "$fabric" >escape.txt
crosswind route escape.txt --from node-01 --to "$(printf 'node\033[31m02')" | head -n 6
crosswind route escape.txt --from "$(printf 'x\033[31m')" --to node-01 || :
