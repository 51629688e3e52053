#!/bin/sh
# crosswind-mpi move on ranks of this host: every byte arrives, whatever the number of ranks for an endpoint, and bad
# input and bad luck are one line and an end within seconds. $2: where preload_corrupt is.
. "$(dirname "$0")/launch.sh"

# Two rows of switches; h0 and h1 share a cable of the first unless h4 relays over the second.
printf 'h0,h2,3MB\nh1,h3,3MB\n' >demand.csv
printf 'h4\n' >relays
cat >transport.json <<'END'
{"format": "crosswind-transport", "version": 1, "chunk": "20000B", "credits": 3, "efficiency": 0.95}
END
"$crosswind" plan torus:4x2@1Gbit/s --traffic matrix:demand.csv --relays relays --host-limit yes --method optimum \
    --transport transport.json --moves moves.json --plan plan.json >plan.out
for h in 0 1 2 3 4; do echo "$(hostname) h$h"; done >hosts

# moves N ARGUMENTS...: on N ranks; output in out and err.
moves()
{
    n=$1
    shift
    status=0
    launch "$n" "$crosswind_mpi" move "$@" --seed 7 --timeout 60s >out 2>err || status=$?
}

# says N STATUS LINE ARGUMENTS...: this line is all that crosswind-mpi itself has to say.
says()
{
    n=$1 expected=$2 line=$3
    shift 3
    moves "$n" "$@"
    [ "$status" -eq "$expected" ] || fail "exit status $status of $*: $(cat err)"
    [ "$(grep '^crosswind-mpi: ' err)" = "crosswind-mpi: $line" ] || fail "$* says $(cat err)"
}

grep -q '"do": "forward"' moves.json || fail "nothing is relayed"
for n in 5 10 15; do
    for follow in plan direct; do
        moves $n moves.json --hosts hosts --repeat 3 --follow $follow
        [ $status -eq 0 ] || fail "$n ranks, $follow: $(cat err)"
        grep -q 'Every byte arrived right' out || fail "$n ranks, $follow: $(cat out)"
        grep -q "$n ranks took part, $((n / 5)) for each endpoint" out || fail "$n ranks, $follow: $(cat out)"
    done
done
grep -q '^direct  ' out || fail "direct sends are not said to be that: $(cat out)"
# The same with the rows exchanged: now it is rank 0 that relays, and tells others how much room it has.
printf 'h4,h6,3MB\nh5,h7,3MB\n' >from_row_1.csv
printf 'h0\n' >relay_of_row_1
"$crosswind" plan torus:4x2@1Gbit/s --traffic matrix:from_row_1.csv --relays relay_of_row_1 --host-limit yes --method optimum \
    --transport transport.json --moves from_row_1.json >plan.out
for h in 0 4 5 6 7; do echo "$(hostname) h$h"; done >hosts_of_row_1
for wait in spin yield sleep; do
    moves 5 from_row_1.json --hosts hosts_of_row_1 --repeat 2 --wait $wait --alone
    [ $status -eq 0 ] || fail "--wait $wait: $(cat err)"
    grep -q "waiting ranks $wait" out || fail "--wait $wait: $(cat out err)"
    grep -q Alltoallv out && fail "--alone is not: $(cat out)"
done

# A skewed all-to-all(v) of two boxes of four GPUs, whose excess is relayed to other rails.
awk 'BEGIN { for (s = 0; s < 8; s++) for (t = 0; t < 8; t++) if (s != t) print s, t, int(1e5 / (t * 3 % 8 + 1)) }' >experts
"$crosswind" plan rail:2,4,4,nvlink=3600Gbit/s@400Gbit/s --traffic matrix:experts --method rails --transport transport.json \
    --moves rails.json >plan.out
grep -q '"do": "forward"' rails.json || fail "nothing is relayed to other rails"
for h in 0 1 2 3 4 5 6 7; do echo "$(hostname) h$h"; done >hosts_on_rails
moves 8 rails.json --hosts hosts_on_rails --repeat 1 --alone --follow plan
[ $status -eq 0 ] || fail "rails: $(cat err)"
grep -q 'Every byte arrived right' out || fail "rails: $(cat out)"

