# A network written for BookSim and read back is the same to every flit: latencies
# between switches are the cycles that flit makes of them, those of endpoints are 1.
for net in torus:4x4 'xgft:2:3,4:1,2@100Gbit/s,37ns'; do
    crosswind topo "$net" --write net.anynet >/dev/null
    head -n 1 net.anynet
    crosswind topo net.anynet --write again.anynet --format csv | columns -network
    same net.anynet again.anynet
    for file in "$net" net.anynet; do
        crosswind flit "$file" --load 0.2 --warmup 200 --cycles 500 --unsteady --hardware host-latency=1 --format csv | columns -network,latency_seconds
    done
done
# What BookSim would take for another network is not written.
run crosswind topo xgft:2:4,2:1,2:1,4 --write net.anynet
run crosswind topo torus:4x4 --degraded 's(0,0)-s(1,0)=10Gbit/s' --write net.anynet
cat >broken.anynet <<'END'
router 0 node 0 router 1
router 1 node 0
END
run crosswind topo broken.anynet
