# One clear line each.
d=dragonfly:2,4,2
echo "# loads, sizes, cycles"
run crosswind flit $d --load 0
run crosswind flit $d --load 1.5
run crosswind flit $d --load 0.5..1.2
run crosswind flit $d --hardware input-buffer=32B
run crosswind flit $d --message 8KiB
run crosswind flit $d --message 17KiB --hardware input-buffer=20KiB,output-buffer=20KiB
run crosswind flit $d --message 0
run crosswind flit $d --hardware speedup=16
run crosswind flit $d --hardware local-latency=100000
run crosswind flit $d --hardware pipeline=8192
run crosswind flit $d --hardware local-latency=8191,pipeline=2 --load 0.1
run crosswind flit $d --hardware injection-lanes=9
run crosswind flit $d --hardware flit=2MiB
run crosswind flit $d --hardware input-buffer=1GiB
run crosswind flit $d --hardware output-buffer=1GiB
run crosswind flit $d --message 64B,128B:2
run crosswind flit $d --message 64B:0.5,128B
run crosswind flit $d --message 64B:0.5,128B:none
run crosswind flit $d --message 64B:0,128B:1
run crosswind flit $d --message 64B:0.5,
run crosswind flit $d --message 64B:0.5,8KiB:0.5
run crosswind jobs $d --model flits --jobs allreduce --message 64B:0.5,128B:0.5
run crosswind flit $d --warmup soon
run crosswind flit $d --cycles 5
run crosswind flit $d --until-ci 200%
run crosswind flit $d --allocator fifo
run crosswind flit $d --allocator islip:iterations=0
run crosswind flit $d --queues vok
run crosswind flit $d --buffers shared:reserve=100
run crosswind flit $d --message 640B --buffers shared:reserve=8
run crosswind flit $d --marking red:min=20,max=10 --load 1
run crosswind flit $d --rate-control dcqcn
run crosswind flit $d --implementation fast
run crosswind flit $d --implementation tuned --queues voq
run crosswind flit $d --allocator wavefront --hardware transit-first=yes
echo "# networks and routings"
run crosswind flit dragonfly:0,4,2
run crosswind flit dragonfly:2,0,2
run crosswind flit $d,g=10
run crosswind flit $d,g=2 --routing valiant-any
run crosswind flit $d,g=2 --routing ugal-l
run crosswind flit $d --routing valiant-some
run crosswind flit $d --routing minimal,,par
run crosswind flit $d --routing minimal,ugal-mix:minimal=0.5,valiant-eny:x=1
run crosswind flit $d --routing minimal,ugal-mix:minimal=0.5,par:minimal=0.5
run crosswind flit torus:4x4 --routing valiant-any
echo "# traffic and placement"
run crosswind flit $d --traffic bitcomplement
run crosswind flit $d --traffic halo:5x5x5
run crosswind flit $d --traffic halo:72x1x1,axis=z
run crosswind flit $d --traffic group-adversarial:9
run crosswind flit $d --traffic group-shift:9
run crosswind flit $d --traffic hotspot:100
run crosswind flit $d --traffic matrix:none.txt
run crosswind flit crossbar:1
run crosswind flit torus:4x4 --placement random-groups
echo "# jobs"
jobs="crosswind jobs $d --model flits --jobs"
run $jobs ''
run $jobs 'allreduce ranks=40; bitcomp ranks=40'
run $jobs 'allreduce; bitcomp'
run $jobs 'allreduce ranks=8 ranks=9'
run $jobs 'allreduce rank=4; bitcomp'
run $jobs 'allreduce 4; bitcomp'
run $jobs 'uniform ranks=4 load=2; bitcomp'
run $jobs 'allreduce ranks=4 load=0.2; bitcomp'
run $jobs 'allreduc ranks=4; bitcomp'
run $jobs 'uniform ranks=1 bytes=1KiB; bitcomp'
run $jobs 'allreduce ranks=4 placement=here; bitcomp'
run $jobs 'uniform ranks=0%; bcast'
run $jobs 'uniform load=0.1'
run $jobs 'shift ranks=4 bytes=1KiB; allreduce' --warmup 100
run $jobs 'shift ranks=4 bytes=1KiB' --L 1us
run $jobs 'bcast' --advise placement
run $jobs moves:none --lids all
echo "# several patterns"
run crosswind flit $d --traffic 'uniform ranks=4; bitcomp' --load 0.5
run crosswind flit $d --traffic 'uniform ranks=4; bcast'
run crosswind flit $d --traffic 'uniform ranks=4; shift start=1us'
echo "# options that have moved"
run crosswind flit $d --jobs 'uniform ranks=4; bitcomp'
run crosswind flit $d --schedule allreduce --bytes 1KiB
run crosswind flit $d --ratio=0.5 --schedule allreduce
run crosswind flit $d --finite 1KiB
run crosswind flit $d --trials 5
echo "# options without effect"
run crosswind flit $d --time 1us --cycles 100
run crosswind flit torus:4x4 --hardware global-latency=10
echo "# tables"
crosswind topo torus:5 --write ring.json >/dev/null
crosswind route ring.json --routing minhop --write ring.lft >/dev/null || :
run crosswind flit ring.json --lft ring.lft
run crosswind jobs ring.json --model flits --jobs moves:none --allow-deadlock
run crosswind flit ring.json --lft none.lft
run crosswind flit ring.json --path-records none --sl2vl none
run crosswind flit ring.json --lft ring.lft --paths ring.lft
echo "# reproductions"
run crosswind reproduce dragonfly-fig4
