# A study: its cases, what they cost, its table; what a store has is not computed again, and a changed study computes what is new.
cp "$GOLDEN/study/engines.yaml" "$GOLDEN/study/smallest.yaml" .
run crosswind study engines.yaml
crosswind study engines.yaml --store s.db --format csv >first.csv
crosswind study engines.yaml --store s.db --format csv >again.csv
same first.csv again.csv
cat first.csv
sed -i 's/minhop, "nue/minhop, updn, "nue/' engines.yaml
run crosswind study engines.yaml --store s.db --dry-run --format csv
run crosswind study engines.yaml --dry-run
for threads in 1 3; do
    crosswind study engines.yaml --threads $threads >$threads.txt
done
same 1.txt 3.txt
crosswind study engines.yaml --store s.db >2.txt
same 1.txt 2.txt

# One case; tables; what is not there.
run crosswind study smallest.yaml
crosswind route torus:4x4 --routing dor --write now.lfts >/dev/null
printf 'network: torus:4x4\nlft: now.lfts\nrouting: updn\nfailed: ["", "s(0,0)-s(0,1)", none]\nmeasure: [hops, lanes]\n' >tables.yaml
run crosswind study tables.yaml
echo 'network: [dragonfly:2,4,2]' >wrong.yaml
run crosswind study wrong.yaml
echo 'measure: ebb' >>wrong.yaml
run crosswind study wrong.yaml
run crosswind study engines.yaml --store engines.yaml
