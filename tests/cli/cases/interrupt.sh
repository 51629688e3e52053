# Ctrl-C ends what takes minutes at once, wherever it is: in trials, in a simulation, in a solver, in a search.
interrupt()
{
    echo "$1"
    # shellcheck disable=SC2086
    env --default-signal=INT crosswind $1 --threads 2 >out 2>errors &
    pid=$!
    # until the program has asked for the signal (bit 1 of the mask), and has had some time to begin
    until grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status 2>/dev/null; do kill -0 $pid && sleep 0.02 || break; done
    sleep "$2"
    begin=$(date +%s)
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ $(($(date +%s) - begin)) -le 20 ] || echo "took more than 20 s, on a busy machine, too"
    echo "exit status $status: $(cut -d';' -f1 errors)"
}
[ -r /proc/self/status ] || skip "no /proc: signals cannot be timed"
echo "alltoall bytes=4KiB" >jobs.txt
interrupt "noise xgft(4,12,12,12,12,12,6) --ratio 0.5 --schedule alltoall" 0.2
interrupt "ebb torus:22x22x22 --trials 1000000" 0.2
interrupt "congestion torus:22x22x22 --traffic alltoall" 0.2
interrupt "jobs xgft(3,12,8,12,4) --model flits --jobs jobs.txt" 0.2
interrupt "flit dragonfly:4,8,4 --load 0.5 --cycles 1000000000" 0.2
interrupt "route dragonfly:8,16,8 --routing random-minimal" 0.2
interrupt "model dragonfly:8,16,8" 0.2
interrupt "plan bgq:8192 --traffic subset:1024x4 --method optimum" 0.2
interrupt "plan bgq:2048 --traffic 50 --method lp --k 100" 0.5
interrupt "reproduce dragonfly-fig3 --directory fig3" 0.2
