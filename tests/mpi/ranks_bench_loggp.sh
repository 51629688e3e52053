#!/bin/sh
# bench loggp on one host: which ranks it takes, what it sends and finds, and what it refuses. $2: where preload_ledger is.
. "$(dirname "$0")/launch.sh"

# refuses RANKS MESSAGE OPTIONS...
refuses()
{
    ranks=$1
    message=$2
    shift 2
    status=0
    launch "$ranks" "$crosswind_mpi" bench loggp "$@" >out 2>err || status=$?
    [ $status -ne 0 ] || fail "ended well: $*"
    [ "$(grep -c "$message" err)" -eq 1 ] || fail "$* said: $(cat err)"
}

refuses 1 "needs two ranks"
refuses 2 "two different ranks" --pair 1,1
refuses 2 "there is no rank 2; the last one is 1" --pair 0,2
refuses 2 "two different sizes" --bytes 8,8
refuses 2 "means nothing here" --seed 3

launch 3 "$crosswind_mpi" bench loggp --pair 2,1 --bytes 1KiB,64KiB --rounds 6 >out
grep -q "gap for each byte" out || fail "no G: $(cat out)"

grep -q "rank 2 on" out || fail "other ranks than asked for: $(cat out)"

# However short the time is, there are six rounds; where there is no limit, as many as asked for. By default they are between
# two hosts: with the first rank that is on another one, be it the last.
for asked in "6 1us 5" "8 0 3"; do
    read -r rounds time ranks <<END
$asked
END
    RANKS_A_HOST=2 with_library "$2/preload_hosts.so" "$ranks" "$crosswind_mpi" bench loggp --bytes 1KiB,64KiB --rounds 8 \
        --time "$time" >out || fail "$asked: no end"
    grep -q "rank 0 on h0 and rank 2 on h1" out || fail "not across hosts: $(cat out)"
    grep -q "$rounds rounds" out || fail "not $rounds rounds: $(cat out)"
done

# What sending takes is known: 4 ms, and 100 ns a byte. So it is what messages of two sizes are apart, and o, which a pause
# more or less than there are gaps would change by twice as much. All messages are those that the method prescribes: some to begin with; in each round 9 times 1, n and n small ones, 1 and n of each
# size, and whether there is another round; for each an answer.
messages=2 rounds=3
slow()
{
    GAP_US=4000 GAP_NS=100 with_library "$folder_of_preloads/preload_ledger.so" 2 "$crosswind_mpi" bench loggp --wait sleep \
        --messages $messages --bytes 64KiB,256KiB --rounds $rounds --time 0 --format json >out 2>err || fail "slow: $(cat err)"
    settled err 2
    sent=$((messages + 5 + rounds * (9 * (1 + 2 * messages) + 2 * (1 + messages) + 1)))
    bytes=$((messages * 262144 + 5 + rounds * (9 * (1 + 2 * messages) + (1 + messages) * (65536 + 262144) + 2)))
    answers=$((1 + 5 + rounds * (27 + 2 * 2)))
    grep -q "^ledger: rank 0 sent $sent bytes $bytes received $((2 * answers + rounds)) " err || fail "not $sent messages: $(cat err)"
    python3 -B - <<'END' || fail "parameters are wrong"
import json
tables = json.load(open("out"))["tables"]
found = {row["parameter"]: row["value"] for row in tables["loggp"]["rows"]}
print(found)
assert 80e-9 < found["G"] < 125e-9
assert 3e-3 < found["o"] < 11e-3 and 3e-3 < found["g"] < 8e-3 # who pauses spins, and so gets its core back late
for row, size in zip(tables["sizes"]["rows"], (1, 65536, 262144), strict=True):
    takes = 4e-3 + 100e-9 * size
    print(row)
    assert row["bytes"] == size and row["one_way"] > 0.95 * takes
    assert size == 1 or 0.8 * takes < row["apart"] < 1.6 * takes and row["one_way"] < 1.6 * takes + 5e-3
END
}
folder_of_preloads=$2
attempts 4 slow
[ $failed -eq 0 ]
