// A histogram: how many, y, by x.
import { axisName, categoryAxis, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";
import { formatNumber } from "../numbers.js";

const MOST_BINS = 1000; // of whole numbers, all of which have a place

// The places on the axis: all x, and of whole numbers those between them, too.
function placesOf(x, rows) {
    const values = [...new Set(rows.map((row) => valueOf(x, row)))].sort((a, b) => a - b);
    const span = values.at(-1) - values[0] + 1;
    return x.type === "int" && span <= MOST_BINS ? Array.from({ length: span }, (_, i) => values[0] + i) : values;
}

export function histogram(table, figure) {
    const [x, y] = ["x", "y"].map((key) => neededColumn(table, figure, key));
    const rows = table.rows.filter((row) => row[x.name] != null && row[y.name] != null && !(figure.log_y && !(row[y.name] > 0)));
    const places = rows.length > 0 ? placesOf(x, rows) : [];
    const at = new Map(places.map((value, i) => [value, i]));
    return {
        marks: rows.length,
        columns: [x, y],
        rows,
        height: () => 320,
        option: (colours) => ({
            grid: { left: 72, right: 20, top: 20, bottom: 48 },
            xAxis: categoryAxis(colours, axisName(x, figure.x_label), places.map((value) => formatNumber(value, x.type)), { nameGap: 32 }),
            yAxis: valueAxis(colours, axisName(y, figure.y_label), { nameGap: 54, scale: false, ...(figure.log_y ? { type: "log", min: 0.5 } : {}) }),
            tooltip: { trigger: "item", formatter: ({ data }) => tip(table.name, tipLines([x, y], data.row)) },
            series: [{
                type: "bar", data: rows.map((row) => ({ value: [at.get(valueOf(x, row)), valueOf(y, row)], row })),
                barCategoryGap: "4%", color: colours.series[0], emphasis: { disabled: true },
            }],
        }),
    };
}
