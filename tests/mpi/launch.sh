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
export XDG_CACHE_HOME="$folder/cache" # what the user has measured counts for nothing here
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

# in_folder COMMAND...: each rank has the folder $FOLDERS/RANK, where it would leave files; its process is in $FOLDERS.RANK.pid.
in_folder=$folder/in_folder
cat >"$in_folder" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
mkdir -p "$FOLDERS/$rank"
cd "$FOLDERS/$rank"
echo $$ >"$FOLDERS.$rank.pid"
exec "$@"
END
chmod +x "$in_folder"

fail()
{
    echo "FAILED: $mpi: $*" >&2
    failed=1
}
