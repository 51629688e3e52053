# Every failure in turn, ranked; slow cables mended; the same for any number of threads, and after an interrupt what is done.
run crosswind what-if 'xgft:2:4,4:1,2' --degraded s1.0-s2.1=8Gbit/s --top 4
crosswind route 'xgft:2:4,4:1,2' --routing updn --write now.lft >/dev/null
run crosswind what-if 'xgft:2:4,4:1,2' --lft now.lft --repair minhop --fail 's2.0;s1.0-s2.0,s1.1-s2.1' --measure ebb,noise,alltoall
run crosswind what-if 'xgft:2:4,4:1,2:1,2' --failed s1.0/8,s1.1-s2.0 --add missing
run crosswind what-if 'xgft:2:4,4:1,2' --add missing
run crosswind what-if 'xgft:2:4,4:1,2' --add 's1.0/9>s2.1/9'
crosswind what-if torus:4x4 --fail cables --pairs 5 --format csv
for threads in 1 3; do
    crosswind what-if torus:4x4 --fail cables,switches,endpoints --threads $threads >$threads.txt
    crosswind what-if 'xgft:2:4,6:1,3' --failed 20% --add missing --threads $threads >>$threads.txt
done
same 1.txt 3.txt
