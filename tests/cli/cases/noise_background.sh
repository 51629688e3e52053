# A background is all its rounds; one that sends nothing is said to be one.
noise() { crosswind noise "$@" --trials 400 --format csv; }
noise torus:6x6 --ratio 0.5 --background shift:by=1 >base.csv
noise torus:6x6 --ratio 0.5 --background alltoall >changed.csv
differ base.csv changed.csv
# by hand: 4, 5, 5, 5 and 4 by the five rounds, 3 without (tests/unit/sim/test_noise.c)
noise xgft:2:4,3:1,1 --ratio 0.5 --placement contiguous --background alltoall >rounds.csv
python3 - <<'END'
import csv
row, = csv.DictReader(open("rounds.csv"))
print("4.6 as it should be" if abs(float(row["perturbed_mean"]) - 4.6) < 0.1 else row)
END
run crosswind noise torus:9x12 --ratio 0.01,0.49 --background halo:dimensions=2 --trials 20
run crosswind noise torus:9x12 --ratio 0.001 --trials 20
run crosswind noise torus:3x4 --ratio 0.5 --background halo:grid=1x6,axis=x --trials 20
