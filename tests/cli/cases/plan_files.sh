# Plan files: written, checked, and refused once anything in them is changed. Programs for other solvers.
movement="torus:4x4@1GB/s --relays switches --traffic disjoint:4x8 --bytes 1MB"
figures=network,endpoints,pairs,method,k,z,z_bound,gap,paths_used,hops_mean,hops_max,copies_max,max_channel_bytes,predicted_seconds,predicted_GBps
for method in default optimum; do
    crosswind plan $movement --method $method --plan $method.json --channels $method.csv --format csv |
        columns "$figures" >made.csv
    crosswind plan torus:4x4@1GB/s --relays switches --check $method.json --format csv | columns "$figures" >checked.csv
    same made.csv checked.csv
    echo "# the busiest of the list of channels, and the table's"
    columns capacity,bytes <$method.csv | awk -F, '$1 ~ /^[0-9]/ && $2 > most {most = $2} END {print most}'
    columns max_channel_bytes <made.csv | tail -n 1
done
run crosswind plan $movement --check default.json
echo "# another network, other demands, a cable that has failed, bytes that went missing, a false z, a cut-off file"
run crosswind plan torus:5x5@1GB/s --relays switches --check default.json
run crosswind plan $movement --check default.json --seed 2 --failed 's(0,0)-s(1,0)'
run crosswind plan torus:4x4@1GB/s --relays switches --traffic disjoint:8x4 --bytes 1MB --check default.json
sed '0,/"bytes": 1000000, "vertices/s//"bytes": 999999, "vertices/' default.json >tampered.json
run crosswind plan torus:4x4@1GB/s --relays switches --check tampered.json
sed 's/"z": 0.5/"z": 0.75/' default.json >tampered.json
run crosswind plan torus:4x4@1GB/s --relays switches --check tampered.json
head -c 2000 default.json >cut.json
run crosswind plan torus:4x4@1GB/s --relays switches --check cut.json
echo "# the bound: proven, also once a cable failed; one that lp proves for all paths; forged to be z; a forged length"
run crosswind plan torus:4x4@1GB/s --relays switches --check optimum.json
crosswind plan torus:4x4@1GB/s --relays switches --check optimum.json --failed 's(0,0)-s(1,0)' --format csv | columns method,k,z,z_bound
crosswind plan $movement --method lp --plan lp.json --format csv | columns method,k,z,z_bound
crosswind plan torus:4x4@1GB/s --relays switches --check lp.json --format csv | columns method,k,z,z_bound
crosswind plan $movement --method approx --plan approx.json --format csv | columns method,z,z_bound
sed 's/"bound": [0-9.]*/"bound": 0.9961713793/' approx.json >tampered.json
run crosswind plan torus:4x4@1GB/s --relays switches --check tampered.json
sed 's/^    \[\([0-9]*\), [0-9.]*\]/    [\1, -1]/' optimum.json >tampered.json
run crosswind plan torus:4x4@1GB/s --relays switches --check tampered.json
echo "# a network of which something has failed, or is slow: the file says so, and what fails later must be off its paths"
figures=network,endpoints,pairs,method,k,z_chunks,z_bound,paths_used,hops_mean,hops_max,copies_max,max_channel_bytes,predicted_seconds
while read -r net faults; do
    crosswind plan "$net" --traffic shift:3 $faults --seed 7 --method optimum --plan faulty.json --format csv | columns "$figures" >made.csv
    crosswind plan "$net" --check faulty.json --format csv | columns "$figures" >checked.csv
    same made.csv checked.csv
done <<END
torus:4x4 --failed s(0,0)-s(0,1)
torus:4x4 --failed s(1,1),s(2,2)>s(2,3)
xgft(2,8,4) --failed s2.0 --degraded s1.1-s2.1=5Gbit/s
dragonfly:2,4,2 --failed 10%
torus:4x4 --degraded s(0,0)>s(0,1)=5Gbit/s
END
run crosswind plan torus:4x4 --check faulty.json --failed 's(0,0)-s(0,1)'
sed 's/"changes": \[\[[0-9]*/"changes": [[500/' faulty.json >tampered.json
run crosswind plan torus:4x4 --check tampered.json
echo "# who says that paths are the network's own must have them so, by the routes that are given; others need none"
crosswind plan torus:4x4 --relays switches --traffic shift:3 --method default --plan own.json >/dev/null
crosswind plan torus:4x4 --relays switches --check own.json --format csv | columns method,z,copies_max
run crosswind plan torus:4x4 --relays switches --check own.json --routing minhop
crosswind plan torus:4x4 --relays switches --traffic shift:3 --method default --routing minhop --plan own.json >/dev/null
crosswind plan torus:4x4 --relays switches --check own.json --routing minhop --format csv | columns method,z,copies_max
run crosswind plan torus:4x4 --relays switches --check own.json
for relays in all switches; do
    crosswind plan torus:4x4 --relays $relays --traffic shift:5 --method optimum --plan optimum.json >/dev/null
    sed 's/"network_routes": false/"network_routes": true/' optimum.json >tampered.json
    run crosswind plan torus:4x4 --relays $relays --check tampered.json
done
run crosswind plan torus:4x4 --relays switches --check optimum.json --routing minhop
echo "# programs"
for form in lp mps ampl; do
    crosswind plan torus:4x4 --relays switches --traffic disjoint:4x8 --method default --export $form:plan.$form >/dev/null
    head -n 1 plan.$form
done
