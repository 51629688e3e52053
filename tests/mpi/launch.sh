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

# Machines may be busy, with 20 processes to a core: what takes a second may take a minute. So only what hangs takes longer
# than LIMIT, and only what does not notice that it must end takes longer than SOON. [s] tools/mutate, whose bugs often
# hang, sets CW_HASTE: a limit, and the first failure ends the test.
LIMIT=${CW_HASTE:-240}
SOON=30

# launch N COMMAND...: on N ranks, ended after LIMIT seconds whatever happens, with exit status 124.
launch()
{
    ranks=$1
    shift
    timeout -k 1 "$LIMIT" "$launcher" -n "$ranks" "$@" </dev/null
}

# with_library LIBRARY RANKS COMMAND...: each rank has the library loaded before that of MPI.
with_library()
{
    library=$1 n=$2
    shift 2
    launch "$n" env LD_PRELOAD="$library" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" "$@"
}

# settled FILE RANKS: by the accounts in FILE (preload_ledger) all that so many ranks have begun is complete, and all that
# was sent has been received.
settled()
{
    awk -v ranks="$2" '/^ledger: / { n++; sent += $5; received += $9; if ($11 != 0) open = 1 }
                       END { exit n != ranks || open || sent != received }' "$1" || fail "accounts: $(cat "$1")"
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
    [ -z "${CW_HASTE:-}" ] || [ -n "${attempt:-}" ] || exit 1
}

# attempts N CHECK...: a check that a busy machine may disturb, N times at most until nothing fails in it. tools/test
# counts the lines that begin with AGAIN.
attempts()
{
    earlier=$failed
    most=$1
    shift
    attempt=1
    failed=0
    "$@"
    while [ $failed -ne 0 ] && [ $attempt -lt "$most" ]; do
        attempt=$((attempt + 1))
        echo "AGAIN: $*: attempt $attempt of $most"
        failed=0
        "$@"
    done
    attempt=
    [ $failed -eq 0 ] || [ -z "${CW_HASTE:-}" ] || exit 1
    [ $failed -ne 0 ] || failed=$earlier
}

# await_ranks N FILE...: until each of N ranks has written its process into a file of this pattern.
await_ranks()
{
    for _ in $(seq 600); do
        [ "$(find . -name "$2" -size +1c | wc -l)" -ne "$1" ] || return 0
        sleep 0.1
    done
    fail "not all of $1 ranks have begun"
}
