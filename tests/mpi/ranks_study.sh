#!/bin/sh
# A study over ranks: what is printed and stored is what one process prints and stores, and a rank that is killed takes
# nothing with it that was finished.
. "$(dirname "$0")/launch.sh"
golden=$here/../golden
export FOLDERS="$folder/ranks"

# figures STORE: what is in it, but for when, and how long it took.
figures()
{
    python3 - "$1" <<'END'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
        "SELECT key, inputs, network, routing, failed, seed, trials, measure, value, ci95, word, error, cut_off FROM figures ORDER BY key"):
    print(row)
END
}

# Tables and a map of files; what is read belongs to the figures of whoever has read it.
cat >files.yaml <<END
network: [$golden/fabric/two-level.ibnetdiscover, torus:4x4]
lft: $golden/fabric/two-level.lfts
routing: [minhop, dmodk]
failed: ["", "4%"]
repair: minhop
seed: [1, 2]
trials: 20
measure: [ebb, lanes, hops]
END
status=0
"$crosswind" study files.yaml --store one.db >one 2>err || status=$?
figures one.db >one.figures
[ "$(wc -l <one.figures)" -gt 30 ] || fail "there are few figures: $(wc -l <one.figures), $(cat err)"
for n in 1 3 4; do
    rm -f many.db*
    for repeated in no yes; do
        many=0
        launch $n "$crosswind_mpi" study files.yaml --store many.db --threads 1 --quiet >many 2>err || many=$?
        [ $many -eq $status ] || fail "$n ranks, repeated: $repeated: exit status $many: $(cat err)"
        diff one many || fail "$n ranks, repeated: $repeated"
        figures many.db | diff one.figures - || fail "$n ranks store something else, repeated: $repeated"
    done
done
sed -i 's/seed: .*/seed: [1, 2, 3]/' files.yaml
"$crosswind" study files.yaml >one 2>err || :
launch 3 "$crosswind_mpi" study files.yaml --store many.db --quiet >many 2>err || :
diff one many || fail "a study that has grown"
launch 2 "$crosswind_mpi" study files.yaml --store many.db --dry-run --quiet >plan 2>err || fail "a dry run: $(cat err)"
grep -q ' of which [0-9]* are stored' plan || fail "a dry run: $(cat plan)"

# A store that only rank 0 can see, and one that nobody can open.
mkdir -p "$FOLDERS/0" "$FOLDERS/1"
launch 2 "$in_folder" "$crosswind_mpi" study "$golden/study/smallest.yaml" --store own.db --quiet >out 2>err || fail "a store of rank 0: $(cat err)"
[ -s "$FOLDERS/0/own.db" ] && [ ! -e "$FOLDERS/1/own.db" ] || fail "rank 0 has no store, or another one has: $(ls "$FOLDERS"/*)"
status=0
echo nothing >none.db
launch 2 "$crosswind_mpi" study "$golden/study/smallest.yaml" --store none.db >out 2>err || status=$?
[ $status -eq 1 ] && [ "$(grep -c '^crosswind-mpi: .*none.db' err)" -eq 1 ] || fail "a store that is none: $status, $(cat err)"

# Three cases take minutes: soon each rank has one. What ranks have found before is stored meanwhile, and stays when one
# is killed.
killed()
{
    rm -rf killed.db* "$FOLDERS" "$FOLDERS".*.pid
    mkdir "$FOLDERS"
    printf 'network: torus:30x30\nrouting: dor\nmeasure: [ebb, lanes]\ntrials: [20, 21, 22, 23, 24, 999998, 999999, 1000000]\n' >slow.yaml
    sed 's/, 999998.*/]/' slow.yaml >fast.yaml
    "$crosswind" study fast.yaml --store fast.db >fast
    figures fast.db >fast.figures
    launch 3 "$in_folder" "$crosswind_mpi" study "$folder/slow.yaml" --store "$folder/killed.db" --threads 1 >out 2>err &
    launched=$!
    await_ranks 3 'ranks.*.pid'
    waited=0
    until figures killed.db 2>/dev/null >had && [ "$(wc -l <had)" -ge 10 ]; do
        sleep 0.1
        waited=$((waited + 1))
        [ $waited -lt $((10 * SOON)) ] || {
            fail "figures are not stored while other cases run: $(wc -l <had)"
            break
        }
    done
    kill -9 "$(cat "$FOLDERS.1.pid")"
    status=0
    wait $launched || status=$?
    [ $status -ne 0 ] || fail "a killed rank: exit status 0"
    figures killed.db | diff fast.figures - || fail "a killed rank: the store has other figures"
    launch 2 "$crosswind_mpi" study fast.yaml --store killed.db --quiet >again 2>err || fail "after a kill: $(cat err)"
    diff fast again || fail "after a kill"
}
killed
[ $failed -eq 0 ]
