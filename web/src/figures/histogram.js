// A histogram: of bins that are counted (y), or of values that are counted here.
import { categoryAxis, columnOf, isNumber, label, nameOf, neededColumn, tip, tipLines, Undrawable, valueAxis, valueOf } from "../axes.js";
import { formatNumber } from "../numbers.js";

// Bins of equal width, as many as Sturges (1926) has them: [{name, count}].
function countValues(values) {
    const least = values.reduce((a, b) => Math.min(a, b), Infinity), most = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const n = most > least ? Math.ceil(Math.log2(values.length) + 1) : 1;
    const width = (most - least) / n;
    const counts = new Array(n).fill(0);
    for (const value of values) counts[Math.min(n - 1, width > 0 ? Math.floor((value - least) / width) : 0)]++;
    return counts.map((count, i) => ({ name: `${formatNumber(least + i * width)} … ${formatNumber(least + (i + 1) * width)}`, count }));
}

export function histogram(table, figure) {
    const x = neededColumn(table, figure, "x");
    const y = columnOf(table, figure, "y");
    const rows = table.rows.filter((row) => row[x.name] != null && (!y || row[y.name] != null));
    if (!y && !isNumber(x)) throw new Undrawable(`the values of “${x.name}” are no numbers, and there are no counts of them`);
    if (rows.length === 0) throw new Undrawable("there are no values");
    const bins = y ? rows.map((row) => ({ name: label(valueOf(x, row)), count: valueOf(y, row), row })) : countValues(rows.map((row) => valueOf(x, row)));
    const height = y ? nameOf(y) : "values";
    return {
        marks: bins.length,
        columns: [x, y],
        rows,
        height: () => 320,
        option: (colours) => ({
            grid: { left: 60, right: 20, top: 20, bottom: 48 },
            xAxis: categoryAxis(colours, nameOf(x), bins.map(({ name }) => name), { nameGap: 32 }),
            yAxis: valueAxis(colours, height, { nameGap: 48, scale: false }),
            tooltip: { trigger: "item", formatter: ({ dataIndex }) => tip(`${nameOf(x)}: ${bins[dataIndex].name}`, y ? tipLines([y], bins[dataIndex].row) : [[height, formatNumber(bins[dataIndex].count, "int")]]) },
            series: [{ type: "bar", data: bins.map(({ count }) => count), barCategoryGap: "4%", color: colours.series[0], emphasis: { disabled: true } }],
        }),
    };
}
