# topology.conf of a tree is read back as it was written; what scontrol lists of the switches is a network, too.
cp "$GOLDEN/network/topology.conf" "$GOLDEN/network/scontrol.txt" .
for file in topology.conf scontrol.txt; do
    crosswind topo $file --write written.conf --format csv
    cat written.conf
    crosswind topo written.conf --write again.conf >/dev/null
    same written.conf again.conf
done
crosswind topo scontrol.txt | sed -n '/^level/,/^$/p'
printf 'SwitchName=a Nodes=n[1-4]\nSwitchName=b Switches=a,c\n' >topology.conf
run crosswind topo topology.conf
