# Trees that carry collectives, the cut that proves them, plans of an all-to-all, and schedules beside them.
boxes=rail:2,4,4,nvlink=2400Gbit/s@200Gbit/s
# 100 MB: half of it crosses to the other box, at 4 times 25 GB/s: 0.5 ms
run crosswind collective $boxes allgather --bytes 100MB
for name in reduce-scatter allreduce bcast reduce; do
    crosswind collective $boxes $name --bytes 100MB --format csv
done
# three trees take three of the four cables out of the root's box: 100 MB at 75 GB/s are 1.333 ms
run crosswind collective $boxes bcast --bytes 100MB --chunks 4 --trees 3
# endpoints pass on data, without any switch: each of the outer ones takes in 40 of 60 MB, at 5 GB/s
printf '%s\n' '# crosswind edge list' 'endpoint a' 'endpoint b' 'endpoint c' 'a b' 'b c' >line.net
run crosswind collective line.net allgather --bytes 60MB --chunks 2
# small data: latency decides
run crosswind collective torus:4x4 allreduce --bytes 64B
# some endpoints, one of them the root
run crosswind collective xgft:2:4,4:1,2 bcast --endpoints h0,h5,h6 --root h5 --chunks 4 --goal bcast.goal
run crosswind jobs xgft:2:4,4:1,2 --jobs goal:bcast.goal --format csv
# what GPUs carry out
run crosswind collective crossbar:3 reduce --root h1 --bytes 64MB --chunks 1 --xml reduce.xml --instances 2 --format csv
cat reduce.xml
run crosswind collective $boxes allgather --instances 2
run crosswind collective $boxes allgather --root h1
run crosswind collective $boxes bcast --root nobody
run crosswind collective $boxes bcast --endpoints h0,h1 --root h3
run crosswind collective $boxes gather
run crosswind collective crossbar:1 allgather
# of an all-to-all a rank has 8 MB, of which 7 go out at 5 GB/s: 1.4 ms; nothing is searched
run crosswind collective crossbar:8 alltoall --bytes 8MB
# full bisection: 15 of 16 MB at 5 GB/s are 3 ms
crosswind collective xgft:2:4,4:1,4 alltoall --bytes 16MB --format csv
# half of it: 4 hosts send 12 MB each over two cables of 5 GB/s: 4.8 ms
crosswind collective xgft:2:4,4:1,2 alltoall --bytes 16MB --format csv
# its routes go one way round where two are alike: a plan also uses the other
run crosswind collective torus:6 alltoall --bytes 6MB --moves all.json
run crosswind jobs torus:6 --jobs moves:all.json --format csv
# flit by flit: on one switch the same; where buffers fill, another method takes least
run crosswind collective crossbar:8 alltoall --bytes 1MB --model flits
run crosswind collective xgft:2:4,4:1,2 alltoall --bytes 1MB --model flits
run crosswind collective crossbar:4 bcast --bytes 100KB --model flits
printf '%s\n' '# crosswind edge list' 'endpoint a' 'endpoint b' 'a s' 'b s' 'a t' 'b t' >two.net
run crosswind collective two.net allgather --bytes 100KB --model flits
run crosswind collective crossbar:8 alltoall --message 1KiB
run crosswind collective crossbar:8 alltoall --goal a.goal
# ranks that combine take as long by their moves as by the trees'
run crosswind collective crossbar:8 reduce --bytes 1004B --moves a.json
for collective in reduce reduce-scatter allreduce; do
    run crosswind collective torus:2x2 $collective --bytes 800KB --o 0 --moves sums.json --format csv
    run crosswind jobs torus:2x2 --jobs moves:sums.json --format csv
done
run crosswind jobs torus:2x2 --jobs moves:sums.json
# flit by flit, too, but for what is no whole numbers
run crosswind jobs torus:2x2 --jobs moves:sums.json --model flits
run crosswind collective crossbar:8 allreduce --bytes 1MB --model flits
run crosswind collective crossbar:8 reduce --bytes 1004B --model flits
# the root's cable takes 20 us for 100 KB, and two ranks store a chunk of 25 KB for 5 us each
run crosswind collective torus:4 bcast --bytes 100KB --root h2 --moves bcast.json
run crosswind jobs torus:4 --jobs moves:bcast.json
run crosswind jobs torus:4 --jobs moves:bcast.json --model flits --format csv
run crosswind collective crossbar:8 allgather --budget 1s
run crosswind collective crossbar:1 alltoall
