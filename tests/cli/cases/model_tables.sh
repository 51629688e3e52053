# The bound of a fabric's own tables, and once more from the messages that an all-to-all puts on each channel.
sample=$GOLDEN/../../examples/sample
cp "$sample/fabric.ibnetdiscover" "$sample/opensm-lfts.dump" .
fabric="fabric.ibnetdiscover --lft opensm-lfts.dump"
run crosswind model $fabric --traffic uniform
crosswind model $fabric --traffic uniform --format csv >model.csv
crosswind congestion $fabric --traffic alltoall --channels channels.csv >/dev/null
python3 - <<'EOF'
import csv

bound = next(csv.DictReader(open("model.csv")))
channels = list(csv.DictReader(open("channels.csv")))
others = int(bound["endpoints"]) - 1
fastest = max(float(row["capacity"]) for row in channels)
# Each sends LOAD of what a host can, to each of the others a share: a channel is full when its messages' shares fill it.
full = {f"{row['tail']}/{row['tail_port']}>{row['head']}/{row['head_port']}":
        float(row["capacity"]) / fastest * others / int(row["messages"]) for row in channels if int(row["messages"])}
least = min(full.values())
assert abs(float(bound["throughput"]) - least) < 1e-9, (bound, least)
assert full[bound["where"]] == least, bound
print("as counted from an all-to-all")
EOF
# lanes make no difference to bounds of channels; one source of routes at a time
crosswind model "$GOLDEN/levels/torus-4x4.ibnetdiscover" --lft "$GOLDEN/levels/torus-4x4-lash.lfts" --traffic uniform \
    --format csv | columns quantity,throughput
run crosswind model torus:4x4 --lft tables.lfts --routing dor
run crosswind model torus:4x4 --lft missing.lfts
# tables of a fabric that has lost a cable
run crosswind model $fabric --traffic uniform --failed leaf02/31
crosswind model $fabric --traffic uniform --failed leaf02/31 --repair minhop --format csv | columns throughput,where
crosswind model $fabric --repair minhop --failed leaf02/31 --traffic uniform | grep -A 2 'had lost'
crosswind route $fabric --failed leaf02/31 --repair minhop --write repaired >/dev/null
crosswind model fabric.ibnetdiscover --failed leaf02/31 --lft repaired --traffic uniform --format csv |
    columns throughput,where
run crosswind model torus:4x4 --repair minhop
