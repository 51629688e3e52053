# A platform that is written for SimGrid is read back, whole; what its links share is said, and clusters are refused.
for net in torus:4x4@100Gbit/s,37ns jellyfish:8,3,1; do
    crosswind topo $net --write net.xml --format csv | columns -network
    crosswind topo net.xml --format csv | columns -network
done
run crosswind topo xgft:2:4,2:1,2:1,4 --write net.xml
cp "$GOLDEN/network/shared.xml" .
crosswind topo shared.xml | sed -n '/^from/,/^$/p;/Both/,/^#/p' | grep '^[^#]'
printf '<platform version="4.1">\n<cluster id="c" topology="TORUS" topo_parameters="3,2,2"/>\n</platform>\n' >cluster.xml
run crosswind topo cluster.xml
