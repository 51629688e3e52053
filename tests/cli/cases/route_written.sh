# Tables that are written are read back, and the checks are of what the files hold.
checks()
{
    echo "\$ $*"
    "$@" --format csv | columns reached,holes,loops,lanes,deadlock_free | head -n 2
    "$@" | sed -n '/read back/,/^$/p'
}
echo "# lanes that the file does not hold"
checks crosswind route torus:4x4 --routing dfsssp --write tables
crosswind route torus:4x4 --lft tables --format csv | columns lanes,deadlock_free | head -n 2
echo "# lanes beside it, or in it"
checks crosswind route torus:4x4 --routing dfsssp --write tables --write-path-records records --write-sl2vl sl2vl
checks crosswind route torus:4x4 --routing dfsssp --write-json tables.json
echo "# lanes that are no service levels"
checks crosswind route torus:4x4 --routing dor --write tables
echo "# one lane is enough"
checks crosswind route 'xgft(2,4,2)' --write tables
echo "# a host that failed: no entry leads to it, and none in a circle"
checks crosswind route 'xgft(2,4,2)' --lft tables --failed h5 --write left
grep -c "'h5'" left
crosswind route 'xgft(2,4,2)' --lft left --format csv | columns reached,holes,loops | head -n 2
echo "# a circle is not written"
sed '/^Unicast.*s1.0/,/dumped/s/ 001 # Channel Adapter portguid 0x0000000100000001/ 013 # Channel Adapter portguid 0x0000000100000001/' tables >circle
run crosswind route 'xgft(2,4,2)' --lft circle --write again
[ -e again ] || echo "there is no such file"
echo "# a switch that failed: tables are those of their switches, whatever their numbers"
crosswind route 'xgft(2,4,2)' --lft tables --failed s1.1 --format csv | columns reached,holes,loops | head -n 2
