# report and --html: pages, and what is refused. What a browser makes of them is the business of tests/web.
crosswind topo torus:4x4 --output topo.json --html page.html >refused.txt 2>&1 || true
if grep -q 'built without what pages consist of' refused.txt; then
    skip "pages need node, npm and npm's registry when the program is built"
fi

# What each result of the page $1 is: the JSON that the page holds, on lines of its own.
results()
{
    awk '/<script type="application\/json" class="result">/ { inside = 1 } inside' "$1"
}

# The option writes the same result twice, and does not change it.
results page.html | sed 's/^<script[^>]*>{"source": null, "result": //; s,^}</script>$,,' >inside.json
results page.html | head -n 1
results page.html | tail -n 1
crosswind topo torus:4x4 --format json >plain.json
same topo.json plain.json
grep -v '^$' inside.json >filled.json
same filled.json plain.json
head -c 100 page.html | head -n 1

# Several results, in their order; one through a pipe; a page beside CSV; one that ends early is not tried here.
crosswind ebb torus:4x4 --trials 3 --format csv --output ebb.csv --html ebb.html
results ebb.html | grep '"command"'
cp "$GOLDEN/page/figures.json" .
run crosswind report topo.json figures.json - several.html <plain.json
results several.html | grep -o '^<script.*"result"\|"command": "crosswind [a-z]*'

# Nothing of a hostile result is left that could end its script.
run crosswind report figures.json hostile.html
results hostile.html | grep -c '</script' # the one that ends it
results hostile.html | grep -c '<!--\|<b>\|<img'

# What is refused.
run crosswind report 2>&1
run crosswind report topo.json 2>&1
run crosswind report topo.json plain.json 2>&1
run crosswind report missing.json page.html 2>&1
run crosswind report ebb.csv page.html 2>&1
run crosswind report ebb.csv-metadata.json page.html 2>&1
run crosswind report topo.json nowhere/page.html 2>&1
cp topo.json topo.html
run crosswind report topo.html topo.html 2>&1
run crosswind topo torus:4x4 --html nowhere/page.html 2>&1
run crosswind topo torus:4x4 --output same --html same 2>&1
same topo.json plain.json
