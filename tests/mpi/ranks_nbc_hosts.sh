#!/bin/sh
# Nonblocking collectives between hosts, of which this one takes the part: ranks that are on no host together by preload_hosts,
# in the folder $2. What a network is needed for is in testbed_nbc.py.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
hosts=$2/preload_hosts.so
programs=$2

[ "$(launch 1 "$programs/program_wire")" = "wire: as it is" ] || fail "$(launch 1 "$programs/program_wire")"

# on EACH RANKS LIBRARIES COMMAND...: EACH ranks on a host; what the library says is in the file "said".
on()
{
    each=$1 ranks=$2 libraries=$3
    shift 3
    launch "$ranks" env RANKS_A_HOST="$each" OMPI_COMM_WORLD_LOCAL_SIZE="$each" MPI_LOCALNRANKS="$each" \
        CROSSWIND_NBC_VERBOSE=yes LD_PRELOAD="$libraries" "$@" 2>said
}

# Operations on communicators of all hosts, of some, with one rank a host or several, in any order.
# random EACH RANKS OPERATIONS ELEMENTS SEED
random()
{
    each=$1 ranks=$2
    shift 2
    on "$each" "$ranks" "$hosts" "$programs/program_nbc" "$@" >out || fail "$each of $ranks: $*: $(cat out said)"
    grep -qx "$1 operations" out || fail "$each of $ranks: $*: $(cat out)"
    [ "$(grep -c "^crosswind-nbc: .*: $each rank.*, communication cores" said)" -eq $((ranks / each)) ] || fail "hosts: $(cat said)"
}
random 2 6 100 3000 1
random 1 3 60 60000 2
random 1 6 20 30000 6 # more rounds than are under way at a time
hosts=$2/preload_hosts.so
CROSSWIND_NBC_HOSTS=chain random 2 6 60 300 3

# Where memory is out, messages wait until there is some; and all of it is given back.
hosts=$2/preload_hosts.so:$2/preload_scarce.so
scarce()
{
    random "$@"
    [ "$(grep -c '^scarce: 0 pages of [1-9][0-9]* are left$' said)" -eq 3 ] || fail "memory: $(cat said)"
}
CROSSWIND_NBC_HOSTS=k-nomial:3 scarce 1 3 60 30000 4
CROSSWIND_NBC_HOSTS=ring CROSSWIND_NBC_COPY=segment scarce 2 6 60 30000 5
hosts=$2/preload_hosts.so

# A program that knows nothing of Crosswind: operation by operation, with all datatypes; many at once.
for phase in "each 1 14 100000" "random 2 6 100000"; do
    # shellcheck disable=SC2086
    on 2 6 "$hosts:$preload" "$programs/stress" $phase >out || fail "$phase: $(cat out said)"
    was_overlapped '[0-9]*' "$phase" # what is of no rank but those of MPI is left to it
done

# Ranks of different hosts that do not ask for the same: all of them hear of it, after a moment where one has left its
# call to MPI.
CROSSWIND_NBC_MIN=4KiB on 1 3 "$hosts:$preload" "$programs/program_disagree" ", less" ", more" ", other root" \
    ", other collective" ", other type" ", bytes" ", other operation" ", unequal" "bcast, short" "reduce, negative" \
    "gather, short other" "alltoall, no type" >out || fail "disagree: $(cat out said)"
grep -q "disagree: 0 failures" out && was_overlapped 0 "disagree"
CROSSWIND_NBC_MIN=4KiB on 2 3 "$hosts:$preload" "$programs/program_disagree" "scatter, short" >out ||
    fail "disagree, two on a host: $(cat out said)"
for how in "" joined first; do
    odd=1
    [ "$how" != first ] || odd=0
    # shellcheck disable=SC2086
    on 1 3 "$hosts:$preload" "$programs/program_disagree" beside Barrier $how >out && fail "Barrier $how: no error"
    grep -q "crosswind-nbc: ranks call different collectives: rank [0-2] calls bcast of 120000 bytes (int32) from rank 0, rank $odd calls MPI_Barrier, which is left to MPI" said ||
        fail "Barrier $how: $(cat said)"
