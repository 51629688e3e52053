// Lines with error bars: y by x, one line a series.
import { categoryAxis, columnOf, distinct, isNumber, label, nameOf, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";

const SYMBOLS_UP_TO = 60; // points of a line

// The ends of the error bar of ROW, or null.
function errorBar({ y, low, high, ci95 }, row) {
    const value = valueOf(y, row);
    if (low && high && row[low.name] != null && row[high.name] != null) return [row[low.name] * y.factor, row[high.name] * y.factor];
    if (ci95 && value !== null && row[ci95.name] != null) return [value - row[ci95.name] * y.factor, value + row[ci95.name] * y.factor];
    return null;
}

// A vertical line with two ends, of the item [x, low, high].
function drawErrorBar(colour) {
    return (params, api) => {
        const [x, low] = api.coord([api.value(0), api.value(1)]);
        const [, high] = api.coord([api.value(0), api.value(2)]);
        const stroke = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.5 } });
        return { type: "group", children: [stroke(x, low, x, high), stroke(x - 4, low, x + 4, low), stroke(x - 4, high, x + 4, high)] };
    };
}

export function lines(table, figure) {
    const part = { x: neededColumn(table, figure, "x"), y: neededColumn(table, figure, "y") };
    for (const key of ["low", "high", "ci95", "series"]) part[key] = columnOf(table, figure, key);
    const { x, y, series } = part;
    const rows = table.rows.filter((row) => row[x.name] != null && row[y.name] != null && !(figure.log_x && !(row[x.name] > 0)));
    const names = series ? distinct(series, rows) : [null];
    const own = { ...y, interval: part.ci95?.name ?? y.interval };
    const categories = isNumber(x) ? null : distinct(x, rows);
    const position = (row) => (categories ? categories.indexOf(valueOf(x, row)) : valueOf(x, row));

    function lineOf(name, i, colours) {
        const colour = colours.series[i % colours.series.length];
        const mine = rows.filter((row) => !series || valueOf(series, row) === name);
        if (!categories) mine.sort((a, b) => valueOf(x, a) - valueOf(x, b));
        const line = {
            type: "line", name: label(name ?? nameOf(y)), color: colour, data: mine.map((row) => ({ value: [position(row), valueOf(y, row)], row })),
            showSymbol: mine.length <= SYMBOLS_UP_TO, symbolSize: 7, symbol: "circle", lineStyle: { width: 2 }, emphasis: { focus: "series" },
        };
        const bars = mine.map((row) => [position(row), ...(errorBar(part, row) ?? [])]).filter((bar) => bar.length === 3);
        if (bars.length === 0) return [line];
        return [line, { type: "custom", name: line.name, color: colour, data: bars, renderItem: drawErrorBar(colour), encode: { x: 0, y: [1, 2] }, silent: true, tooltip: { show: false }, z: 1 }];
    }
    return {
        marks: rows.length * 2,
        columns: [series, x, y, part.low, part.high, part.ci95],
        rows,
        height: () => 340,
        option: (colours) => ({
            grid: { left: 60, right: 20, top: names.length > 1 ? 48 : 20, bottom: 48 },
            legend: { show: names.length > 1, top: 4, type: "scroll", textStyle: { color: colours.ink } },
            xAxis: categories
                ? categoryAxis(colours, nameOf(x), categories.map(label), { nameGap: 32 })
                : valueAxis(colours, nameOf(x), { type: figure.log_x ? "log" : "value", nameGap: 32, splitLine: { show: false } }),
            yAxis: valueAxis(colours, nameOf(y), { nameGap: 48 }),
            tooltip: { trigger: "item", formatter: ({ data }) => (data.row ? tip(series ? label(valueOf(series, data.row)) : nameOf(y), tipLines([x, own, part.low, part.high], data.row)) : "") },
            series: names.flatMap((name, i) => lineOf(name, i, colours)),
        }),
    };
}
