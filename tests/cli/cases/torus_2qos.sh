# OpenSM's torus-2QoS: its tables and levels as it dumped them, failures, files with faults.
cp "$GOLDEN"/levels/torus-3x5* .
printf 'torus 3 5 1\nxp_link 0x200000 0x200001\nyp_link 0x200000 0x200003\n' >torus-2QoS.conf
run crosswind route torus-3x5.ibnetdiscover --routing torus-2qos:torus-2QoS.conf --write-path-records records --write-sl2vl rows
same records torus-3x5-2qos.path-records
crosswind route torus-3x5.ibnetdiscover --routing torus-2qos:torus-2QoS.conf --write tables >/dev/null
entries() { awk '/^Unicast/ { s = $0; sub(".*guid ", "", s) } /^0x/ && !/# Switch/ { print s, $1, $2 }' "$1" | sort; }
entries tables >ours
entries torus-3x5-2qos.lfts >theirs
same ours theirs
echo "# around a switch that has failed, and a cable"
run crosswind route torus:5x5 --routing torus-2qos --failed 's(2,2)' --from 'h10' --to h17
crosswind route torus:4x4x4 --routing torus-2qos --failed 's(1,1,1)-s(2,1,1)' --format csv | columns hops_mean,lanes,deadlock_free
run crosswind flit torus:4x4 --routing torus-2qos --load 0.2 --cycles 500 --warmup 200 --format csv
echo "# refused, as by OpenSM"
run crosswind route torus:5x5 --routing torus-2qos --failed 's(1,1),s(3,2)'
run crosswind route torus:5x3 --routing torus-2qos --failed 's(1,1)-s(2,1),s(3,1)-s(4,1)'
run crosswind route dragonfly:2,4,2 --routing torus-2qos
run crosswind route torus:4x4 --routing torus-2qos:torus-2QoS.conf
echo 'x_date line 1' >>torus-2QoS.conf
run crosswind route torus:3x5 --routing torus-2qos:torus-2QoS.conf
echo "# the same with any number of threads"
for n in 1 2 3; do
    crosswind route torus:5x4x4 --routing torus-2qos --threads $n --write lft-$n --write-path-records records-$n >result
done
same lft-1 lft-2
same lft-1 lft-3
same records-1 records-2
