# Networks of small diameter: minimal routings and those that go around, at full load of bit complement.
flit()
{
    crosswind flit "$@" --load 1 --message 256B --warmup 1000 --cycles 2000 --threads 1 --unsteady --format csv |
        columns routing,accepted_mean
}
flit hyperx:4x4,4 --traffic bitcomp --routing hyperx-dor,dal,valiant
flit slimfly:4,3 --traffic bitcomp --routing hop-lanes,spray,valiant
flit megafly:2,4,4,2 --traffic group-adversarial:1 --routing megafly-minimal,megafly-valiant
flit jellyfish:20,4,2 --traffic bitcomp --routing hop-lanes,spray,valiant
flit rail:8,4,4,pods=2,spines=8 --traffic bitcomp --routing rail-local,rail-spray
for net in hyperx:4x4,4 slimfly:4,3 megafly:2,4,4,2 jellyfish:20,4,2 rail:8,4,4,pods=2,spines=8; do
    crosswind route $net --format csv | head -n 2 | columns routes,hops_mean,lanes,deadlock_free
    crosswind ebb $net --trials 50 --format csv | columns ebb_mean
done
run crosswind route torus:4x4 --routing dal
run crosswind flit torus:8x8 --routing valiant
run crosswind flit megafly:1,2,1,1 --routing megafly-valiant
run crosswind topo slimfly:6
run crosswind topo rail:4,4,4,pods=2
run crosswind flit jellyfish:8,3,1 --hardware global-latency=5
run crosswind congestion rail:4,4,4 --traffic shift:4 --placement random-groups
