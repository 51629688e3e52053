# Pictures of results: which files they go to, what is in their scripts and in JSON, and what is refused.
run crosswind ebb torus:4x4 --plot ebb.jpg
run crosswind ebb torus:4x4 --plot .svg
run crosswind ebb torus:4x4 --plot nowhere/ebb.svg
run crosswind diff torus:4x4 --failed 's(0,0)' --plot diff.svg
run crosswind noise torus:4x4 --ratio 0.5 --case 1 case.txt --plot case.svg
run crosswind jobs torus:4x4 --jobs moves:plan.json --model flits --plot moves.svg
run crosswind route torus:4x4 --from h0 --to h1 --plot route.svg
program=$(command -v crosswind)
mkdir none
(PATH=$PWD/none; "$program" ebb torus:4x4 --plot none.svg) || echo "without gnuplot: exit status $?"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"

run crosswind congestion torus:4x4 --traffic shift:5 --top 2 --plot shift.svg
ls
sed -n '/^\$series0/,$p' shift.gp
sed -n '/^set ytics/p;/^\$other0/,/^END/p' shift-2.gp

crosswind flit torus:4x4 --routing dor,updn --load 0.2,1 --cycles 500 --unsteady --plot flit.png --quiet >/dev/null
head -c 4 flit.png | tail -c 3
echo
sed -n '2,4p;/^set .label/p;/^\$series/,$p' flit.gp

crosswind compare torus:4x4 --routing dor,minhop --measure worst-shift,lanes,deadlock-free --plot compare.pdf >/dev/null
head -c 5 compare.pdf
echo
sed -n '2,4p;/^\$/,/^END/p;/^set ytics/p;/^set title/p' compare.gp

echo "# JSON has them, whether they are drawn or not"
for command in "compare torus:4x4 --routing dor,minhop --measure lanes" "route torus:4x4" "ebb torus:4x4 --trials 20" \
    "what-if torus:3x3 --sample 2 --trials 5"; do
    crosswind $command --format json | sed -n '/^  "figures"/,/^  \]/p'
done