done

# Why what spans hosts is left to MPI is said once.
# left REASON COMMAND...
left()
{
    reason=$1
    shift
    on 2 4 "$hosts:$preload" "$@" "$programs/programs/stencil" 10 2000 >out || fail "$reason: $(cat said)"
    [ "$(grep -c "communicators that span hosts are left to MPI: $reason" said)" -eq 1 ] || fail "$reason: $(cat said)"
    grep -q "rank 0: 0 collectives overlapped" said || fail "$reason: $(cat said)"
}
left "CROSSWIND_NBC_HOSTS=native" env CROSSWIND_NBC_HOSTS=native
left "MPI was not initialised with MPI_THREAD_MULTIPLE" env OMPI_COMM_WORLD_LOCAL_SIZE=4 MPI_LOCALNRANKS=4

# Without one of these launchers, a batch system says whether there are several.
left "MPI was not initialised with MPI_THREAD_MULTIPLE" env -u OMPI_COMM_WORLD_LOCAL_SIZE -u MPI_LOCALNRANKS SLURM_STEP_NUM_NODES=1
on 2 4 "$hosts:$preload" env -u OMPI_COMM_WORLD_LOCAL_SIZE -u MPI_LOCALNRANKS SLURM_STEP_NUM_NODES=2 \
    "$programs/programs/stencil" 10 2000 >out || fail "Slurm: $(cat said)"
was_overlapped 0 "Slurm"

# The stencil's collectives are of 16000 bytes, which is not less than that. An order of hosts that is kept and damaged is
# nobody's wish: it is said, and left out.
mkdir -p "$XDG_CACHE_HOME/crosswind"
echo nonsense >"$XDG_CACHE_HOME/crosswind/fabric.txt"
CROSSWIND_NBC_MIN=16000 on 2 4 "$hosts:$preload" "$programs/programs/stencil" 10 2000 >out || fail "16000 bytes: $(cat said)"
was_overlapped 0 "16000 bytes"
grep -q "^crosswind-nbc: the order of hosts that is kept is not used: .*fabric.txt" said || fail "a damaged order: $(cat said)"
rm "$XDG_CACHE_HOME/crosswind/fabric.txt"

# A fabric of which one host is known, its first: the others follow it, in the order of ranks. A chain to rank 0 then adds what
# the ranks 3 and 1 have first, and else what 3 and 2 have.
printf '%s\n' collective,hosts,bytes,order,tree,time reduce,4,1,fabric,chain,1e-3 "host h1" >fabric
for known in h1 elsewhere; do
    sed -i "s/^host .*/host $known/" fabric
    CROSSWIND_NBC_HOSTS=fabric CROSSWIND_NBC_FABRIC=$PWD/fabric on 1 4 "$hosts:$preload" "$programs/program_order" >out || fail "a fabric with $known: $(cat said)"
    was_overlapped 0 "a fabric with $known"
    case $known in
    h1) expected=1 says="hosts of 1 of 4 ranks pass on messages as is predicted" ;;
    *) expected=0 says="$PWD/fabric knows none of these hosts" ;;
    esac
    grep -q "is not used" said && fail "a fabric with $known: $(cat said)"
    [ "$(cat out)" = $expected ] && grep -q "$says" said || fail "a fabric with $known: $(cat out said)"
done

# Communicators of all kinds; they are given back.
on 2 4 "$hosts" "$programs/programs/communicators" >native
on 2 4 "$hosts:$preload" "$programs/programs/communicators" >ours || fail "communicators: $(cat said)"
cmp native ours || fail "communicators: other results"

# What is measured is of one host.
on 1 2 "$hosts" "$crosswind_mpi" overlap --tuning >out && fail "--tuning on two hosts"
grep -q "^crosswind-mpi: .*--tuning measures one host, but 1 of 2 ranks are on another" said || fail "--tuning: $(cat said)"
[ $failed -eq 0 ]
