#!/bin/sh
# mpi4py's own tests, from Debian's source, under mpi4py as Debian packages it (for Open MPI), whose blocking collectives
# become nonblocking and persistent ones, too: what passes without the library passes with it. $3: a folder in which the
# source is kept. Environment: MODULES, those that are run (a pattern of file names); without it all, and whether that was
# enough is checked.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
. "$here/source.sh"
[ "$mpi" = openmpi ] || exit 0
python=/usr/bin/python3 # the one that packages are for
sources=$3
shim=$2/preload_nonblocking.so
RANKS=3
export PYTHONDONTWRITEBYTECODE=1

"$python" -c "import mpi4py, numpy" 2>err || {
    echo "SKIPPED: package python3-mpi4py or python3-numpy is not there: $(tail -n 1 err)"
    exit 77
}
fetch_source mpi4py
tests=$sources/mpi4py/test

# run MODULE WHAT LIBRARIES: what became of the tests, as far as all ranks agree, in the file WHAT.
run()
{
    rm -f outcomes.*
    launch "$RANKS" env LD_PRELOAD="$3" CROSSWIND_NBC_VERBOSE=yes "$python" "$here/third_party/mpi4py_suite.py" "$tests" \
        "$1" "$folder/outcomes" >"$2.log" 2>&1 || true
    cat outcomes.* 2>/dev/null | sort | uniq -c | sed -n "s/^ *$RANKS //p" >"$2"
}

# ours_as_native MODULE
ours_as_native()
{
    run "$1" ours "$shim:$preload"
    sed -n 's/^crosswind-nbc: rank 0: \([0-9]*\) collectives overlapped.*/\1/p' ours.log >>overlapped
    grep '^ok \|^end ' native | sort >passed || true
    sort ours | comm -23 passed - >missing
    [ ! -s missing ] || fail "$1: no $(tr '\n' ';' <missing) $(tail -n 20 ours.log)"
}

: >overlapped
: >passed_natively
: >not_natively
: >not_ours
for file in "$tests"/${MODULES:-test_*.py}; do
    module=$(basename "$file" .py)
    run "$module" native "$shim"
    grep -q "^end $module" native || echo "$module" >>not_natively
    sed -n 's/^failed //p' native >>not_natively
    attempts 2 ours_as_native "$module"
    grep '^ok ' passed >>passed_natively || true
    cat missing >>not_ours
done
n=$(wc -l <passed_natively)
many=$(awk '{ n += $1 } END { print n + 0 }' overlapped)
n_ours=$(grep -c '^ok ' not_ours || true)
echo "$n tests pass without the library, of which $n_ours fail with it; $(wc -l <not_natively) fail without it;" \
    "$many collectives of rank 0 were overlapped"
[ ! -s not_natively ] || echo "without it fail: $(tr '\n' ' ' <not_natively)"
[ -z "${MODULES:-}" ] || exit "$failed"
[ "$n" -gt 500 ] || fail "only $n tests pass without the library: $(tail -n 5 native.log)"
[ "$many" -gt 10000 ] || fail "only $many collectives were overlapped"
[ "$failed" -eq 0 ]
