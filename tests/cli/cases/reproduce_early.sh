# gnuplot is looked for before anything is computed or made.
for figure in noise dragonfly-fig3 optiq; do
    PATH=$(dirname "$(command -v crosswind)") run crosswind reproduce $figure --directory figures
done
[ -e figures ] || echo "nothing was made"
