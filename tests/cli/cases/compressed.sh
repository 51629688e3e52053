# Files that other programs have compressed are read as they were, from pipes too; the hash is that of the file as it is.
for program in python3 gzip xz zstd bzip2; do
    command -v $program >/dev/null || skip "$program is missing"
done
read_tables()
{
    crosswind route "$1" --lft "$2" --format json >"$3" && python3 - "$3" <<'EOF'
import hashlib, json, sys
result = json.load(open(sys.argv[1]))
for file in result["inputs"]:
    path = file["path"]
    if path != "-" and hashlib.sha256(open(path, "rb").read()).hexdigest() != file["sha256"]:
        print(path, "has another hash")
json.dump(result["tables"], open(sys.argv[1], "w"))
EOF
}
read=0
set -- gz xz zst bz2
for tables in lfts fdbs dump_fts dump_fts-n ibroute-a; do # each kind in one way, each way once at least
    cp "$GOLDEN/fabric/two-level.ibnetdiscover" net
    cp "$GOLDEN/fabric/two-level.$tables" tables
    read_tables net tables plain.json
    gzip -kf net tables
    xz -kf net tables
    zstd -qkf net tables
    bzip2 -kf net tables
    read_tables net.$1 tables.$1 compressed.json
    cmp compressed.json plain.json && read=$((read + 1))
    crosswind route net --lft - --format json <tables.$2 >compressed.json
    python3 -c 'import json; r = json.load(open("compressed.json")); json.dump(r["tables"], open("compressed.json", "w"))'
    cmp compressed.json plain.json && read=$((read + 1))
    set -- "$2" "$3" "$4" "$1"
done
echo "$read readings are as those of the plain files"
# what is written is what those programs read
crosswind route torus:4x4 --write torus.lfts --quiet >/dev/null
for ending in gz xz zst bz2; do
    crosswind route torus:4x4 --write torus.lfts.$ending --quiet >/dev/null
done
gzip -dc torus.lfts.gz | cmp - torus.lfts
xz -dc torus.lfts.xz | cmp - torus.lfts
zstd -qdc torus.lfts.zst | cmp - torus.lfts
bzip2 -dc torus.lfts.bz2 | cmp - torus.lfts
run crosswind topo torus:4x4 --write torus.net.gz --output torus.json.zst
zstd -qdc torus.json.zst | python3 -c 'import json, sys; print(json.load(sys.stdin)["tables"]["topology"]["rows"][0]["endpoints"])'
crosswind topo torus.net.gz --format csv | head -2
run crosswind topo torus:4x4 --format csv --output torus.csv.gz
# cut off, and damaged
head -c 500 tables.xz >cut.xz
run crosswind route net --lft cut.xz
zstd -qkf tables
head -c 500 tables.zst >cut.zst
run crosswind route net --lft cut.zst
head -c 700 net.gz >cut.gz
run crosswind topo cut.gz
python3 -c '
data = bytearray(open("tables.zst", "rb").read())
data[-1] ^= 1
open("damaged.zst", "wb").write(data)'
run crosswind route net --lft damaged.zst