# Collectives beside MPI's own, with parts that are not all of one length; others are those of test_verb_move.c. Sums are of whole numbers.
sed 4q hosts_on_rails >hosts_of_four
collective()
{
    function=$1
    shift
    "$crosswind" collective "$@" --moves collective.json >collective.out
    moves 4 collective.json --hosts hosts_of_four --repeat 1
    [ $status -eq 0 ] || fail "$*: $(cat err)"
    grep -q "^$function " out && grep -q 'Every byte arrived right, each time. 4 ranks' out || fail "$*: $(cat out)"
}
collective MPI_Allgatherv rail:2,2,2,nvlink=3600Gbit/s@400Gbit/s allgather --bytes 1000003B --chunks 3
collective MPI_Bcast torus:4@8Gbit/s bcast --bytes 1000003B --root h2
collective MPI_Reduce torus:2x2 reduce --bytes 1000008B --root h2
collective MPI_Reduce_scatter xgft:1:4:1 reduce-scatter --bytes 1000008B --chunks 3
collective MPI_Allreduce rail:2,2,2,nvlink=3600Gbit/s@400Gbit/s allreduce --bytes 1000008B

# The rate is that of all bytes, here 6 MB. Why data go directly is said where it was not asked for.
moves 5 moves.json --hosts hosts --repeat 2 --alone --format csv
awk -F, '$1 == "method" { for (i = 1; i <= NF; i++) { if ($i == "seconds") time = i; if ($i == "rate") rate = i } on = 1; next }
         on { product = $time * $rate; exit product < 5.99 || product > 6.01 }' out || fail "the rate: $(cat out)"
"$crosswind" plan torus:4x2@1Gbit/s --traffic matrix:demand.csv --transport transport.json --method default --moves default.json \
    >plan.out
moves 4 default.json --hosts hosts --repeat 1 --alone
tr '\n' ' ' <out | grep -q 'Nothing is predicted to be faster than the default routes' || fail "it does not say why: $(cat out)"
moves 4 default.json --hosts hosts --repeat 1 --alone --follow direct
grep -q 'is predicted to' out && fail "why what was asked for: $(cat out)"

status=0
with_library "$2/preload_ledger.so" 5 "$crosswind_mpi" move moves.json --hosts hosts --repeat 2 >out 2>err || status=$?
[ $status -eq 0 ] || fail "accounts: $(cat err)"
settled err 5

# What sending takes is known: 1 ms, and 50 ns a byte, where a byte takes 8 on a cable. Chunks go 5 times 16 and 48 at a time,
# of two sizes, and relayed; before them all data twice, 150 chunks of each demand.
fit()
{
    GAP_US=1000 GAP_NS=50 with_library "$folder_of_preloads/preload_ledger.so" 5 "$crosswind_mpi" move moves.json --hosts hosts \
        --repeat 1 --alone --fit fit.json --network torus:4x2@1Gbit/s >out 2>err || fail "fit: $(cat err)"
    settled err 5
    [ "$(sed -n 's/^ledger: rank \([0-9]\) .* long \([0-9]*\) .*/\1:\2/p' err | sort | tr '\n' ' ')" = \
        "0:$((5 * 3 * 64 + 300)) 1:300 2:0 3:0 4:$((5 * 64 + 300)) " ] || fail "chunks: $(cat err)"
    grep -q "Measured from h0 by way of h4 to h2: " out || fail "it does not say what it has measured: $(cat out)"
    python3 -B - <<'END' || fail "parameters: $(cat fit.json)"
import json
found = json.load(open("fit.json"))
assert found["about"] == "torus:4x2@1Gbit/s, measured from h0 by way of h4 to h2" and found["credits"] == 3, found
assert found["chunk"] == 20000 and 0.05 < found["efficiency"] < 0.6, found
assert 0.2e-3 < found["chunk-overhead"] < 5e-3 and found["hop-latency"] < 30e-3, found
END
}
folder_of_preloads=$2
attempts 3 fit
"$crosswind" plan torus:4x2@1Gbit/s --traffic matrix:demand.csv --transport transport.json --method default --moves plain.json \
    >plan.out
moves 4 plain.json --hosts hosts --fit none.json --network torus:4x2@1Gbit/s
[ $status -ne 0 ] && [ ! -e none.json ] &&
    grep -qx "crosswind-mpi: these moves relay nothing, so that nothing of it can be measured" err || fail "a fit of nothing: $(cat err)"

