# Networks of no known shape: minhop where its packets cannot wait for one another in a circle, else nue-even.
printf '# crosswind edge list\na s1\nb s1\nc s2\nd s3\ns1 s2\ns2 s3\n' >chain.edges
printf '# crosswind edge list\na s1\nb s2\nc s3\nd s4\ne s5\nf s1\ns1 s2\ns2 s3\ns3 s4\ns4 s5\ns5 s1\n' >ring.edges
for net in chain ring; do
    echo "# $net"
    crosswind flit $net.edges --load 0.3 --warmup 500 --cycles 500 --threads 1 >result
    grep -A 4 '^Routes are by' result
    sed -n 6p result | cut -c 1-11
done
