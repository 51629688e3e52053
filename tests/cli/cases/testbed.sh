# The script of a small testbed, and what is refused before anything is made. What a testbed does is oracle/live_testbed.
run crosswind testbed --help
run crosswind testbed crossbar:2 --print
run crosswind testbed crossbar:2 --print --rate 10Mbit/s --queue 64KiB --quiet | grep qdisc
run crosswind testbed xgft:2:4,2:1,2 --print --routing minhop | sed -n 3p
run crosswind testbed crossbar:2
run crosswind testbed crossbar:2 --
run crosswind testbed crossbar:2 hostname
run crosswind testbed crossbar:2 --print -- hostname
run crosswind testbed crossbar:2 --print --all
run crosswind testbed crossbar:2 --print --ranks-per-host 2
run crosswind testbed crossbar:2 --format json -- hostname
run crosswind testbed crossbar:2 --output file -- hostname
run crosswind testbed crossbar:2 --rate 100bit/s --print
run crosswind testbed crossbar:2 --rate 9kbit/s --degraded h0=20Gbit/s --print
run crosswind testbed xgft:2:4,5:1,2 --print
run crosswind testbed xgft:2:4,2:1,2 --routing smodk --print
run crosswind testbed dragonfly:2,4,2 --routing ugal-l --print
run crosswind testbed
run crosswind man testbed | grep -A1 SYNOPSIS
run crosswind testbed crossbar:2 --print --qeue 1 -- hostname --rate
