# What changed between two dumps: maps and tables in all forms, of one fabric.
corpus=$GOLDEN/corpus
cp "$GOLDEN"/../../examples/sample/fabric.ibnetdiscover "$GOLDEN"/../../examples/sample/opensm-lfts.dump .
for file in ibnetdiscover.txt opensm-lfts.dump opensm-subnet.lst lfts-one-table-missing opensm.fdbs speeds.ibnetdiscover \
    lmc.ibnetdiscover ibsim.net; do
    cp "$corpus/$file" "corpus-$file"
done

echo "# the same fabric, whatever tool tells of it"
for after in ibnetdiscover.txt opensm-subnet.lst; do
    crosswind diff corpus-ibnetdiscover.txt corpus-$after --before-lft corpus-opensm-lfts.dump --lft corpus-opensm.fdbs \
        --format csv | sed -n '1,/^$/p' | columns -context
done
echo "# cables of other speeds, LIDs, no GUIDs of the fabric's own"
for after in speeds.ibnetdiscover lmc.ibnetdiscover ibsim.net; do
    crosswind diff corpus-ibnetdiscover.txt corpus-$after --routing minhop --format csv | columns -context | sed -n '1,/^switch,/p'
done
echo "# a switch whose table is gone"
run crosswind diff corpus-ibnetdiscover.txt --before-lft corpus-opensm-lfts.dump --lft corpus-lfts-one-table-missing

echo "# a spine, a host and a cable less, another engine; and back"
crosswind topo fabric.ibnetdiscover --failed spine3,node100,leaf02/31 --write today.json >/dev/null
crosswind route today.json --routing minhop --write today.lfts >/dev/null
run crosswind diff fabric.ibnetdiscover today.json --before-lft opensm-lfts.dump --lft today.lfts
crosswind diff fabric.ibnetdiscover today.json --before-lft opensm-lfts.dump --lft today.lfts --format csv >there.csv
crosswind diff today.json fabric.ibnetdiscover --before-lft today.lfts --lft opensm-lfts.dump --format csv >back.csv
for file in there back; do columns what,before,after,came,went,changed <$file.csv | sed -n '1,/^$/p'; done
echo "# what if"
crosswind diff fabric.ibnetdiscover --lft opensm-lfts.dump --failed leaf02/31 --repair minhop | sed -n '/^what/,/^$/p'
run crosswind diff xgft:2:4,4:1,2 --failed s1.0-s2.0 --format csv
crosswind diff torus:4 --routing minhop --failed 's(0)-s(1)' | sed -n '/^when/,/^$/p'
crosswind diff torus:4x4 --routing minhop --failed 's(0,0)-s(1,0)' --threads 2 --format json >two.json
crosswind diff torus:4x4 --routing minhop --failed 's(0,0)-s(1,0)' --threads 1 --format json >one.json
same one.json two.json
echo "# deadlocks: free of them by its service levels, and then no longer"
crosswind diff "$GOLDEN/levels/ring-6.ibnetdiscover" --before-lft "$GOLDEN/levels/ring-6-dfsssp.lfts" --routing minhop \
    --before-path-records "$GOLDEN/levels/ring-6-dfsssp.path-records" \
    --before-sl2vl "$GOLDEN/levels/ring-6-dfsssp.sl2vl" >ring.txt || echo "[exit status $?]"
sed -n '/^when/,/^$/p; /^Not deadlock/,/^$/p' ring.txt
echo "# the same tables, whose service levels are not given: not known, and so no harm"
crosswind diff "$GOLDEN/levels/ring-6.ibnetdiscover" --before-lft "$GOLDEN/levels/ring-6-dfsssp.lfts" \
    --before-path-records "$GOLDEN/levels/ring-6-dfsssp.path-records" --before-sl2vl "$GOLDEN/levels/ring-6-dfsssp.sl2vl" \
    --lft "$GOLDEN/levels/ring-6-dfsssp.lfts" >ring.txt
echo "[exit status $?]"
sed -n '/^when/,/^$/p; /^Whether/,/^$/p' ring.txt
echo "# what cannot be"
run crosswind diff
run crosswind diff torus:4x4 --before-sl2vl x
run crosswind diff torus:4x4 --before-sl2vl x --before-path-records y
run crosswind diff torus:4x4 --routing ugal-l
run crosswind diff xgft:2:4,4:1,2 --routing smodk
