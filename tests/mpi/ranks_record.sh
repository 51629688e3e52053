#!/bin/sh
# Programs that are recorded do what they did before, and the recording is what they did.
. "$(dirname "$0")/launch.sh"
record=$(dirname "$crosswind_mpi")/libcrosswind-record.so
[ -e "$record" ] || fail "there is no $record"
traffic=$2/program_traffic

# recorded N COMMAND...: launches it with the library before it; the recording is the file "rec".
recorded()
{
    n=$1
    shift
    rm -f rec
    launch "$n" env LD_PRELOAD="$record${more:+:$more}" CROSSWIND_RECORD="$PWD/rec" "$@" 2>said
}

# moves NAME: "rec" is complete, and says that who sends to whom is what stands in the file "wanted".
moves()
{
    "$crosswind" program rec --write-matrix matrix --collectives "alltoall=alltoall;bcast=linear-bcast" >shown || fail "$1: $(cat shown)"
    cmp wanted matrix || fail "$1: $(cat matrix)"
    grep -q 'does not reach MPI_Finalize' shown && fail "$1: it is cut off"
    grep -q 'are left out' shown && fail "$1: something is left out: $(cat shown)"
    "$crosswind" jobs crossbar:8@10Gbit/s --jobs recorded:rec --top 0 >replayed || fail "$1 is not replayed: $(cat replayed)"
}

# calls NAME NUMBER: so many calls of this function of MPI are in "rec".
calls()
{
    got=$("$crosswind" program rec --format csv | awk -F, -v name="$1" '$1 == name { print $2 }')
    [ "${got:-0}" -eq "$2" ] || fail "${got:-0} calls of $1 instead of $2"
}

launch 3 "$2/program_record" >out || fail "lines: $(cat out)"
[ "$(cat out)" = "record: as it is" ] || fail "lines: $(cat out)"

recorded 4 "$traffic" ring 50 1000 >/dev/null || fail "a ring"
printf 'src,dst,bytes\n0,1,50000\n1,2,50000\n2,3,50000\n3,0,50000\n' >wanted
moves "a ring"
calls Isend 200
calls Waitall 200

recorded 4 "$traffic" halo 50 1000 >/dev/null || fail "a halo"
printf 'src,dst,bytes\n0,1,50000\n1,0,50000\n1,2,50000\n2,1,50000\n2,3,50000\n3,2,50000\n' >wanted
moves "a halo"
calls Startall 200

recorded 3 "$traffic" alltoall 10 100 >/dev/null || fail "an all-to-all"
printf 'src,dst,bytes\n0,1,1000\n0,2,1000\n1,0,1000\n1,2,1000\n2,0,1000\n2,1,1000\n' >wanted
moves "an all-to-all"
calls Alltoall 30

# halves are 1, 0 and 3, 2: they are sorted the other way round; the last ones, 0 and 2, have the broadcast
recorded 4 "$traffic" split 10 100 >/dev/null || fail "halves"
printf 'src,dst,bytes\n0,1,2000\n1,0,1000\n2,3,2000\n3,2,1000\n' >wanted
moves "halves"
calls Comm_split 40

# from any rank: rank 3 came first
recorded 4 "$traffic" wild 1 100 >/dev/null || fail "any rank"
printf 'src,dst,bytes\n1,0,100\n2,0,200\n2,1,4\n3,0,300\n3,2,4\n' >wanted
moves "any rank"
"$crosswind" program rec --rank 0 --format csv | grep -c '^[^,]*,[^,]*,Recv,' | grep -qx 3 || fail "any rank: not three receives"
"$crosswind" program rec --rank 0 --format csv | sed -n 's/.*,< 0 \([0-9]\) 4,[^,]*$/\1/p' | tr -d '\n' | grep -qx 321 ||
    fail "any rank: not in the order in which messages came"

recorded 3 "$traffic" parts 10 100 >/dev/null || fail "parts"
printf 'src,dst,bytes\n0,1,1000\n1,2,2000\n2,0,3000\n' >wanted
moves "parts"

# of RANK TEXT0 TEXT1 TEXT2: the text of that rank
of()
{
    shift $(($1 + 1))
    echo "$1"
}

# bytes, roots and receivers of all collectives: of those arguments that MPI looks at
recorded 3 "$traffic" each 1 1000 >/dev/null || fail "each collective: $(cat said)"
for rank in 0 1 2; do
    "$crosswind" program rec --rank $rank --format csv | sed -n 's/^[^,]*,[^,]*,\([A-Z][a-z_]*\),[^,]*,\([*v] [^,]*\),[^,]*$/\1 \2/p' >shown
    cat >wanted <<END
