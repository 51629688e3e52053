# ibdiagnet's tables: speeds, LIDs, names by a map, and a table that is missing.
cp "$GOLDEN/network/small.db_csv" ibdiagnet2.db_csv
crosswind topo ibdiagnet2.db_csv --write net.json | sed -n '/^kind/,/^$/p;/^from/,/^$/p'
sed -n '/names/,/\]/p;/identities/,$p' net.json
printf '0x31 "login"\n' >names
crosswind topo ibdiagnet2.db_csv --node-name-map names --write net.json >/dev/null
grep login net.json
sed '/START_LINKS/,$d' ibdiagnet2.db_csv >cut.db_csv
run crosswind topo cut.db_csv
