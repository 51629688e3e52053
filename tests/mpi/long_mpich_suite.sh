#!/bin/sh
# MPICH's own tests of collectives and communicators, from Debian's source, whose blocking collectives become nonblocking and
# persistent ones: what passes without the library passes with it. $3: a folder in which what is built is kept.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
[ "$mpi" = mpich ] || exit 0
sources=$3
shim=$2/preload_nonblocking.so
LIMIT=60

# source PACKAGE: its sources are below $sources, or this ends here.
source()
{
    [ ! -d "$sources/$1" ] || return 0
    mkdir -p "$sources/apt/lists/partial" "$sources/apt/cache"
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "deb-src http://deb.debian.org/debian $suite main" >"$sources/apt/sources.list"
    (cd "$sources" && for command in update "source --download-only $1"; do
        # shellcheck disable=SC2086
        apt-get -qq -o Dir::Etc::SourceList="$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$sources/apt/lists" -o Dir::Cache="$sources/apt/cache" $command || exit 1
    done) && mkdir "$sources/$1.part" && tar -C "$sources/$1.part" --strip-components=1 -xf "$sources/$1"_*.orig.tar.* &&
        mv "$sources/$1.part" "$sources/$1" || {
        echo "SKIPPED: Debian's source of $1 cannot be had here"
        exit 77
    }
}

source mpich
suite=$sources/mpich-tests
if [ ! -e "$suite/built" ]; then
    mkdir -p "$suite"
    cd "$suite"
    "$sources/mpich/test/mpi/configure" CC=gcc MPICC=mpicc.mpich MPI_CC=mpicc.mpich --with-mpi=/usr --disable-fortran \
        --disable-cxx --disable-spawn --disable-rma >configure.log 2>&1
    for part in dtpools util coll comm; do make -k -C $part >>make.log 2>&1 || true; done
    touch built
    cd "$folder"
fi

# run NAME WHAT COMMAND...: whether the test says so.
run()
{
    log=$1
    shift
    launch "$@" >"$log" 2>&1 && grep -q '^ *No Errors' "$log"
}

: >native-failures
n=0
for part in coll comm; do
    # the list has names, numbers of ranks, and arguments
    while read -r name ranks rest; do
        [ -x "$suite/$part/$name" ] || continue
        [ "$ranks" -le 5 ] || ranks=5
        arguments=$(echo "$rest" | tr ' ' '\n' | sed -n 's/^arg=//p')
        n=$((n + 1))
        # shellcheck disable=SC2086
        if ! run log "$ranks" env LD_PRELOAD="$shim" "$suite/$part/$name" $arguments; then
            echo "$part/$name" >>native-failures
        elif ! run log "$ranks" env LD_PRELOAD="$shim:$preload" "$suite/$part/$name" $arguments; then
            fail "$part/$name on $ranks ranks: $(tail -n 3 log)"
        fi
    done <"$suite/$part/testlist"
done
echo "$n tests; without the library fail: $(tr '\n' ' ' <native-failures)"
[ "$n" -gt 100 ] || fail "only $n tests were built: $suite/make.log"
[ $failed -eq 0 ]
