# What models say without simulation.
echo "# a dragonfly, three routings"
run crosswind model dragonfly:2,4,2 --traffic group-shift
echo "# the middle group talks to itself: others are served better than it is"
run crosswind model dragonfly:4,8,4 --routing minimal
echo "# of routings that look at queues: the channels of endpoints"
run crosswind model dragonfly:2,4,2 --routing ugal-l --traffic hotspot:1,share=1
echo "# any other network and routing"
run crosswind model torus:4x4 --traffic shift:5 --routing dor
