# Two switches and three hosts, as lldpd has told of each; what lldpcli prints as plain JSON is another form.
cp "$GOLDEN/network/lldp.json" .
crosswind topo lldp.json --format csv | columns -network
crosswind topo lldp.json | sed -n '/speed of some/,/^#/p' | grep '^[^#]'
crosswind route lldp.json --format csv | sed -n 2p
echo '{"lldp": {"interface": {"eth0": {"via": "LLDP"}}}}' >plain.json
run crosswind topo plain.json
