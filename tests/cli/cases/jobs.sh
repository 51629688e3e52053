# Jobs side by side, by flows.
sample=$GOLDEN/../../examples/sample
cp "$sample/fabric.ibnetdiscover" "$sample/opensm-lfts.dump" .
printf 'rabenseifner ranks=32 bytes=1MiB\nalltoall ranks=32 bytes=64KiB\n\nuniform load=0.3\n' >jobs.txt

echo "# one job: the bandwidths of NCCL's tests"
run crosswind jobs rail:8,8,8@400Gbit/s --jobs 'ring-allreduce bytes=1GiB' --top 2
echo "# three, in a file, on the fabric's own tables"
run crosswind jobs fabric.ibnetdiscover --lft opensm-lfts.dump --jobs jobs.txt --placement random --trials 12 --top 3
echo "# a second opinion"
run crosswind jobs torus:4x4 --jobs 'shift:3 ranks=8 bytes=64KiB; barrier ranks=4; bcast ranks=4 bytes=64KiB' --check 1 --format csv --o 0us
run crosswind noise torus:4x4 --ratio 0.5 --case 1 case.txt --plot case.svg
echo "# spread over all shortest paths"
run crosswind jobs xgft:2:4,4:1,2 --routing spray --jobs 'alltoall bytes=64KiB' --top 0
run crosswind jobs xgft:2:4,4:1,2 --routing spray --jobs 'alltoall bytes=64KiB' --top 0 --check 1
echo "# by counts, beside traffic without end"
run crosswind jobs torus:4x4 --model counts --jobs 'bruck ranks=50% bytes=64KiB; uniform ranks=25%; shift:1' --placement random
echo "# flit by flit, flows beside it"
run crosswind jobs torus:4x4 --model flits --jobs 'alltoall ranks=8 bytes=4KiB; shift:3 ranks=8 bytes=64KiB start=2us' --check 1
echo "# hosts by number, and by name"
run crosswind jobs torus:4x4 --jobs 'alltoall hosts=h[4-7],h0 bytes=4KiB; bcast hosts=25%' --top 0
run crosswind jobs torus:4x4 --jobs 'alltoall hosts=h[4-7],h99'
run crosswind jobs torus:4x4 --jobs 'alltoall hosts=h[4-7]; bcast hosts=h7,h8'
run crosswind jobs torus:4x4 --jobs 'alltoall hosts=h[4-7]' --advise placement
echo "# where the last job should run"
run crosswind jobs torus:4x4 --jobs 'uniform ranks=8 load=0.5 placement=random; ring-allreduce ranks=4 bytes=64KiB placement=random' \
    --advise placement --top 0 --trials 10 --hosts hosts.txt
cat hosts.txt
echo "# on hosts with several adapters, in each form"
for form in endpoints hostfile nodelist rankfile; do
    run crosswind jobs "$GOLDEN/fabric/rails.ibnetdiscover" --jobs 'alltoall ranks=3 bytes=64KiB' --advise placement --top 0 \
        --trials 2 --hosts hosts.txt --hosts-format $form >log 2>&1
    cat hosts.txt
done
echo "# a job to move, and the words to run it with"
sample=$GOLDEN/../../examples/sample
run crosswind jobs "$sample/fabric.ibnetdiscover" --lft "$sample/opensm-lfts.dump" \
    --jobs 'alltoall ranks=40 bytes=64KiB placement=random; rabenseifner ranks=32 bytes=4MiB placement=random' \
    --advise placement --top 0 --trials 10 | grep -A3 '^Run'
echo "# a slow cable is found, and an algorithm that avoids it"
run crosswind jobs torus:4x4 --degraded 's(0,0)-s(1,0)=4Gbit/s' --jobs 'shift:5 ranks=4 bytes=64KiB; alltoall ranks=8 bytes=64KiB' \
    --advise all --top 0 --trials 2
printf 'num_ranks 2\nrank 0 {\n a: calc 3000\n b: send 65536b to 1 tag 4\n b requires a\n}\nrank 1 {\n recv 65536b from 0 tag 4\n}\n' >two.goal
printf 'num_ranks 1\nrank 0 {\n a: calc 3\n a requires a\n}\n' >circle.goal
printf 'num_ranks 2\nrank 0 {\n a: send 8b to 2\n}\n' >broken.goal
echo "# a program, three times, beside what begins later"
run crosswind jobs torus:4x4 --jobs 'goal:two.goal repeat=3; shift:3 ranks=8 bytes=64KiB start=20us' --top 3
echo "# later, by flows and flit by flit"
run crosswind jobs torus:4x4 --jobs 'alltoall ranks=8 bytes=4KiB; shift:3 ranks=8 bytes=64KiB start=2us' --check 1 --top 0
echo "# what is refused"
run crosswind jobs torus:4x4 --jobs 'goal:two.goal ranks=3'
run crosswind jobs torus:4x4 --jobs goal:broken.goal
run crosswind jobs torus:4x4 --jobs goal:circle.goal
run crosswind jobs torus:4x4 --jobs goal:two.goal --check 1
run crosswind jobs torus:4x4 --model flits --jobs goal:two.goal
run crosswind jobs torus:4x4 --model flits --jobs 'alltoall repeat=2'
run crosswind jobs torus:4x4 --model counts --jobs goal:two.goal
run crosswind jobs torus:4x4 --model counts --jobs 'alltoall ranks=4; bcast'
run crosswind jobs torus:4x4 --model counts --jobs 'alltoall' --top 3
run crosswind jobs torus:4x4 --jobs 'alltoall' --message 1KiB
run crosswind jobs torus:4x4 --model counts --jobs moves:plan.json
run crosswind jobs torus:4x4 --jobs alltoall --hosts hosts.txt
run crosswind jobs torus:4x4 --jobs 'alltoall ranks=4; uniform' --advise placement
run crosswind jobs torus:4x4
run crosswind jobs torus:4x4 --jobs uniform
run crosswind jobs torus:4x4 --jobs 'alltoall ranks=99'
run crosswind jobs torus:4x4 --jobs 'alltoall bytes=x'
run crosswind jobs torus:4x4 --jobs 'nothing'
run crosswind jobs torus:4x4 --routing adaptive --jobs 'alltoall bytes=64KiB'
echo "# pictures of who slows down whom, and of noise: the numbers are in their scripts"
if command -v gnuplot >/dev/null; then
    crosswind jobs torus:4x4 --jobs 'shift:5 ranks=6 bytes=64KiB; alltoall ranks=5 bytes=64KiB; uniform ranks=5' --plot map.svg --quiet >/dev/null
    sed -n '/^set ytics/p;/^\$cells/,/^END/p' map.gp
    ls map*.svg
    crosswind jobs torus:4x4 --jobs 'shift:5 ranks=6 bytes=64KiB; uniform ranks=5' --plot two.svg --quiet >/dev/null
    sed -n '/^set ytics/p;/^\$other0/,/^END/p' two.gp # two have only each other: bars, with intervals where there are any
    crosswind noise torus:4x4 --ratio 0.5 --bytes 8B,1MiB --trials 20 --plot sizes.svg --quiet >/dev/null
    sed -n '/^set xtics/p;/^\$series0/,/^END/p' sizes.gp
    crosswind noise torus:4x4 --ratio 0.3,0.6 --bytes 64KiB,1MiB --trials 20 --plot ratios.svg --quiet >/dev/null
    grep -c '^\$boxes' ratios.gp
    tail -c 7 map.svg two.svg sizes.svg ratios.svg
else
    skip "gnuplot is not installed"
fi
