# What is worse than before, and what is not: each line says what is expected, and then what there is.
net=xgft:2:2,2:1,2
crosswind route $net --routing minhop --write one >/dev/null
crosswind route $net --routing minhop:lmc=1 --write two >/dev/null

# WHAT is expected of the sentences of a comparison that match PATTERN, and of its exit status.
expect()
{
    want=$1 pattern=$2
    shift 2
    status=0
    crosswind diff $net "$@" >out 2>&1 || status=$?
    echo "expected: $want"
    echo "   found: $(tr '\n' ' ' <out | grep -oE "$pattern" || echo none), status $status"
}
lids='Endpoints had [0-9]+ LIDs? each before, and now have [0-9]+'
expect "1 and 2 LIDs, status 0" "$lids" --before-lft one --lft two
expect "2 and 1 LIDs, status 0" "$lids" --before-lft two --lft one
expect "none, status 0" "$lids" --before-lft two --lft two

# h1 has the LIDs 4 and 5. The leaf of h2 and h3 forgets the second.
sed '/(.s1.1.)/,/dumped/{/^0x0005 /d}' two >second-lost
expect "2 routes, status 1" '[0-9]+ routes? to further LIDs no longer arrives?' --before-lft two --lft second-lost
expect "none, status 0" '[0-9]+ routes? to further LIDs' --before-lft second-lost --lft two

# The leaf of h0 and h1 sends what is for h0 up again: the three others' packets go round, and they have lost their route.
sed '/(.s1.0.)/,/dumped/s/^\(0x0001\) 001/\1 003/' one >circle
expect "3 pairs, most to h0, status 1" '[0-9]+ pairs? lost connection, [0-9]+ of them to h[0-9]' \
    --before-lft one --lft circle
expect "3 and 0 routes, status 1" '[0-9]+ routes? now go round in circles; before, [0-9]+ did' \
    --before-lft one --lft circle
expect "none, status 0" '[0-9]+ routes? now go round' --before-lft circle --lft circle
expect "none, status 0" '[0-9]+ (routes? now go round|pairs? lost connection)' --before-lft circle --lft one
# Two cannot reach h0, and three h3, which is named; nothing goes round.
sed '/(.s1.1.)/,/dumped/{/^0x0001 /d;/^0x0004 /d}' one >holes
expect "5 pairs, 3 of them to h3, status 1" '[0-9]+ pairs? lost connection, [0-9]+ of them to h[0-9]' \
    --before-lft one --lft holes
expect "none, status 1" '[0-9]+ routes? now go round' --before-lft one --lft holes
