# Forwarding tables as JSON, with several LIDs and with service levels.
crosswind route xgft:2:2,2:1,2 --routing minhop:lmc=1 --write-json tables.json --write tables >result
cat tables.json
crosswind route xgft:2:2,2:1,2 --lft tables.json --write again | sed -n '/JSON/,/first/p'
same tables again
crosswind route torus:5x5 --routing dfsssp --write-json tables.json --write-path-records records --write-sl2vl sl2vl |
    grep -A 3 '^pairs'
crosswind route torus:5x5 --lft tables.json --write-path-records records-2 --write-sl2vl sl2vl-2 | grep -A 3 '^pairs'
same records records-2
same sl2vl sl2vl-2
echo "# what is wrong"
sed 's/"ports": \[1/"ports": [300/' tables.json >wrong
crosswind route torus:5x5 --lft wrong
head -n 30 tables.json >cut
crosswind route torus:5x5 --lft cut
crosswind route torus:5x5 --routing dor --write-json tables.json
crosswind topo xgft:2:2,2:1,2 --write net.json >result
crosswind route xgft:2:2,2:1,2 --lft net.json
crosswind route tables.json
