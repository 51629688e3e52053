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
echo "# programs"
for form in lp mps ampl; do
    crosswind plan torus:4x4 --relays switches --traffic disjoint:4x8 --method default --export $form:plan.$form >/dev/null
    head -n 1 plan.$form
done
