# Cables and switches that are down or slow, for every verb; and what the tables of the fabric still give.
sample=$GOLDEN/../../examples/sample/fabric.ibnetdiscover
lft=$GOLDEN/../../examples/sample/opensm-lfts.dump
cp "$sample" fabric.ibnetdiscover
cp "$lft" lfts.dump

echo "# a network with faults is one whose map does not have them: the figures are the same, byte for byte; a dragonfly"
echo "# that has lost cables is still known as one, but its map is not, unless cables work one way only"
for network in 'xgft(2,12,6)' torus:4x4x4 dragonfly:2,4,2 fabric.ibnetdiscover; do
    case $network in
        xgft*) direction='s1.0>s2.0' ;;
        torus*) direction='s(0,0,0)>s(1,0,0)' ;;
        drag*) direction='g0s0>g0s1' ;;
        *) direction='leaf02/31>spine4' ;;
    esac
    for failed in 3%,17 "17,$direction"; do
        case $network$failed in drag*%*) continue ;; esac
        crosswind topo "$network" --failed "$failed" --seed 2 --write left.json >/dev/null
        for command in 'topo' 'noise --ratio 0.5 --trials 50' 'route' 'ebb --trials 20' 'congestion --traffic bitcomp' \
            'model --traffic bitcomp' 'plan --traffic permutation --method default'; do
            # shellcheck disable=SC2086
            set -- $command
            verb=$1
            shift
            crosswind "$verb" "$network" "$@" --seed 2 --failed "$failed" --format json >faults.json
            crosswind "$verb" left.json "$@" --seed 2 --format json >left-result.json
            python3 - "$network" "$verb" <<'END'
import json, sys
one, other = (json.load(open(name))["tables"] for name in ("faults.json", "left-result.json"))
for tables in (one, other):
    for table in tables.values():
        for row in table["rows"]:
            row.pop("network", None)
            row.pop("routes_are", None)
if one != other: print(*sys.argv[1:], "DIFFERS")
END
        done
    done
done

echo "# what is said"
run crosswind noise 'xgft:2:4,4:1,2' --failed s1.0-s2.0,s1.3/5 --ratio 0.5 --trials 20 --format csv
crosswind noise 'xgft:2:4,4:1,2' --failed s1.0-s2.0,s1.3/5 --ratio 0.5 --trials 20 | sed -n '/^Failed/,/^At/p'
crosswind congestion 'xgft:2:4,4:1,2' --degraded s1.0-s2.0=10Gbit/s --traffic shift:4 --top 2 --format csv | tail -4
crosswind flit 'xgft:2:4,4:1,2' --failed s1.0-s2.0 --load 0.2 --cycles 500 --format csv | cut -d, -f 4-12
echo "# endpoints that are cut off do not take part; route counts the pairs"
crosswind ebb 'xgft:2:4,4:1,2' --failed s1.1 --trials 20 | sed -n '/^Failed/,/^Routes/p'
run crosswind route 'xgft:2:4,4:1,2' --failed h3,h5 --format csv
echo "# tables of the whole fabric"
run crosswind ebb fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31
run crosswind route fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --format csv
crosswind route fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --repair minhop --format csv
crosswind route fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --repair minhop | sed -n '/^Forwarding/,/^of minhop/p'
crosswind ebb fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31,leaf05-spine3 --repair minhop --trials 20 | grep -A2 'had lost'
crosswind flit fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --repair dmodk --load 0.1 --cycles 300 | grep -A2 'had lost'
crosswind plan fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --repair dmodk --traffic permutation --method default | grep -A2 'had lost'
echo "# what cannot be"
run crosswind noise torus:4x4 --failed 's(0,0)-s(2,2)'
run crosswind noise torus:4x4 --failed 'switch7'
run crosswind noise torus:4x4 --degraded 's(0,0)'
run crosswind noise torus:4x4 --repair minhop
run crosswind flit torus:4x4 --repair minhop
run crosswind ebb fabric.ibnetdiscover --lft lfts.dump --failed leaf02/31 --repair dor
printf 'leaf02/31 # the loose one\nleaf99\n' >down
run crosswind ebb fabric.ibnetdiscover --failed down
echo "# a rank of a file is on the same endpoint whatever has failed: numbers and names say the same"
printf '4 7 1MiB\n6 15 1MiB\n5 13 2MiB\n' >numbers
printf 'h4 h7 1MiB\nh6 h15 1MiB\nh5 h13 2MiB\n' >names
for failed in h2 s1.0; do
    for command in 'congestion --channels /dev/stdout' 'plan --method default' model 'flit --load 0.2 --cycles 500' \
        'jobs --model flits'; do
        for file in numbers names; do
            # shellcheck disable=SC2086
            set -- $command
            verb=$1
            shift
            if [ "$verb" = jobs ]; then
                echo "matrix:$file bytes=4KiB" >jobs.txt
                set -- "$@" --jobs jobs.txt
            else
                set -- "$@" --traffic matrix:$file
            fi
            crosswind "$verb" 'xgft:2:4,4:1,2' "$@" --failed $failed --format csv >$file.csv || exit
            sed "s/matrix:$file/matrix/" $file.csv >$file.out
        done
        cmp numbers.out names.out
    done
done
run crosswind congestion 'xgft:2:4,4:1,2' --failed h5 --traffic matrix:numbers
run crosswind plan 'xgft:2:4,4:1,2' --failed h5 --traffic matrix:numbers
run crosswind flit 'xgft:2:4,4:1,2' --failed h5 --traffic matrix:numbers --load 0.2
echo "# what is cut off gets no bandwidth: without spines a pair is on one leaf in 3 of 15 cases"
run crosswind ebb 'xgft:2:4,4:1,2' --failed s2.0,s2.1 --direction uni
run crosswind ebb 'xgft:2:4,4:1,2' --failed s1.1 --direction uni --format csv
crosswind ebb 'xgft:2:4,4:1,2' --failed s2.1 --direction uni --format csv >/dev/null && echo "all are connected"
crosswind congestion 'xgft:2:4,4:1,2' --failed s2.0,s2.1 --traffic shift:1 | grep -A 1 'cannot communicate'
crosswind noise 'xgft:2:4,4:1,2' --failed s1.1 --ratio 0.5 --trials 5 | grep -A 1 'cannot communicate'
