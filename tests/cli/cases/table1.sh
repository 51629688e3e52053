# The papers' fat trees: endpoints and switches as Table 1 prints them.
for net in 'xgft(2,12,6)' 'xgft(2,24,12)' 'xgft(3,12,8,12,4)' 'xgft(3,12,16,12,8)' 'xgft(3,12,24,12,12)' \
    'xgft(4,12,12,6,12,12,3)' 'xgft(4,12,12,12,12,12,6)'; do
    crosswind topo "$net" --format csv | columns -seed | tail -n 1
done
