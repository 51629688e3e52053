# Data movements: reference values of z, demands from files, failures.
plan()
{
    crosswind plan "$@" --format csv
}
# method, z and its bound, to 4 digits
figures()
{
    columns method,z,z_bound | awk -F, 'NR > 1 {printf "%s z=%.4f bound=%s\n", $1, $2, $3 == "" ? "-" : sprintf("%.4f", $3)}'
}
echo "# columns"
plan torus:4x4 --traffic permutation | head -n 1
echo "# the values of the reference: patterns 3, 27 and 87 at 512 nodes"
for reference in '3 0.125 0.5' '27 0.125 0.53125' '87 0.1666666667 0.5535714286'; do
    set -- $reference
    plan bgq:512,merge2 --traffic $1 --method default,optimum | columns method,z,z_bound | awk -F, -v default=$2 -v optimum=$3 '
        function near(a, b) {return a - b < 1e-6 && b - a < 1e-6}
        $1 == "default" {print "default", near($2, default) ? "as the reference" : $2}
        $1 == "optimum" {print "optimum", near($2, optimum) ? "as the reference" : $2
                               print "proven", near($3, optimum) ? "as the reference" : $3}'
done
echo "# no method finds more than the optimum over its paths, and none of these more than that over all paths"
plan torus:4x4x4 --relays switches --traffic disjoint:8x32 --method default,heuristic,greedy,lp,optimum,approx,auto | columns method,z,z_bound | awk -F, '
    {z[$1] = $2; bound[$1] = $3}
    function check(what, holds) {print what, holds ? "holds" : "is BROKEN"}
    END {check("heuristic <= lp", z["heuristic"] <= z["lp"] * (1 + 1e-6))
         check("greedy <= lp", z["greedy"] <= z["lp"] * (1 + 1e-6))
         check("lp <= bound", z["lp"] <= bound["optimum"] * (1 + 1e-9))
         check("default <= bound", z["default"] <= bound["optimum"] * (1 + 1e-9))
         check("optimum = bound", z["optimum"] >= bound["optimum"] * (1 - 1e-6))
         check("approx within 1 %", z["approx"] >= bound["approx"] * 0.99)
         check("optimum <= bound of approx", bound["approx"] >= z["optimum"] * (1 - 1e-6))}'
cat >moves.csv <<EOF2
src,dst,bytes
# there and back, one of them in two parts
h0,h5,1MiB
5,0,512KiB
h0,"h5",1MiB
EOF2
echo "# demands from a file; a torus has four ways from here to there, and four back"
plan torus:4x4@1GB/s --relays switches --traffic matrix:moves.csv --method default,optimum | figures
crosswind plan torus:4x4@1GB/s --traffic matrix:moves.csv | grep Lines
echo "# left out; fewer paths than wanted; no time"
crosswind plan bgq:512,merge2 --traffic 87 --method default | grep 'Left out'
crosswind plan xgft:2:4,4:1,2 --traffic matrix:moves.csv --method lp | grep fewer
crosswind plan torus:4x4 --relays switches --traffic matrix:moves.csv --method lp --k 8 --max-hops 2 | grep fewer
crosswind plan bgq:512 --traffic 3 --method optimum --budget 1us | grep -o 'The time budget of .* ended the search of optimum'
echo "# failed cables, however they are named; default routes lead round them"
for failed in 's(0,0)-s(1,0)' 's(1,0)/3' 's(0,0)/2>s(1,0)/3' 17; do
    plan torus:4x4 --relays switches --traffic matrix:moves.csv --method optimum --failed "$failed" | figures
done
plan torus:4x4 --relays switches --traffic matrix:moves.csv --failed 's(0,0)-s(1,0),s(0,0)-s(3,0)' --method default,optimum | figures
echo "# host channels limit the flow only if asked to where switches relay"
plan torus:4x4 --relays switches --traffic matrix:moves.csv --method optimum --host-limit yes | figures
plan torus:4x4 --relays switches --traffic matrix:moves.csv --method optimum --host-limit no | figures
plan xgft:2:4,4:1,2 --traffic matrix:moves.csv --method optimum | figures
