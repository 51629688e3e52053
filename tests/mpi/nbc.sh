# What tests of overlapped collectives begin with, after launch.sh: $preload is the library, $core a core of this host.
preload=$(dirname "$crosswind_mpi")/libcrosswind-nbc.so
[ -e "$preload" ] || fail "there is no $preload"
core=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
export CROSSWIND_NBC_CORES="$core" # whether it is spare or not: this is not about speed
export CROSSWIND_NBC_MIN=0

# overlapped N COMMAND...: launches it with the library before it; what the library says is in the file "said".
overlapped()
{
    n=$1
    shift
    launch "$n" env LD_PRELOAD="$preload" CROSSWIND_NBC_VERBOSE=yes "$@" 2>said
}

# Some collectives were overlapped, and that many (a pattern of grep) left to MPI.
was_overlapped()
{
    grep -q "^crosswind-nbc: rank 0: [1-9][0-9]* collectives overlapped, $1 left to MPI" said || {
        fail "$2: not overlapped"
        cat said >&2
    }
}
