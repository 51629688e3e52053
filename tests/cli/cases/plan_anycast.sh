# Demands to any of several endpoints: who takes what, of what limits, and what the nearest would cost.
cat >io.txt <<END
# h0 and h1 are neighbours; the gateway of h3 is slow
member io h[0-2] bytes=160MB
member io h3 rate=1GB/s
demand all io 8MB
END
crosswind plan torus:8x8@1GB/s --anycast io.txt --method default,optimum --transport none >told.txt
sed -n '/^What the members/,/^best paths/p' told.txt
echo "# a file of the plan, its moves and both slower rungs have members as destinations"
crosswind plan torus:8x8@1GB/s --anycast io.txt --method optimum --plan plan.json --moves moves.json >/dev/null
grep -o '"dst": [0-9]*' plan.json | sort -u
crosswind plan torus:8x8@1GB/s --anycast io.txt --check plan.json --format csv | columns method,z,bandwidth_seconds
sed 's/bytes=160MB/bytes=100MB/; s/8MB/6MB/' io.txt >other.txt
run crosswind plan torus:8x8@1GB/s --anycast other.txt --check plan.json
cat >storage.txt <<END
member storage h0,h1,h16 rate=2GB/s
demand h[2-15],h[17-31] storage 4MB
END
for model in flows flits; do
    crosswind plan xgft:2:16,2:1,4@1GB/s --anycast storage.txt --method optimum --model $model --format csv |
        columns method,bandwidth_seconds,seconds,bound_seconds
done
echo "# not enough room, a member that nobody can reach, options that do not go together"
sed 's/160MB/16MB/; s/rate=1GB\/s/bytes=16MB/' io.txt >full.txt
run crosswind plan torus:8x8 --anycast full.txt
run crosswind plan torus:8x8 --anycast io.txt --failed h0
run crosswind plan torus:8x8 --anycast io.txt --traffic 3
run crosswind plan torus:8x8 --anycast io.txt --bytes 1MB
echo "# all are those that take part"
crosswind plan torus:8x8 --anycast io.txt --endpoints 'h[0-20]' --method optimum --format csv | columns endpoints,pairs,method
