#!/bin/sh
# Ranks that do not ask for the same get an error, all of them, and no byte is written where it should not be.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
export CROSSWIND_NBC_MIN=4KiB # so that some calls are short

# Whether a rank says so.
says()
{
    grep -q "crosswind-nbc: $1" said || {
        fail "nobody says '$1'"
        cat said >&2
    }
}

overlapped 3 "$2/program_disagree" >ours || fail "$(cat ours)"
says "ranks call one collective with different lengths: rank 0 calls bcast of 120000 bytes (int32) from rank 0, rank 1 calls bcast of 80000 bytes (int32) from rank 0"
says "ranks call one collective with different operations: rank 0 calls reduce of 120000 bytes (int32) to rank 0 by MPI_SUM, rank 1 calls reduce of 120000 bytes (int32) to rank 0 by MPI_MAX"
says "ranks call one collective with different lengths: rank [02] calls bcast of 120000 bytes (int32) from rank 0, rank 1 calls bcast of 40 bytes (int32) from rank 0, which is left to MPI"
says "rank 1 calls allgather that sends blocks of 60000 bytes (int32) and receives blocks of 120000 bytes (int32)"
says "ranks call one collective, but MPI refuses the call of one: rank [02] calls bcast of 120000 bytes (int32) from rank 0, rank 1 calls bcast of no valid length from rank 0, which MPI refuses"

# One rank calls what is MPI's own in any case, and would wait there for ever.
for call in Barrier Allreduce Scatterv Neighbor_alltoallw Ibarrier Iallgatherv Iexscan Ireduce_scatter_block; do
    for joined in "" joined; do
        # shellcheck disable=SC2086
        overlapped 3 "$2/program_disagree" beside $call $joined >ours && fail "$call $joined: no error"
        says "ranks call different collectives: rank [02] calls bcast of 120000 bytes (int32) from rank 0, rank 1 calls MPI_$call, which is left to MPI"
    done
done
overlapped 3 "$2/program_disagree" beside order >ours && fail "two orders: no error"
says "ranks call different collectives: rank [02] calls bcast of 120000 bytes (int32) from rank 0, rank 1 calls MPI_Ibarrier, which is left to MPI"
# All call all of these, before others and after them.
for joined in "" joined; do
    # shellcheck disable=SC2086
    overlapped 3 "$2/program_disagree" beside right $joined >ours || fail "in one order: $(cat ours said)"
    was_overlapped 0 "in one order"
done

CROSSWIND_NBC_COPY=segment overlapped 3 "$2/program_disagree" less more >ours || fail "through a segment: $(cat ours)"

# By default such an error ends the job, as MPI's own do; here for one case only.
launch 3 env LD_PRELOAD="$preload" "$2/program_disagree" fatal >ours 2>said && fail "an error that is fatal does not end the job"
says "ranks call one collective with different lengths: "
grep -q 'MPI_ERR_TRUNCATE\|essage truncated' said || fail "MPI does not say what kind of error it is: $(cat said)"
[ $failed -eq 0 ]
