# Capacity [byte/s] and latency [s] of every cable: 100 Gbit/s are 12.5e9 byte/s.
crosswind topo torus:3x3@100Gbit/s,50ns --write t.graphml >/dev/null
for key in capacity latency; do grep -o "\"$key\">[^<]*" t.graphml | sort | uniq -c | sed 's/^ *//'; done
