#!/bin/sh
# Programs of others, as Debian packages them (for Open MPI): the same results with the preload library as without it.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
python=/usr/bin/python3 # the one that packages are for
PYTHONPATH=$(echo /usr/lib/petscdir/petsc3*/*-real/lib/python3/dist-packages)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
skipped=0

# compare PACKAGE MODULE RANKS PROGRAM
compare()
{
    if ! "$python" -c "import $2" 2>err; then
        echo "SKIPPED: $4: package $1 is not there: $(tail -n 1 err)"
        skipped=77
        return 0
    fi
    launch "$3" "$python" "$here/third_party/$4" >native || fail "$4"
    [ -s native ] || fail "$4 says nothing"
    overlapped "$3" "$python" "$here/third_party/$4" >ours || fail "$4, overlapped: $(cat said)"
    diff native ours || fail "$4: other results"
    was_overlapped 0 "$4"
}
compare python3-mpi4py mpi4py 3 messages.py
compare python3-petsc4py-real petsc4py 2 solvers.py
[ $failed -eq 0 ] || exit 1
exit $skipped
