# --output writes what would be printed; beside CSV also where it came from.
crosswind noise torus:4x4 --ratio 0.5 --trials 5 --format csv >printed.csv
run crosswind noise torus:4x4 --ratio 0.5 --trials 5 --format csv --output written.csv
same printed.csv written.csv
run cat written.csv-metadata.json
mkdir folder
run crosswind noise torus:4x4 --ratio 0.5 --trials 5 --format csv --output folder/written.csv
same written.csv-metadata.json folder/written.csv-metadata.json
printf 'net torus 4 2\napp 2 0 1\n' >case.txt
run crosswind noise --trial case.txt --format csv --output trial.csv
run cat trial.csv-metadata.json
for format in text json; do
    crosswind ebb torus:4x4 --trials 5 --format $format >printed
    run crosswind ebb torus:4x4 --trials 5 --format $format --output written
    same printed written
done
# the ending of the name says the format, unless --format does
for format in csv json; do
    crosswind ebb torus:4x4 --trials 5 --format $format >printed
    run crosswind ebb torus:4x4 --trials 5 -q --output written.$format
    same printed written.$format
done
run crosswind ebb torus:4x4 --trials 5 --format text --output text.json
run head -n 1 text.json
run ls
# a device that is full
if [ -c /dev/full ]; then
    for command in 'topo torus:4x4' help 'help noise' 'noise --help' man completion --version 'topo torus:4x4 --format csv'; do
        status=0
        crosswind $command >/dev/full || status=$?
        echo "$command: exit status $status"
    done
fi
