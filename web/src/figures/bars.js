// Bars side by side: a panel for each measure, a bar for each row, with its interval; the best stand out.
import { categoryAxis, cellWords, columnOf, isNumber, labelRoom, neededColumn, tip, tipLines, Undrawable, valueAxis, valueOf, wordsOf } from "../axes.js";

const PANEL = 190; // least width of a panel, in pixels
const BAR = 30; // height of a bar with what is between two
const MOST_ROWS = 40; // that are shown
const HEAD = 34;
const FOOT = 34;

// "bcast", or of two columns "bcast, updn"; a number says of what it is: "bcast, hosts 16".
function barName(rows, series, row) {
    const one = cellWords(rows, row);
    if (!series || row[series.name] == null) return one;
    return `${one}, ${isNumber(series) ? `${wordsOf(series.name)} ` : ""}${cellWords(series, row)}`;
}

// How many panels stand side by side in WIDTH, and how wide they and the names beside them are.
function layOut(width, panels, names) {
    const room = labelRoom(names, width) + 20;
    const across = Math.max(1, Math.min(panels, Math.floor((width - room) / PANEL)));
    return { room, across, each: (width - room) / across };
}

function drawInterval(colour) {
    return (params, api) => {
        const [low, y] = api.coord([api.value(1), api.value(0)]);
        const [high] = api.coord([api.value(2), api.value(0)]);
        const stroke = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.5 } });
        return { type: "group", children: [stroke(low, y, high, y), stroke(low, y - 4, low, y + 4), stroke(high, y - 4, high, y + 4)] };
    };
}

export function bars(table, figure) {
    const names = neededColumn(table, figure, "rows");
    const series = columnOf(table, figure, "series");
    if (!Array.isArray(figure.panels) || figure.panels.length === 0) throw new Undrawable("it has no panels");
    const panels = figure.panels.map((panel) => {
        const y = neededColumn(table, panel, "y");
        const ci95 = columnOf(table, panel, "ci95");
        return { y: { ...y, interval: ci95?.name ?? y.interval }, ci95, best: new Set(panel.best_rows ?? []), title: wordsOf(panel.label ?? y.name) + (y.shownUnit ? ` [${y.shownUnit}]` : "") };
    });
    const rows = table.rows.slice(0, MOST_ROWS);
    const labels = rows.map((row) => barName(names, series, row));
    const height = (width) => Math.ceil(panels.length / layOut(width, panels.length, labels).across) * (HEAD + FOOT + rows.length * BAR);

    function panelSeries({ y, ci95, best }, i, colours) {
        const bar = (row, at) => ({ value: valueOf(y, row), row, itemStyle: { color: best.has(at) ? colours.best : colours.plain } });
        const halves = rows.map((row, at) => [at, valueOf(y, row), ci95 ? row[ci95.name] : null]).filter(([, value, half]) => value !== null && half != null);
        return [
            { type: "bar", name: y.name, xAxisIndex: i, yAxisIndex: i, data: rows.map(bar), barWidth: "62%", emphasis: { disabled: true } },
            { type: "custom", xAxisIndex: i, yAxisIndex: i, data: halves.map(([at, value, half]) => [at, value - half * y.factor, value + half * y.factor]), renderItem: drawInterval(colours.ink), encode: { y: 0, x: [1, 2] }, silent: true, tooltip: { show: false } },
        ];
    }
    function option(colours, width) {
        const { room, across, each } = layOut(width, panels.length, labels);
        const place = (i) => ({ left: room + (i % across) * each, top: Math.floor(i / across) * (HEAD + FOOT + rows.length * BAR) + HEAD, width: each - 40, height: rows.length * BAR });
        return {
            title: panels.map(({ title }, i) => ({ text: title, left: place(i).left - 4, top: place(i).top - 30, textStyle: { color: colours.ink, fontSize: 13, fontWeight: 600, width: each - 20, overflow: "truncate" } })),
            grid: panels.map((panel, i) => place(i)),
            xAxis: panels.map((panel, i) => valueAxis(colours, "", { gridIndex: i, scale: false, splitNumber: 3 })),
            yAxis: panels.map((panel, i) => categoryAxis(colours, "", labels, { gridIndex: i, inverse: true, axisTick: { show: false }, axisLabel: { show: i % across === 0, interval: 0, width: room - 10, overflow: "truncate" } })),
            tooltip: { trigger: "item", formatter: ({ data }) => (data.row ? tip(barName(names, series, data.row), tipLines(panels.map(({ y }) => y), data.row)) : "") },
            series: panels.flatMap((panel, i) => panelSeries(panel, i, colours)),
        };
    }
    return { wide: true, marks: rows.length * panels.length * 2, part: rows.length < table.rows.length ? `first ${rows.length} of ${table.rows.length}` : null, columns: [names, series, ...panels.flatMap(({ y, ci95 }) => [y, ci95])], rows, height, option };
}
