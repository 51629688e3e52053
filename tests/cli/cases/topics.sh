# Everything that can be named on the command line, from the registries.
for topic in topologies formats writers routings patterns schedules placements; do
    run crosswind help $topic
done
run crosswind help topology
# one thing by its name, whatever it is
for name in torus dmodk minimal ring heuristic ibsim contiguous binomial-bcast; do
    run crosswind help $name | head -n 8
done
run crosswind help dmodc
run crosswind help qqq