Barrier * 0 barrier 0 0
Bcast * 0 bcast 2 10
Reduce * 0 reduce 1 12
Allreduce * 0 allreduce 0 16
Scan * 0 scan 0 20
Exscan * 0 exscan 0 24
Scatter * 0 scatter 1 28
Gather * 0 gather 2 32
Allgather * 0 allgather 0 36
Alltoall * 0 alltoall 0 44
Allgatherv * 0 allgather 0 12
Reduce_scatter * 0 reduce-scatter 0 24
Reduce_scatter_block * 0 reduce-scatter 0 156
Scatterv v 0$(of $rank '' ' 0:4 2:12' '')
Gatherv v 0$(of $rank ' 2:4' ' 2:8' '')
Alltoallv v 0$(of $rank ' 1:8 2:12' ' 0:8 2:16' ' 0:12 1:16')
Alltoallw v 0$(of $rank ' 1:12 2:24' ' 0:3 2:24' ' 0:3 1:12')
Neighbor_allgather v 2$(of $rank ' 1:56' ' 0:56 2:56' ' 1:56')
Neighbor_allgatherv v 2$(of $rank ' 1:8' ' 0:8 2:8' ' 1:8')
Neighbor_alltoall v 2$(of $rank ' 1:12' ' 0:12 2:12' ' 1:12')
Neighbor_alltoallv v 2$(of $rank ' 1:8' ' 0:4 2:8' ' 1:4')
Neighbor_alltoallw v 2$(of $rank ' 1:40' ' 0:5 2:40' ' 1:5')
Neighbor_allgather v 3$(of $rank ' 1:16 2:16' ' 0:16' ' 0:16')
Neighbor_allgather v 4$(of $rank ' 1:24' ' 2:24' ' 0:24')
END
    cmp wanted shown || fail "each collective, rank $rank: $(diff wanted shown)"
done

# who asks again and again has one line of all that was in vain
recorded 3 "$traffic" poll 20 1000 >/dev/null || fail "polls"
printf 'src,dst,bytes\n0,1,20000\n1,2,20000\n2,0,20000\n' >wanted
moves "polls"
[ "$("$crosswind" program rec --rank 1 --format csv | grep -c ',Testall,.*#')" -le 20 ] || fail "polls are not put together"

recorded 3 "$traffic" probe 20 1000 >/dev/null || fail "probes"
moves "probes"
calls Mprobe 20
calls Imrecv 60

# The sum of what a rank computed and was in MPI is the time that its program measured.
near()
{
    seconds=$(recorded 2 "$traffic" ring 200 1000 500) || fail "a ring with work"
    "$crosswind" program rec --format csv | awk -F, -v seconds="$seconds" '
        NR == 2 { if ($4 < .8 * seconds || $4 > 1.2 * seconds + .01) { print $4, seconds; exit 1 }
                  if ($6 < .19) { print "computed", $6; exit 1 } }' >why || fail "times: $(cat why)"
}
attempts 4 near

# Who shares a processor says so; the time for which it had none is part of its time.
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
recorded 2 taskset -c "$first" "$traffic" ring 20 1000 >/dev/null || fail "ranks of one processor"
"$crosswind" program rec | tr '\n' ' ' | grep -q '2 ranks had 1 processor of one machine' || fail "nobody says that ranks share a processor"
zstdcat rec | grep -c '^processors 0 0 w[0-9]*$' | grep -qx 2 || fail "nobody says how long ranks waited for processors"

allowed=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status | tr ',' '\n' | sed 's/^[0-9]*$/&-&/; s/-/:/' | tr '\n' ' ')
recorded 2 "$traffic" ring 2 10 >/dev/null || fail "ranks of all processors"
zstdcat rec | sed -n 's/^processors 0 0 p[0-9]* //p' | sed 's/$/ /' | sort -u | grep -qx "$allowed" || fail "other processors: $(zstdcat rec)"

# Programs in C and Fortran print the same.
for name in stencil communicators persistent handles overlap_mpi overlap_f08; do
    program=$2/programs/$name
    [ -e "$program" ] || continue
    launch 3 "$program" >native 2>/dev/null || fail "$name"
    recorded 3 "$program" >ours || fail "$name, recorded: $(cat said)"
    cmp native ours || fail "$name: other results"
    [ ! -s said ] || fail "$name: $(cat said)"
    "$crosswind" program rec >shown || fail "$name: $(cat shown)"
    grep -q 'does not reach MPI_Finalize\|are left out' shown && fail "$name: not all is there: $(cat shown)"
    "$crosswind" jobs crossbar:8@10Gbit/s --jobs recorded:rec --top 0 >replayed 2>&1 || fail "$name is not replayed: $(cat replayed)"
done

# Other tools see what they saw, and so does this one, whatever comes first.
launch 3 env LD_PRELOAD="$2/preload_tool.so" "$2/programs/stencil" >native || fail "a tool"
recorded 3 "$2/programs/stencil" >/dev/null
"$crosswind" program rec --format csv | awk -F, '/^call,/ { on = 1 } !NF { on = 0 } on { print $1, $2 }' | grep -v ^Test | sort >alone
grep -q 'Iallreduce\|Ibcast' alone || fail "no collectives of the stencil: $(cat alone)"
for both in "$record:$2/preload_tool.so" "$2/preload_tool.so:$record"; do
    rm -f rec
    launch 3 env LD_PRELOAD="$both" CROSSWIND_RECORD="$PWD/rec" "$2/programs/stencil" >ours || fail "$both"
    cmp native ours || fail "$both: $(cat native ours)"
    "$crosswind" program rec --format csv | awk -F, '/^call,/ { on = 1 } !NF { on = 0 } on { print $1, $2 }' | grep -v ^Test | sort >beside
    cmp alone beside || fail "$both: $(diff alone beside)"
