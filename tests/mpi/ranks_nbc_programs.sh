#!/bin/sh
# Programs that know nothing of Crosswind print the same with the preload library as without it.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"

for program in "$2"/programs/*; do
    name=$(basename "$program")
    launch 4 "$program" >native || fail "$name"
    overlapped 4 "$program" >ours || fail "$name, overlapped"
    cmp native ours || fail "$name: other results"
    was_overlapped '[0-9]*' "$name"
done

# All functions of large counts are ours.
for program in "$2"/programs/large_*; do
    [ -e "$program" ] || continue # this MPI has none
    overlapped 3 "$program" >ours || fail "$program, overlapped"
    was_overlapped 0 "$program"
done

# A profiling tool sees what the program calls, whether it is loaded before the library or after it.
tool=$2/preload_tool.so
launch 3 env LD_PRELOAD="$tool" "$2/programs/stencil" >native || fail "a tool"
for both in "$tool:$preload" "$preload:$tool"; do
    launch 3 env LD_PRELOAD="$both" CROSSWIND_NBC_VERBOSE=yes "$2/programs/stencil" >ours 2>said || fail "$both"
    cmp native ours || fail "$both: $(cat native ours)"
    was_overlapped 0 "$both"
done

# Who wants to hear nothing hears nothing.
for no in no 0 ""; do
    launch 2 env LD_PRELOAD="$preload" CROSSWIND_NBC_VERBOSE="$no" "$2/programs/stencil" >ours 2>said
    [ ! -s said ] || fail "CROSSWIND_NBC_VERBOSE='$no': it speaks: $(cat said)"
done

# Nothing at all when it is switched off, or the MPI is left without its library; and the reason if it is asked for.
program=$2/programs/stencil
launch 2 "$program" >native
CROSSWIND_NBC=off overlapped 2 "$program" >ours || fail "switched off"
cmp native ours || fail "switched off: other results"
[ ! -s said ] || fail "switched off: it speaks: $(cat said)"
mkdir alone
cp "$preload" alone
launch 2 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" "$program" >ours 2>said || fail "without the other library"
cmp native ours || fail "without the other library: other results"
[ ! -s said ] || fail "without the other library: it speaks: $(cat said)"
launch 3 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said
grep -q "^crosswind-nbc: collectives are left to MPI: .*libcrosswind-nbc.$mpi.so" said || fail "no reason: $(cat said)"
[ "$(wc -l <said)" -eq 1 ] || fail "not one rank alone says why: $(cat said)"
launch 1 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said || fail "one rank"
[ "$(wc -l <said)" -eq 1 ] || fail "it is not the first rank that says why: $(cat said)"
for no in no 0 ""; do
    launch 2 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE="$no" "$program" >ours 2>said
    [ ! -s said ] || fail "CROSSWIND_NBC_VERBOSE='$no': it says why: $(cat said)"
done
CROSSWIND_NBC=off launch 2 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said
[ ! -s said ] || fail "switched off, without the other library: it speaks: $(cat said)"
cp "$(dirname "$preload")/libcrosswind-ranks.so" "alone/libcrosswind-nbc.$mpi.so" # which is of no MPI
launch 2 env LD_PRELOAD="$PWD/alone/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said || fail "of another MPI"
cmp native ours || fail "of another MPI: other results"
grep -q "^crosswind-nbc: collectives are left to MPI: the program has another MPI library" said || fail "another MPI: $(cat said)"

# By its name alone, from the folder in which it is, it has no path, and the other library has none.
(
    cd "$(dirname "$preload")"
    launch 2 env LD_LIBRARY_PATH=: LD_PRELOAD=libcrosswind-nbc.so CROSSWIND_NBC_VERBOSE=yes "$program" 2>"$folder/said"
) >ours || fail "by its name"
cmp native ours || fail "by its name: other results"
was_overlapped 0 "by its name"

# A path of which that of the other library would be too long by a byte.
long=$PWD/alone length=$((4096 - $(printf '/libcrosswind-nbc.so.%s' "$mpi" | wc -c)))
while [ $((length - ${#long})) -gt 201 ]; do long=$long/$(printf '%0100d' 0); done
long=$long/$(printf "%0$((length - ${#long} - 1))d" 0)
mkdir -p "$long"
cp "$preload" "$long"
launch 2 env LD_PRELOAD="$long/libcrosswind-nbc.so" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said || fail "a long path"
grep -q "left to MPI: the path of the preload library is too long" said || fail "a long path: $(cat said)"

# An MPI that nobody knows.
cat >unknown.c <<'C'
int PMPI_Barrier(long comm) { return comm == 7 ? 42 : 1; }
int MPI_Barrier(long comm) { return PMPI_Barrier(comm); }
C
echo 'int MPI_Barrier(long); int main(void) { return MPI_Barrier(7); }' >calls.c
cc -shared -fPIC unknown.c -o unknown.so && cc calls.c ./unknown.so -o calls || fail "cc"
status=0
LD_PRELOAD="$preload" CROSSWIND_NBC_VERBOSE=yes ./calls 2>said || status=$?
[ $status -eq 42 ] && grep -q "left to MPI: this MPI is not known" said || fail "an unknown MPI: $status, $(cat said)"

# A function that it does not have: the job ends, and says which it is.
echo 'int MPI_Start(void *); int main(void) { return MPI_Start(0); }' >starts.c
cc starts.c "$preload" -o starts || fail "cc"
status=0
./starts 2>said || status=$?
[ $status -eq 134 ] && grep -qx "crosswind-nbc: the MPI library has no function MPI_Start" said || fail "no MPI_Start: $status, $(cat said)"

# What is short is MPI's, and a core must be given.
CROSSWIND_NBC_MIN=1MiB overlapped 2 "$program" >ours
grep -q '^crosswind-nbc: rank 0: 0 collectives overlapped, 40 left to MPI' said || fail "short ones: $(cat said)"
CROSSWIND_NBC_MIN=some overlapped 2 "$program" >ours
cmp native ours || fail "a wrong setting: other results"
grep -q '^crosswind-nbc: collectives are left to MPI: .*CROSSWIND_NBC_MIN' said || fail "a wrong setting: $(cat said)"

CROSSWIND_NBC_CORE=1 overlapped 2 "$program" >ours
grep -q 'did you mean CROSSWIND_NBC_CORES?' said || fail "a misspelled setting: $(cat said)"

# A core that is not there is not said to be used.
CROSSWIND_NBC_CORES=1023 overlapped 2 "$program" >ours
cmp native ours || fail "a core that is not there: other results"
grep -q 'a communication core is not there' said || fail "a core that is not there: $(cat said)"
grep -q 'communication cores 1023' said && fail "a core that is not there is used: $(cat said)"

# A rank alone has no collectives; cores that the job was not given are not taken.
overlapped 1 "$program" >ours
grep -q ': 1 rank, alone on its host' said || fail "one rank: $(cat said)"
timeout -k 1 "$LIMIT" taskset -c "$core" "$launcher" -n 2 \
    env -u CROSSWIND_NBC_CORES LD_PRELOAD="$preload" CROSSWIND_NBC_VERBOSE=yes "$program" >ours 2>said </dev/null
grep -q ': 2 ranks, no core to spare' said || fail "a core of others was taken: $(cat said)"

# A program that is not of MPI.
[ "$(LD_PRELOAD="$preload" echo text)" = text ] || fail "a program without MPI"
[ $failed -eq 0 ]
