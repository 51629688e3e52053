# What relaying costs: sets by name, a file, single parameters; and where nobody knows.
crosswind help transports
movement="dragonfly:2,4,2@400Gbit/s --traffic disjoint:8x8"
echo "# nobody knows what relaying costs on this network: relays cost nothing but storing whole chunks"
crosswind plan $movement --method default,auto --plan plan.json --format csv |
    columns method,z,bandwidth_seconds,predicted_seconds
crosswind plan $movement | grep -A 4 '^What relaying costs'
grep -o '"method": "[a-z: ]*"' plan.json
echo "# a prediction is asked for by name, by a file, by single parameters"
crosswind plan $movement --method default,optimum --transport infiniband-host --format csv |
    columns method,bandwidth_seconds,predicted_seconds
cat >slow.json <<'EOF2'
{"format": "crosswind-transport", "version": 1, "about": "hosts that copy",
 "chunk": "1MiB", "credits": 4, "efficiency": 0.5, "copy": "10GB/s", "chunk-overhead": "2us", "cut-through": false}
EOF2
crosswind plan $movement --method default,optimum --transport slow.json --format csv |
    columns method,predicted_seconds
crosswind plan $movement --method default --transport slow.json:efficiency=1,chunk-overhead=0 \
    --format csv | columns method,predicted_seconds
crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --method default --transport slow.json | grep -A 5 'Times are'
echo "# a cost by itself: of relays that cost nothing else"
crosswind plan $movement --method default,optimum --transport auto:copy=1GB/s --format csv | columns method,predicted_seconds
crosswind plan $movement --transport auto:copy=1GB/s | grep -c '^What relaying costs' || :
echo "# none leaves predictions out where there would be one"
crosswind plan bgq:512 --traffic 3 --method default --transport none --format csv |
    columns method,bandwidth_seconds,predicted_seconds
crosswind plan $movement --transport none | sed -n -e '/^method/,/^$/s/ \{1,\}[0-9.e-]\{1,\}$//p' -e '/^bandwidth_seconds is/,/say/p'
run crosswind plan bgq:512 --traffic 3 --transport none:copy=1GB/s
echo "# errors"
run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport infinband-host
run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport none.json
run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport bgq:copied=1GB/s
run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport bgq:copy
run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport bgq:
for change in 's/1MiB/0/' 's/"credits": 4, //' 's/"copy"/"copies"/' 's/"version": 1/"version": 2/' 's/crosswind-transport/plan/' \
    's/0.5/1.5/' 's/"2us"/[]/' 's/}//'; do
    sed "$change" slow.json >bad.json
    run crosswind plan xgft:2:4,4:1,2 --traffic disjoint:4x8 --transport bad.json
done
