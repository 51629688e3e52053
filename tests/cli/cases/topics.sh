# Everything that can be named on the command line, from the registries.
for topic in topologies formats writers engines patterns schedules placements; do
    run crosswind help $topic
done
run crosswind help topology
