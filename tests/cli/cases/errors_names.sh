# Networks, engines, patterns, schedules and placements that do not exist, or not so.
run crosswind topo tours:4x4
run crosswind topo torus
run crosswind topo torus:
run crosswind topo torus:4xfour
run crosswind topo torus:4x1
run crosswind topo torus:4x4,dubled
run crosswind topo xgft:2:4,4:1
run crosswind topo 'xgft(2,12)'
run crosswind topo dragonfly:2,4
run crosswind topo dragonfly:2,4,2,g=10
run crosswind topo torus:4x4@10furlongs
run crosswind route torus:4x4 --routing dorr
run crosswind route torus:4x4 --routing dmodk
run crosswind noise dragonfly:2,4,2 --routing par
run crosswind plan dragonfly:2,4,2 --traffic alltoall --routing valiant-any
run crosswind route crossbar:4 --routing dor
run crosswind route torus:4x4 --routing dor:lanes=9
run crosswind route torus:4x4 --routing dor:tie=plsu
run crosswind noise torus:4x4 --schedule binomial-bcst
run crosswind noise torus:4x4 --schedule allredcue
run crosswind noise torus:4x4 --schedule tree:7
run crosswind noise torus:4x4 --background derangment
run crosswind noise torus:4x4 --background shift:four
run crosswind noise torus:4x4 --placement randm
run crosswind noise torus:4x4 --placement contiguous:16
run crosswind congestion torus:4x4 --traffic transpos
run crosswind congestion torus:4x4 --traffic transpose:rows=5
run crosswind congestion torus:4x4 --traffic zzzzzzzz
