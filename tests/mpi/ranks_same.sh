#!/bin/sh
# The simulating verbs give on several ranks, byte for byte, what one process gives; and rank 0 alone writes.
. "$(dirname "$0")/launch.sh"

rates=1 # how often a run says its rate
rate='^crosswind-mpi: [1-4] ranks\{0,1\} ran [1-9][0-9]* trials in [0-9][^ ]* [nu]*m*s, [0-9][^ ]* a second; each rank [0-9]* to [0-9]*$'

# same RANKS VERB ARGUMENTS...: for each number in RANKS, output and files of the ranks are those of one process.
same()
{
    numbers=$1
    shift
    rm -rf one
    mkdir one
    (cd one && "$crosswind" "$@" --threads 2 >OUT 2>ERR) || echo "exit status $?" >>one/ERR
    for n in $numbers; do
        rm -rf many
        status=0
        FOLDERS=$folder/many launch "$n" "$in_folder" "$crosswind_mpi" "$@" --threads 1 >out 2>err || status=$?
        mv out many/0/OUT
        grep -v "$rate" err >many/0/ERR || :
        [ "$(grep -c "$rate" err)" -eq "$rates" ] || fail "$n ranks: $*: its rate is not said once"
        # Nobody has run more than the most, or less than the least.
        sed -n "s/^crosswind-mpi: \([0-9]*\) ranks* ran \([0-9]*\) trials .* each rank \([0-9]*\) to \([0-9]*\)$/\1 \2 \3 \4/p" err |
            awk -v n="$n" '$1 != n || $3 > $4 || n * $3 > $2 || n * $4 < $2 { exit 1 }' ||
            fail "$n ranks: $*: shares: $(cat err)"
        [ $status -eq 0 ] || echo "exit status $status" >>many/0/ERR
        # What was measured in this run, such as the time of a search, stands alone in its lines of the metadata.
        find one many/0 -name '*-metadata.json' -exec sed -i '/^ *[0-9.e-]*,\{0,1\}$/d' {} +
        diff -r one many/0 || fail "$n ranks: $*"
        [ "$(find many -type f | grep -vc '^many/0/' || :)" -eq 0 ] || fail "$n ranks: $*: other ranks wrote files"
    done
}

same "1 2 3 4" noise torus:8x8 --trials 60 --ratio 0.2,0.5 --samples samples.csv --format csv --output noise.csv
same "3 4" noise torus:8x8 --trials 2 --ratio 0.5 --bytes 8B,1MiB
same "2 4" congestion torus:4x4x4 --placement random --channels channels.csv --format json
same 2 ebb 'xgft(2,12,6)' --trials 9000 # more than ranks give each other at a time
same 2 jobs 'xgft(2,12,6)' --model flits --jobs 'binomial-bcast bytes=4KiB; permutation ranks=50%' --placement random --trials 7 \
    --warmup 500
same 3 jobs torus:4x4 --model flits --jobs 'uniform bytes=4KiB load=0.6' --routing dor,updn --trials 2
same 2 jobs torus:4x4 --jobs 'alltoall ranks=8 bytes=4KiB; shift:1 ranks=4 bytes=1KiB; uniform load=0.3' --placement random
same 2 jobs torus:8x8 --model flits --jobs 'allreduce ranks=16 bytes=1KiB; uniform load=0.3' --placement random --trials 5 --warmup 500
same "1 2 4" flit torus:4x4 --traffic uniform --routing dor --load 0.2,0.5,0.9 --analytic --cycles 3000 --warmup 1000 --unsteady \
    --series series.csv --histogram histogram.csv --channels flits.csv --format csv --output flit.csv
same 2 flit torus:4x4 --traffic hotspot:1,share=1 --load 0.3,0.7 --cycles 4000 --warmup 500
same "1 3" flit torus:4x4 --traffic bitcomp --cycles 2000 --warmup 1000
rates=0 # nothing is shared out
same 2 flit torus:4x4 --traffic 'uniform load=0.5; shift:1 ranks=4' --cycles 2000 --warmup 1000 --unsteady
rates=1
same "2 3" study "$here/../golden/study/engines.yaml"
same 2 reproduce noise --trials 20 --figures 7,13
same 2 reproduce optiq --sizes quick --figures distance
same "3 4" reproduce dragonfly-fig3 --sizes quick --figures 3b

# Whichever launcher starts it, crosswind-mpi is the program of that MPI: two ranks, one result.
launch 2 "$(dirname "$crosswind_mpi")/crosswind-mpi" ebb torus:4x4 --trials 20 >out 2>err || fail "crosswind-mpi: $(cat err)"
[ "$(grep -c '^# command: crosswind ebb' out)" -eq 1 ] || fail "crosswind-mpi: $(cat out)"
grep -q '^crosswind-mpi: 2 ranks ran ' err || fail "crosswind-mpi: $(cat err)"
[ $failed -eq 0 ]