done

# Beside the library of nonblocking collectives both do what they do.
nbc=$(dirname "$crosswind_mpi")/libcrosswind-nbc.so
core=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
for both in "$record:$nbc" "$nbc:$record"; do
    rm -f rec
    launch 3 env LD_PRELOAD="$both" CROSSWIND_RECORD="$PWD/rec" CROSSWIND_NBC_CORES="$core" CROSSWIND_NBC_MIN=0 \
        CROSSWIND_NBC_VERBOSE=yes "$2/programs/stencil" >ours 2>said || fail "$both"
    grep -q '^crosswind-nbc: rank 0: [1-9][0-9]* collectives overlapped, 0 left to MPI' said || fail "$both: not overlapped: $(cat said)"
    "$crosswind" program rec --format csv | awk -F, '/^call,/ { on = 1 } !NF { on = 0 } on { print $1, $2 }' | grep -v ^Test | sort >beside
    cmp alone beside || fail "$both: $(diff alone beside)"
done

# mpi4py
python=/usr/bin/python3
if [ "$mpi" = openmpi ] && "$python" -c 'import mpi4py' 2>/dev/null; then
    launch 3 "$python" "$here/third_party/messages.py" >native || fail "mpi4py"
    recorded 3 "$python" "$here/third_party/messages.py" >ours || fail "mpi4py, recorded: $(cat said)"
    cmp native ours || fail "mpi4py: other results"
    "$crosswind" program rec >shown || fail "mpi4py: $(cat shown)"
    grep -q 'does not reach MPI_Finalize\|are left out' shown && fail "mpi4py: not all is there: $(cat shown)"
fi

# Ranks that are killed lose their last block at most: 64 KiB of lines, each of which has 20 bytes or more.
FOLDERS=$PWD/killed
export FOLDERS
recorded 3 "$in_folder" "$traffic" endless 1 100 >/dev/null &
job=$!
await_ranks 3 'killed.*.pid'
for _ in $(seq 200); do
    [ "$(cat rec 2>/dev/null | wc -c)" -lt 20000 ] || break
    sleep 0.1
done
kill -9 $(cat killed.*.pid)
wait $job && fail "a job that was killed ended well"
for rank in 0 1 2; do
    done=$(tr -d ' \n' <killed/$rank/done.$rank)
    got=$("$crosswind" program rec --rank $rank --format csv | grep -c ',Waitall,')
    lost=$(((done - got) * 3))
    [ "$got" -gt 100 ] || fail "of a rank that was killed there are $got turns of $done"
    [ $lost -le 3300 ] || fail "a rank that was killed has lost $lost calls"
done
"$crosswind" program rec | tr '\n' ' ' | grep -q 'Of 3 of 3 ranks the recording does not reach MPI_Finalize' || fail "nobody says that it was killed"
"$crosswind" jobs crossbar:3@10Gbit/s --jobs recorded:rec --top 0 >replayed 2>&1 || fail "what was killed is not replayed: $(cat replayed)"

# What cannot be recorded runs all the same, and one rank says why.
launch 3 "$2/programs/stencil" >native
launch 3 env LD_PRELOAD="$record" "$2/programs/stencil" >ours 2>said || fail "without a file"
cmp native ours || fail "without a file: other results"
[ "$(cat said)" = "crosswind-record: nothing is recorded; expected CROSSWIND_RECORD=FILE" ] || fail "without a file: $(cat said)"
launch 3 env LD_PRELOAD="$record" CROSSWIND_RECORD=/nowhere/rec "$2/programs/stencil" >ours 2>said || fail "nowhere"
cmp native ours || fail "nowhere: other results"
[ "$(cat said)" = "crosswind-record: nothing is recorded: rank 0 cannot write /nowhere/rec: No such file or directory" ] || fail "nowhere: $(cat said)"
launch 2 env LD_PRELOAD="$record" CROSSWIND_RECORD=/dev/full "$2/programs/stencil" >ours 2>said || fail "a full disk"
launch 2 "$2/programs/stencil" >native
cmp native ours || fail "a full disk: other results"
[ "$(grep -c 'is not recorded any further: /dev/full: No space left on device' said)" -eq 2 ] || fail "a full disk: $(cat said)"
[ "$(LD_PRELOAD="$record" echo text)" = text ] || fail "a program without MPI"

# %h is the host's name
launch 2 env LD_PRELOAD="$record" CROSSWIND_RECORD="$PWD/by-%h.rec" "$traffic" ring 5 10 >/dev/null || fail "by host"
[ "$(find . -name 'by-*.rec')" = "./by-$(uname -n).rec" ] || fail "by host: $(ls)"
[ $failed -eq 0 ]
