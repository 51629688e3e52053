# What ports have counted beside what jobs send: readings of a fabric under ibsim, whose only load is its manager's.
run()
{
    "$@" 2>&1
}
cp "$GOLDEN"/counters/* .
jobs="crosswind jobs map.ibnetdiscover"
run $jobs --jobs 'alltoall bytes=64KiB' --counters extended-before.perfquery,extended-after.perfquery \
    --counters-seconds 3s --top 3 | sed '/^# /d'
echo "# the time is that of the files; counters that are at their end, and that begin anew"
printf '# Port counters: Lid 2 port 1 (CapMask: 0x1300)\nPortXmitData:....%s\nPortXmitWait:....%s\n' 100 4294967000 >before
printf '# Port counters: Lid 2 port 1 (CapMask: 0x1300)\nPortXmitData:....%s\nPortXmitWait:....%s\n' 4294967295 100 >after
printf '# Port extended counters: Lid 3 port 1 (CapMask: 0x1300)\nPortXmitData:....%s\n' 500 >>before
printf '# Port extended counters: Lid 3 port 1 (CapMask: 0x1300)\nPortXmitData:....%s\n' 250000100 >>after
printf '# Port counters: Lid 2 port 99 (CapMask: 0x1300)\nPortXmitData:....5\n' | tee -a before >>after
touch -d 2026-01-01T00:00:00Z before
touch -d 2026-01-01T00:00:02Z after
run $jobs --jobs 'alltoall bytes=64KiB' --counters before,after --top 3 | sed -n '/How often/,/^Messages/p; /^The jobs explain/,/^$/p'
echo "# what is refused"
for files in before before,after,between before,missing before,map.net before,data.ibqueryerrors; do
    run $jobs --jobs alltoall --counters $files
done
run $jobs --jobs 'alltoall ranks=3; uniform' --counters before,after | tail -1
