# Every parameter of the transport changes the predicted time, in the direction it should; and the times of a movement so
# simple that they can be told beforehand.
seconds()
{
    crosswind plan torus:8 --relays switches --traffic matrix:move.csv --format csv "$@" | awk -F, 'NR > 1 {print $(NF-1)}'
}
echo 'h0,h2,1MB' >move.csv
free="--transport bgq:hop-latency=0,chunk-overhead=0,copy=0,node-copy=0,list-search=0"
echo "# 40 Gbit/s, no costs, one path of two hops, all in one chunk: stored once on the way, 2 x 0.2 ms"
seconds --method greedy --k 1 $free,efficiency=1,credits=8 --chunk 1MB
echo "# ten chunks, enough buffers: one chunk of 0.02 ms more than 0.2 ms"
seconds --method greedy --k 1 $free,efficiency=1,credits=8,chunk=100kB
echo "# the default routes are the network's own affair: no chunk is stored"
seconds --method default --transport bgq:chunk-overhead=0,efficiency=1,message-rate=0 --chunk 100kB
echo "# half the capacity"
seconds --method greedy --k 1 $free,efficiency=0.5,credits=8 --chunk 100kB
echo "# the node injects 1 GB/s"
seconds --method default --transport bgq:chunk-overhead=0,efficiency=1,injection=1GB/s --chunk 100kB
echo "# its messages leave at 2 GB/s"
seconds --method default --transport bgq:chunk-overhead=0,efficiency=1,message-rate=2GB/s --chunk 100kB
seconds --method heuristic --transport bgq >base
for parameter in chunk=1kB credits=4 cut-through chunk-overhead=1ms hop-latency=1ms copy=1MB/s node-copy=1MB/s \
    list-search=1ms injection=1MB/s reception=1MB/s efficiency=0.1; do
    echo "$parameter"
    seconds --method heuristic --transport bgq:$parameter >changed
    differ base changed
done
echo "# what a node sends first matters where paths meet"
crosswind plan torus:4x4 --relays switches --transport bgq --traffic alltoall --bytes 256KiB --method heuristic --format csv | awk -F, 'NR > 1 {print $(NF-1)}' >base
crosswind plan torus:4x4 --relays switches --transport bgq:order=forward --traffic alltoall --bytes 256KiB --method heuristic --format csv |
    awk -F, 'NR > 1 {print $(NF-1)}' >changed
differ base changed
