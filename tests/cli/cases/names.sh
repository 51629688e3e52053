# Lists of hosts, and hosts for their adapters.
cp "$GOLDEN/fabric/rails.ibnetdiscover" rails
cp "$GOLDEN/../../examples/sample/fabric.ibnetdiscover" sample
count() { crosswind topo "$@" --format csv | columns endpoints | sed -n 2p | sed "s/^/$3: /"; }
echo "# who takes part"
count sample --endpoints 'node[001-064]'
count sample --endpoints 'node[001-004,007],node144'
count sample --endpoints 'node001'
count rails --endpoints node01
count rails --endpoints 'node[01-02]'
echo 'node[01-02] mlx5_0/P1 # the first port of each' >ports
count rails --endpoints ports
echo "# what is wrong"
run crosswind topo sample --endpoints 'node[001-200]'
run crosswind topo sample --endpoints 'node[1-'
run crosswind topo sample --endpoints 'node[0-9999999]'
run crosswind topo sample --endpoints missing.txt
echo 'node[3-1]' >ports
run crosswind topo sample --endpoints ports
run crosswind ebb sample --failed 'spine[1-5]'
echo "# what fails"
crosswind topo sample --failed 'node[001-016],leaf0[2-3]-spine[1-2]' --format csv | columns network cables
crosswind topo rails --failed node01 --format csv | columns cables
echo "# ranks of hosts in their order"
echo 'node[02,01]' >hosts
crosswind congestion rails --endpoints 'node[01-02]' --traffic ring --ranks 2 --placement file:hosts --top 4 |
    sed -n '/^The hottest/,/^[0-9]* of/p'
echo "# one endpoint, or which"
run crosswind route rails --from node01 --to gateway
echo 'node01,gateway,8' >matrix.csv
run crosswind congestion rails --traffic matrix:matrix.csv