host=$(hostname)
says 4 2 "4 ranks on $host for 5 endpoints of these moves; expected 5, or a multiple" moves.json --hosts hosts
says 5 2 "no rank runs on h0, which has a part in these moves (5 endpoints); rank 0 of 5 runs on $host; --hosts FILE \
says which host is which endpoint" moves.json
says 2 1 "plan.json is a plan, expected moves: crosswind plan NETWORK --check plan.json --moves FILE makes them of it" \
    plan.json
says 2 1 "cannot open no.json: No such file or directory" no.json

# A program with data of its own.
launch 5 "$2/program_move" moves.json >out 2>err || fail "program_move: $(cat err)"
[ "$(cat out)" = "2 demands moved 3 times" ] || fail "program_move: $(cat out)"
launch 3 "$2/program_move" moves.json >out 2>err && fail "program_move: 3 ranks are enough"
grep -q 'these moves are for 5 ranks, and there are 3' out || fail "program_move: $(cat out)"

# Bad luck, while data are moved again and again.
# begins PATIENCE: 5 ranks, whose processes are in the files pid.RANK; it waits $rest seconds until they move data.
rest=3
begins()
{
    rm -f pid.*
    LIMIT=60 launch 5 sh -c 'echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$@"' sh "$crosswind_mpi" move moves.json \
        --hosts hosts --repeat 1000000 --alone --timeout "$1s" >out 2>err &
    job=$!
    await_ranks 5 'pid.*'
    sleep $rest
}

# ends WHAT: soon, badly, and nothing is left.
ends()
{
    since=$(date +%s)
    wait $job && fail "$1: ends well"
    [ $(($(date +%s) - since)) -le $SOON ] || fail "$1: ends after $(($(date +%s) - since)) s"
    for file in pid.*; do
        tries=0
        while kill -0 "$(cat "$file")" 2>/dev/null && [ $tries -lt 200 ]; do # launchers do not wait for those that they kill
            sleep 0.1
            tries=$((tries + 1))
        done
        [ $tries -lt 200 ] || fail "$1: $file is left"
    done
}

begins 60
kill -9 "$(cat pid.4)"
ends "a rank that was killed"

# On a busy machine ranks may be stopped before they move data, and may not answer for seconds though they are well: they
# have longer the next time.
patience=2
stopped()
{
    begins $patience
    kill -STOP "$(cat pid.4)" || :
    ends "a rank that was stopped"
    grep -Eq "^crosswind-mpi: (h4 \\(rank 4\\) has not answered h[0-3] for $patience s: chunk|rank 4 has not answered for $patience s\$)" \
        err || fail "a rank that was stopped: $(cat err)"
    rest=$((2 * rest))
    patience=$((2 * patience))
}
attempts 3 stopped

# One rank is told to end; rank 0 says so. On a busy machine ranks may not move data yet: they have longer the next time.
rest=3
told()
{
    begins 60
    kill -TERM "$(cat pid.3)" || :
    ends "a rank that was told to end"
    [ "$(grep '^crosswind-mpi: ' err)" = "crosswind-mpi: interrupted" ] || fail "a rank that was told to end: $(cat err)"
    rest=$((2 * rest))
}
attempts 3 told

status=0
(
    export LD_PRELOAD="$2/preload_corrupt.so" CORRUPT=4 ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
    launch 5 "$crosswind_mpi" move moves.json --hosts hosts --alone --timeout 60s >out 2>err
) || status=$?
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "corrupted: status $status"
grep -Eq '^crosswind-mpi: chunk [0-9]+ of stream 0 \(bytes [0-9]+ to [0-9]+ of demand 0, h0 to h2\) came corrupted to h2 from h4$' \
    err || fail "corrupted: $(cat err)"

# What one rank finds wrong is said by rank 0, as that rank has it.
status=0
(
    export LD_PRELOAD="$2/preload_corrupt.so" CORRUPT_ALL=3 ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
    launch 5 "$crosswind_mpi" move moves.json --hosts hosts --timeout 60s >out 2>err
) || status=$?
[ $status -eq 1 ] || fail "corrupted by MPI_Alltoallv: status $status"
[ "$(grep -c '^crosswind-mpi: ' err)" -eq 1 ] &&
    grep -Eqx 'crosswind-mpi: rank 3 on [^ ]*: byte 1000 of demand 1, h1 to h3, did not arrive' err ||
    fail "corrupted by MPI_Alltoallv: $(cat err)"
[ $failed -eq 0 ]
