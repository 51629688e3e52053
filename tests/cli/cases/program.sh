# What a recorded program does, and the same as GOAL text.
cat >pair.rec <<'END'
crosswind-recording 1 rank 0 of 2 block 0
communicator 0 0 c0 0-1
Isend 3000 1200 >0 0 1 7 65536
Waitall 250000 900 =0
Allreduce 4000 31000 * 0 allreduce 0 8
end 1000 0
crosswind-recording 1 rank 1 of 2 block 0
communicator 0 0 c0 0-1
Irecv 2000 800 <0 0
Waitall 1500 262000 ~0 0 7
Allreduce 5000 20000 * 0 allreduce 0 8
end 1000 0
END
run crosswind program pair.rec --write-goal pair.goal --write-matrix pair.csv
cat pair.goal pair.csv
run crosswind program pair.rec --rank 1 --top 2
run crosswind program pair.goal --format csv
run crosswind program pair.goal --rank 0
run crosswind jobs crossbar:2 --jobs recorded:pair.rec --top 0
run crosswind jobs crossbar:2 --jobs 'recorded:pair.rec collectives=allreduce=ring-allreduce' --top 2 --longest-path 1
run crosswind jobs crossbar:4 --jobs 'shift bytes=1KiB; uniform ranks=2' --longest-path 2
echo "# compressed, and cut off"
zstd -q pair.rec -o pair.zst
crosswind program pair.zst --format csv | head -2
head -c 1000 pair.rec | sed '$d' | sed 7q >cut.rec
run crosswind program cut.rec --top 0
echo "# refused"
run crosswind program pair.rec --collectives ring
run crosswind program pair.rec --rank 2
run crosswind program pair.goal --collectives allreduce=ring-allreduce
sed 's/allreduce 0/alreduce 0/' pair.rec >wrong.rec
run crosswind program wrong.rec
run crosswind jobs crossbar:2 --jobs recorded:
echo "# a picture: columns receive, rows send"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
crosswind program pair.rec --plot pair.svg --quiet >/dev/null
sed -n '/^\$cells/,/^END/p' pair.gp
tail -c 7 pair.svg
