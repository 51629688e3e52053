# A network written and read again is the same, and so is what happens on it.
anonymous()
{
    columns -network
}
for net in torus:4x3 mesh:2x3 xgft:2:4,3:1,2:1,2 dragonfly:1,4,2,g=4 crossbar:9 hyperx:3x2,1,k=1x2 slimfly:4,1 \
    megafly:1,2,2,2,g=4 jellyfish:8,3,1,seed=2 rail:4,2,2,pods=2,spines=1; do
    crosswind topo $net --format csv | anonymous >topo.csv
    crosswind noise $net --trials 20 --ratio 0.5 --format csv | anonymous >noise.csv
    for ending in json net; do
        echo "$net x.$ending"
        crosswind topo $net --write x.$ending >/dev/null
        crosswind topo x.$ending --format csv --write y.$ending | anonymous >topo-again.csv
        crosswind noise x.$ending --trials 20 --ratio 0.5 --format csv | anonymous >noise-again.csv
        same x.$ending y.$ending
        same topo.csv topo-again.csv
        same noise.csv noise-again.csv
    done
done
crosswind topo x.net --write x.dot >/dev/null
crosswind topo x.net --write x.graphml >/dev/null
head -n 3 x.dot x.graphml
# what was read may be written by another name, or not be read at all
cp "$GOLDEN/fabric/rails.ibnetdiscover" .
crosswind topo rails.ibnetdiscover --write rails.json --format csv | anonymous >topo.csv
crosswind topo rails.json --format csv | anonymous >topo-again.csv
same topo.csv topo-again.csv
