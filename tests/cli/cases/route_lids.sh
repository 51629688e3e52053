# Tables to several LIDs of an endpoint (LMC): made by the engines that are OpenSM's, written, read, used by every verb.
tree=xgft:2:4,4:1,4
crosswind route $tree --routing minhop:lmc=2 --write tables | grep LIDs
grep -A 24 's1.0' tables | sed -n '16,24s/ #.*//p'
crosswind route $tree --lft tables | grep LIDs
same_rows() { # VERB ARGUMENT ...
    verb=$1
    shift
    crosswind "$verb" $tree "$@" --routing minhop:lmc=2 --format csv | sed '/^#/d; s/minhop:lmc=2/tables/; s/minhop/tables/' >made
    crosswind "$verb" $tree "$@" --lft tables --format csv | sed '/^#/d' >read
    echo "$verb: $(wc -l <made) lines"
    same made read
}
same_rows congestion --traffic shift:4
same_rows ebb --trials 20
same_rows noise --ratio 0.5 --trials 20
same_rows model --traffic uniform
same_rows plan --traffic permutation --relays none --method default,optimum
same_rows flit --traffic uniform --load 0.2
echo "# the choice among 4 LIDs"
for lmc in 0 1 2; do
    crosswind plan $tree --traffic permutation --relays none --routing minhop:lmc=$lmc --method optimum --format csv |
        columns z
done
echo "# what does not fit"
crosswind plan $tree --traffic permutation --relays none --routing minhop:lmc=1 --lmc 2
crosswind route $tree --routing minhop:lmc=8
echo "# a switch without a LID"
sed '/^[Ss]witch.*spine-0/s/lid [0-9]*/lid 0/' "$GOLDEN/fabric/two-level.ibnetdiscover" >map
crosswind route map --routing minhop --write tables | grep -A 2 'gives no LID'
grep -c "'spine-0'" tables
echo "# where no vertex has one, none is missed"
crosswind route "$GOLDEN/fabric/boxes.net" --routing minhop --write tables | grep -c 'gives no LID' || :
echo "# what is wrong with a further LID is found: a hole, in the third table"
cp "$GOLDEN/fabric/two-level-lmc.ibnetdiscover" map
cp "$GOLDEN/fabric/two-level-lmc.lfts" whole
awk '/^Unicast/ { n++ } !(n == 3 && /^0x0003 /)' whole >hole
crosswind route map --lft hole | sed -n '/^Routes to each/,/^route to/p'
crosswind diff map --before-lft whole --lft hole | grep -e '^entries' -e '^4 routes'
echo "# a repair leaves all other entries as they were"
crosswind route map --lft whole --failed leaf-0/5 --repair minhop --write repaired | grep -A 1 'had lost'
diff whole repaired | grep -c "^> .*node-"
diff whole repaired | grep "^<.*node-" | cut -d ' ' -f 3 | sort | uniq -c
echo "# levels that are read are those of first LIDs"
crosswind route torus:4x4 --routing dfsssp:lmc=1 --write tables --write-path-records records --write-sl2vl sl2vl |
    grep -e 'deadlock check'
crosswind route torus:4x4 --lft tables --path-records records --sl2vl sl2vl --format csv | columns lanes,deadlock_free
crosswind route torus:4x4 --lft tables --path-records records --sl2vl sl2vl | grep -A 3 '^The routes to the first LID'
