# Capacity [byte/s] and latency [s] of every cable: 100 Gbit/s are 12.5e9 byte/s.
crosswind topo torus:3x3@100Gbit/s,50ns --write t.graphml >/dev/null
crosswind topo t.graphml --write again.graphml --format csv
same t.graphml again.graphml
crosswind topo "$GOLDEN/fabric/rails.ibnetdiscover" --write r.json >/dev/null
crosswind topo "$GOLDEN/fabric/rails.ibnetdiscover" --write r.graphml >/dev/null
crosswind topo r.graphml --write again.json >/dev/null
same r.json again.json
# what others write; who is an endpoint is said
for file in zoo boxes; do
    cp "$GOLDEN/network/$file.graphml" .
    crosswind topo $file.graphml | sed -n '/^from/,/^$/p;/No node/,/^#/p' | grep '^[^#]'
done
printf '<graphml><graph><node id="a"/>\n<edge source="a" target="b"/></graph></graphml>' >broken.graphml
run crosswind topo broken.graphml
for key in capacity latency; do grep -o "\"$key\">[^<]*" t.graphml | sort | uniq -c | sed 's/^ *//'; done
