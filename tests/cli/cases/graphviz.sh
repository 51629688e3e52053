# Graphviz accepts what is written for it, and finds all vertices, cables and speeds in it.
command -v dot >/dev/null && command -v gvpr >/dev/null || { echo "graphviz is missing"; exit 77; }
cp "$GOLDEN/fabric/rails.ibnetdiscover" .
printf '# crosswind edge list\n"a \\ b" s 100Gbit/s 1us\n"é; {b}" s 0.5GB/s\n' >names.edges
for net in torus:4x3 xgft:2:4,3:1,2:1,2 dragonfly:1,4,2,g=4 crossbar:9 rails.ibnetdiscover names.edges; do
    crosswind topo $net --write drawing.dot --format csv >counts.csv
    dot -Tplain drawing.dot >plain.txt || echo "dot refuses $net"
    dot -Tsvg drawing.dot >drawing.svg || echo "dot refuses $net"
    awk '$1 == "node" {nodes++} $1 == "edge" {edges++} END {print nodes, "vertices,", edges, "cables"}' plain.txt
    python3 -c '
import csv
row = next(csv.DictReader(open("counts.csv")))
print(int(row["endpoints"]) + int(row["switches"]), "vertices,", row["cables"], "cables")'
    gvpr 'E {print($.capacity, " ", $.latency)}' drawing.dot | sort | uniq -c
done
