#!/bin/sh
# bench ebb refuses what it cannot measure, with one line, and ends when a rank is told to. $2: where preload_hosts is.
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
refuses "is about NETWORK, which is missing" --hosts /dev/null
refuses "hosts of the ranks measure" crossbar:2 --endpoints all

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

# A message takes 5 ms to send, and 20 ns a byte, in which only its sender sleeps: alone, or in any bisection, of which there
# are 6 of 2 messages or 4, and one before them; 2 go alone. On a crossbar nothing else is predicted.
slow()
{
    GAP_US=5000 GAP_NS=20 with_library "$libraries" 4 "$crosswind_mpi" bench ebb crossbar:4 --trials 6 --bytes 250kB \
        --format json >out 2>err || fail "slow: $(cat err)"
    settled err 4
    python3 -B - <<'END' || fail "slow: $(cat out)"
import json, re
tables = json.load(open("out"))["tables"]
for name, row, predicted in zip(("uni", "bi"), tables["ebb"]["rows"], tables["prediction"]["rows"], strict=True):
    assert row["direction"] == predicted["direction"] == name and row["trials"] == 6, row
    assert 18e6 < row["bandwidth_alone"] < 25.5e6, row
    assert abs(row["bandwidth_mean"] - row["ebb_mean"] * row["bandwidth_alone"]) < 1e-3 * row["bandwidth_mean"], row
    assert 0.7 < row["ebb_mean"] < 1.2, row
    assert predicted["ebb_mean"] == 1, predicted
    assert abs(predicted["error"] - (1 / row["ebb_mean"] - 1)) < 1e-6, predicted
long = sum(int(sent) for sent in re.findall(r"long (\d+)", open("err").read()))
assert long == (7 * 2 + 2) + (7 * 4 + 4), long
END
}
libraries=$2/preload_hosts.so:$2/preload_ledger.so
attempts 3 slow

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
