# GPUs that are as near by NVLink as by their adapters send by NVLink within a box, and by the leaf from box to box.
{
    echo "# crosswind edge list"
    for gpu in box0gpu0 box0gpu1 box0gpu2 box1gpu0 box1gpu1 box1gpu2; do
        echo "endpoint $gpu"
        echo "$gpu ${gpu%gpu*}nvlink 300GB/s"
        echo "$gpu leaf 25GB/s"
    done
} >boxes.txt
for gpu in box0gpu1 box0gpu2 box1gpu0 box1gpu2; do
    crosswind route boxes.txt --from box0gpu0 --to $gpu --format csv | columns from,to
done
