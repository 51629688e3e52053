# Files that are missing, malformed or cannot be written: exit status 1, and the line where there is one.
run crosswind topo missing.ibnetdiscover
run crosswind topo /
echo '%!PS-Adobe-3.0' >unknown.txt
run crosswind topo unknown.txt
: >empty.txt
run crosswind topo empty.txt
cp "$GOLDEN/malformed/ibsim-port-twice.txt" twice.net
run crosswind topo twice.net
run crosswind route torus:4x4 --lft missing.lfts
cp "$GOLDEN/malformed-lft/cut-off.txt" cut-off.lfts
cp "$GOLDEN/fabric/two-level.net" .
run crosswind route two-level.net --lft cut-off.lfts
run crosswind route torus:4x4 --paths missing.paths
echo 'h0 h1 1 : h0 s(0,0) s(2,2) h1' >wrong.paths
run crosswind route torus:4x4 --paths wrong.paths
printf '0x200000\n0002c90300a1b2c3\n' >wrong.guids
run crosswind route torus:4x4 --routing updn:roots=wrong.guids
run crosswind route torus:4x4 --routing minhop:order=wrong.guids
printf '0x200000 7#seven\n' >wrong.ids
run crosswind route torus:4x4 --routing updn:ids=wrong.ids
run crosswind noise --trial missing.txt
printf 'net torus 4 2\napp 2 0 one\n' >wrong.txt
run crosswind noise --trial wrong.txt
run crosswind noise torus:4x4 --background matrix:missing.csv
run crosswind congestion torus:4x4 --traffic matrix:missing.csv
run crosswind noise torus:4x4 --placement file:missing.txt
echo 'h99' >placement.txt
run crosswind noise torus:4x4 --placement file:placement.txt
run crosswind topo torus:4x4 --endpoints missing.txt
echo 'h99' >endpoints.txt
run crosswind topo torus:4x4 --endpoints endpoints.txt
run crosswind topo torus:4x4 --write missing/x.json
run crosswind topo torus:4x4 --write x.unknown
run crosswind topo torus:4x4 --output missing/x.txt
run crosswind route torus:4x4 --write missing/x.lfts
run crosswind congestion torus:4x4 --channels missing/x.csv
