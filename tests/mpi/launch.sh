# What tests with several ranks on this host begin with. $1: openmpi or mpich.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mpi=$1
launcher=$(command -v "mpirun.$mpi") || {
    echo "SKIPPED: there is no mpirun.$mpi"
    exit 77
}
crosswind=$(realpath "$CROSSWIND")
crosswind_mpi=$(realpath "$CROSSWIND_MPI")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # MPI libraries keep memory to the end
failed=0

# launch N COMMAND...: on N ranks, ended after LIMIT seconds whatever happens.
LIMIT=60
launch()
{
    ranks=$1
    shift
    timeout -k 1 "$LIMIT" "$launcher" -n "$ranks" "$@" </dev/null
}

fail()
{
    echo "FAILED: $mpi: $*" >&2
    failed=1
}
