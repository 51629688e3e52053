#!/bin/sh
# bench ebb refuses what it cannot measure, with one line, and ends when a rank is told to. What it measures is for
# test_bench_ebb. $2: where preload_hosts is.
. "$(dirname "$0")/launch.sh"

# refuses MESSAGE OPTIONS...
refuses()
{
    message=$1
    shift
    status=0
    launch 2 "$crosswind_mpi" bench ebb "$@" >out 2>err || status=$?
    [ $status -ne 0 ] || fail "ended well: $*"
    [ "$(grep -c "$message" err)" -eq 1 ] || fail "$* said: $(cat err)"
}

refuses "ranks on two hosts or more"
launch 1 "$crosswind_mpi" bench ebb >out 2>err && fail "one rank ends well"
grep -q "ranks on two hosts or more, but all are on $(hostname)$" err || fail "one rank: $(cat err)"
refuses "is about NETWORK, which is missing" --routing minhop

# Ranks that take themselves for hosts. One of them is told to stop: all end, and rank 0 says why.
cat >as_host <<END
#!/bin/sh
echo \$\$ >"pid.\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}"
export LD_PRELOAD="$2/preload_hosts.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
exec "$crosswind_mpi" bench ebb "\$@"
END
chmod +x as_host
launch 4 ./as_host --trials 5 --bytes 1KiB --format csv >out 2>err || fail "four hosts: $(cat err)"
launch 2 ./as_host --trials 2 --bytes 1KiB --format csv >two 2>err && grep -q '^1,uni,2,' two || fail "two hosts: $(cat two err)"
grep -q '^1,uni,5,' out && grep -q '^1,bi,5,' out || fail "four hosts: $(cat out)"

rest=2
stopped()
{
    rm -f pid.*
    launch 4 ./as_host --trials 1000000 --time 300s --bytes 1KiB >out 2>err &
    job=$!
    await_ranks 4 'pid.*'
    sleep $rest
    rest=$((4 * rest))
    kill -TERM "$(cat pid.2)"
    since=$(date +%s)
    wait $job && fail "a rank that is told to stop: ends well"
    [ $(($(date +%s) - since)) -le $SOON ] || fail "a rank that is told to stop: it took $(($(date +%s) - since)) s to end"
    [ "$(grep '^crosswind-mpi: ' err)" = "crosswind-mpi: interrupted" ] || fail "a rank that is told to stop: $(cat err)"
}
attempts 3 stopped
[ $failed -eq 0 ]
