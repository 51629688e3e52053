# Terabytes are planned in seconds: chunks are simulated in groups, and times stay what they are chunk by chunk.
seconds()
{
    crosswind plan "$@" --relays switches --transport bgq:list-search=0 --format csv | columns predicted_seconds | sed 1d | tr '\n' ' '
}
for movement in "torus:4x4 --traffic disjoint:1x1 --method default,greedy" \
    "torus:4x4 --traffic disjoint:2x4 --method heuristic,optimum"; do
    few=$(seconds $movement --bytes 20GB --chunk 64KiB)
    many=$(seconds $movement --bytes 18TB)
    echo "$few $many" | awk -v movement="$movement" '{
        for (i = 1; i <= NF / 2; i++) if ($(i + NF / 2) / $i < 899 || $(i + NF / 2) / $i > 901) bad = bad " " $i " " $(i + NF / 2)
        print movement ": " (bad == "" ? NF / 2 " times are 900 times those of a 900th" : "WRONG" bad) }'
done
echo "# it is said, and only where it is so"
crosswind plan torus:4x4 --transport bgq --traffic disjoint:1x1 --bytes 18TB --method default | grep -A 2 "as one"
crosswind plan torus:4x4 --transport bgq --traffic disjoint:1x1 --bytes 18TB --method default --chunk 1GiB | grep -c "as one" || :
crosswind plan torus:4x4 --transport bgq:chunk=256B --traffic disjoint:1x1 --bytes 2GB --method default | grep -c "as one" || :
crosswind plan torus:4x4 --transport bgq --traffic disjoint:1x1 --bytes 100GB --method default | grep -c "as one" || :
