# Pictures of networks: what is drawn, and how many boxes; all of them XML, small enough, and with no name that is markup.
run crosswind map 'xgft:2:4,4:1,2' tree.svg --failed s2.1 --degraded s1.2-s2.0=8Gbit/s --top 3
run crosswind map torus:4x4 grid.svg --traffic transpose --top 2
run crosswind map torus:4x4 grid.png
run crosswind map torus:4x4 grid.svg --trials 3
run crosswind map 'xgft:2:4,4:1,2' change.svg --failed s2.1 --against whole --top 3
run crosswind map 'xgft:2:4,4:1,2' change.svg --against routing:smodk --top 3
run crosswind map 'xgft:2:4,4:1,2' change.svg --against whole
run crosswind map 'xgft:2:4,4:1,2' change.svg --against fialed:s2.1
crosswind map 'xgft:2:2,2:1,2' change.json --failed s1.0-s2.1 --against whole >/dev/null
grep -E '"against"|"lines"|"load": -' change.json
crosswind map 'xgft:2:2,2:1,1' small.json >/dev/null
cat small.json
for network in crossbar:100 'xgft:3:24,24,36:1,24,12' rail:16,8,8,pods=4,spines=4 torus:4x4x4 torus:144x144 hyperx:6x6,4 \
    dragonfly:4,8,4 dragonfly:12,24,12,g=72 slimfly:5 megafly:4,4,4,4,g=9 jellyfish:40,5,4 jellyfish:1000,8,4; do
    echo "$network"
    crosswind map "$network" "$network.svg" --top 0 --format csv | columns form,boxes,lines | tail -n 1
done
sed 's/# "/&<script>alert(1 \&amp; 2)<\/script>/' "$GOLDEN/fabric/two-level.ibnetdiscover" >hostile.ibnetdiscover
crosswind map hostile.ibnetdiscover hostile.svg >/dev/null
python3 -B - *.svg <<'PYTHON'
import os, sys, xml.etree.ElementTree as tree
words = {"svg", "g", "path", "rect", "text", "title", "style"}
for name in sys.argv[1:]:
    found = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in tree.parse(name).getroot().iter()}
    assert found <= words, (name, found - words)
    assert os.path.getsize(name) < 2e6, name
print(len(sys.argv) - 1, "pictures are XML")
PYTHON
grep -c '&lt;script&gt;alert(1 &amp;amp; 2)' hostile.svg || :
grep -c '<script' hostile.svg || :
