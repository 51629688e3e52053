#!/bin/sh
# MPICH's own tests of collectives and communicators, from Debian's source, whose blocking collectives become nonblocking and
# persistent ones: what passes without the library passes with it. $3: a folder in which what is built is kept.
# Environment: PARTS, those of coll and comm that are run; without it both, and whether that was enough is checked.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
. "$here/source.sh"
[ "$mpi" = mpich ] || exit 0
sources=$3
shim=$2/preload_nonblocking.so

fetch_source mpich
suite=$sources/mpich-tests
if [ ! -e "$suite/built" ]; then
    mkdir -p "$suite"
    cd "$suite"
    "$sources/mpich/test/mpi/configure" CC=gcc MPICC=mpicc.mpich MPI_CC=mpicc.mpich --with-mpi=/usr --disable-fortran \
        --disable-cxx --disable-spawn --disable-rma >configure.log 2>&1
    for part in dtpools util coll comm; do make -k -C $part CFLAGS=-O0 >>make.log 2>&1 || true; done
    touch built
    cd "$folder"
fi

# run LOG RANKS LIBRARIES COMMAND...: whether the test says that all is well.
run()
{
    log=$1
    n_ranks=$2
    libraries=$3
    shift 3
    launch "$n_ranks" env LD_PRELOAD="$libraries" CROSSWIND_NBC_VERBOSE=yes NONBLOCKING_VERBOSE=yes "$@" >"$log" 2>&1 &&
        grep -q '^ *No Errors' "$log"
}

COUNTS='^preload_nonblocking: \|^crosswind-nbc: rank 0: '

# ours_as_native NAME RANKS COMMAND...
ours_as_native()
{
    what="$1 on $2 ranks"
    on=$2
    shift 2
    run ours "$on" "$shim:$preload" "$@" || fail "$what: $(grep -v "$COUNTS" ours | tail -n 5)"
    grep "$COUNTS" ours >>said || true
}

: >native-failures
: >said
n=0
n_failed=0
for part in ${PARTS:-coll comm}; do
    # the list has names, numbers of ranks, and arguments
    while read -r name ranks rest; do
        [ -n "$name" ] && [ -x "$suite/$part/$name" ] || continue
        [ "$ranks" -le 5 ] || ranks=$((ranks % 4 == 0 ? 4 : 5)) # some want an even number
        arguments=$(echo "$rest" | tr ' ' '\n' | sed -n 's/^arg=//p')
        LIMIT=$(echo "$rest" | tr ' ' '\n' | sed -n 's/^timeLimit=//p')
        LIMIT=${LIMIT:-180} # as in its own runner
        n=$((n + 1))
        # shellcheck disable=SC2086
        if ! run native "$ranks" "$shim" "$suite/$part/$name" $arguments; then
            echo "$part/$name" >>native-failures
        else
            before=$failed
            failed=0
            attempts 2 ours_as_native "$part/$name" "$ranks" "$suite/$part/$name" $arguments
            n_failed=$((n_failed + failed))
            [ $failed -ne 0 ] || failed=$before
        fi
    done <"$suite/$part/testlist"
done
n_native=$(wc -l <native-failures)
many=$(sed -n 's/^crosswind-nbc: rank 0: \([0-9]*\) collectives overlapped.*/\1/p' said | awk '{ n += $1 } END { print n + 0 }')
echo "$n tests, of which $n_native fail without the library and $n_failed of the others with it; $many collectives of rank 0" \
    "were overlapped"
[ "$n_native" -eq 0 ] || echo "without it fail: $(sort native-failures | uniq | tr '\n' ' ')"
sed -n 's/^preload_nonblocking: //p' said | awk '{ n[$1 " " $2] += $3 } END { for (what in n) print what, n[what] }' |
    sort >turned
echo "collectives that were turned, and completed by: $(tr '\n' ';' <turned)"
[ -z "${PARTS:-}" ] || exit "$failed"
[ "$n" -gt 200 ] || fail "only $n tests were built: $suite/make.log"
[ $((n_native * 10)) -lt "$n" ] || fail "too many fail without the library for this to say much"
[ "$many" -gt 5000 ] || fail "only $many collectives were overlapped"
for function in Wait Test Waitall Testall Waitany Testany Waitsome Testsome Request_get_status; do
    grep -q "^nonblocking $function " turned || fail "no nonblocking collective was completed by $function"
    # MPICH 4.0.2's own persistent ones fail in Testall
    [ $function = Testall ] || grep -q "^persistent $function " turned || fail "no persistent one was completed by $function"
done
[ "$failed" -eq 0 ]
