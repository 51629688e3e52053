# What topo says of each kind of network, and of parts of one.
for net in torus:4x4 mesh:3x3x3 hypercube:5 xgft:3:4,4,4:1,2,2:1,2,1 xgft:2:4,4:1,2:radix=8 dragonfly:2,4,2 \
    bgq:512,merge2 crossbar:7 hyperx:4x3,2,k=1x2 slimfly:5 megafly:2,4,4,2 jellyfish:20,4,2,seed=3 \
    rail:8,4,4,pods=2,spines=4; do
    run crosswind topo $net
done
run crosswind topo torus:4x4@100Gbit/s,250ns
run crosswind topo dragonfly:2,4,2,g=5 --seed 2
cp "$GOLDEN/fabric/rails.ibnetdiscover" .
run crosswind topo rails.ibnetdiscover
run crosswind topo rails.ibnetdiscover --endpoints hca
printf 'h3\n  # h4\nh5 # the last\n' >some.txt
run crosswind topo torus:4x4 --endpoints some.txt
