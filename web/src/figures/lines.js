// Lines: y by x, one a series, with intervals, boxes of quartiles, what is marked, and lines to compare with.
import { axisName, cellWords, columnOf, distinct, neededColumn, tip, tipLines, valueAxis, valueOf } from "../axes.js";
import { formatBytes, formatNumber } from "../numbers.js";

const SYMBOLS_UP_TO = 60; // points of a line
const MOST_LINES = 12; // that can be told apart
const MOST_MARKS = 8; // that have room on a logarithmic axis
const BOX = 12; // pixels across
const QUARTILES = ["min", "low", "median", "high", "max"];
const SYMBOLS = ["circle", "rect"]; // a round of colours each
const DASHES = "path://M0 8h8v2h-8zM12 8h8v2h-8z";

const segment = (x1, y1, x2, y2, style) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });

// The interval of the item [x, low, high], ASIDE of its x.
function drawInterval(colour, aside) {
    const style = { stroke: colour, lineWidth: 1.5 };
    return (params, api) => {
        const [[x, low], [, high]] = [1, 2].map((i) => api.coord([api.value(0), api.value(i)]));
        const at = x + aside;
        return { type: "group", children: [segment(at, low, at, high, style), segment(at - 3, low, at + 3, low, style), segment(at - 3, high, at + 3, high, style)] };
    };
}

// The box of the item [x, min, low, median, high, max], with whiskers.
function drawBox(colour, aside) {
    const style = { stroke: colour, lineWidth: 1.5 };
    return (params, api) => {
        const [x] = api.coord([api.value(0), api.value(1)]);
        const [min, low, median, high, max] = QUARTILES.map((_, i) => api.coord([api.value(0), api.value(i + 1)])[1]);
        const at = x + aside, half = BOX / 2;
        const rect = { type: "rect", shape: { x: at - half, y: high, width: BOX, height: low - high }, style: { ...style, fill: colour, fillOpacity: 0.25 } };
        const across = [[min, half / 2], [median, half], [max, half / 2]].map(([y, w]) => segment(at - w, y, at + w, y, style));
        return { type: "group", children: [rect, segment(at, min, at, low, style), segment(at, high, at, max, style), ...across] };
    };
}

// A dashed line from one item to the other; across the whole plot if there is one item alone.
function dashed(name, data, colours) {
    const style = { stroke: colours.faint, lineWidth: 1.5, lineDash: [6, 4], fill: null };
    const renderItem = ({ dataIndex, coordSys }, api) => {
        if (dataIndex > 0) return null;
        const [x, y] = api.coord(data[0]);
        if (data.length === 1) return segment(coordSys.x, y, coordSys.x + coordSys.width, y, style);
        return segment(x, y, ...api.coord(data[1]), style);
    };
    return { type: "custom", name, color: colours.faint, data, renderItem, encode: { x: 0, y: 1 }, silent: true, tooltip: { show: false }, z: 1 };
}

// The ends of both axes where x and y are of one kind.
function equalEnds(values, logarithmic) {
    const least = values.reduce((a, b) => Math.min(a, b), Infinity), most = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (logarithmic) return { min: 10 ** Math.floor(Math.log10(least)), max: 10 ** Math.ceil(Math.log10(most)) };
    const step = 10 ** Math.floor(Math.log10(Math.max(Math.abs(most), Math.abs(least)) || 1)) / 5;
    return { min: least > 0 ? 0 : Math.floor(least / step) * step, max: Math.ceil(most / step - 1e-9) * step };
}

// Whether ROW has a place: numbers, above 0 where an axis is logarithmic.
const hasPlace = (figure, x, y) => (row) => [[x, figure.log_x], [y, figure.log_y]].every(([column, log]) => row[column.name] != null && (!log || row[column.name] > 0));

export function lines(table, figure) {
    const [x, y] = ["x", "y"].map((key) => neededColumn(table, figure, key));
    const [ci95, series, marked, samples] = ["ci95", "series", "marked", "samples"].map((key) => columnOf(table, figure, key));
    const quartiles = QUARTILES.map((key) => columnOf(table, figure, key)).filter(Boolean);
    const boxed = quartiles.length === QUARTILES.length;
    const placed = table.rows.filter(hasPlace(figure, x, y));
    const all = series ? distinct(series, placed) : [axisName(y, figure.y_label)];
    const names = all.slice(0, MOST_LINES);
    const nameOfRow = (row) => (series ? cellWords(series, row) : names[0]);
    const rows = placed.filter((row) => names.includes(nameOfRow(row)));
    const own = { ...y, interval: ci95?.name ?? y.interval };
    const isMarked = (row) => marked !== null && row[marked.name] === "yes";
    const levels = figure.level_label && !(figure.log_y && !(figure.level > 0)) ? [figure.level_label] : [];
    const ends = figure.equal && rows.length > 0 ? equalEnds(rows.flatMap((row) => [valueOf(x, row), valueOf(y, row)]), figure.log_x) : null;
    const compared = [...levels, ...(ends ? ["y = x"] : [])];
    const legend = [...(series ? names : []), ...(marked && rows.some(isMarked) ? [marked.name] : []), ...compared];

    function customOf(name, colour, data, renderItem) {
        return { type: "custom", name, color: colour, data, renderItem, encode: { x: 0, y: data.length > 0 ? data[0].map((_, i) => i).slice(1) : [1] }, silent: true, tooltip: { show: false }, z: 1 };
    }
    function seriesOf(name, i, colours) {
        const colour = colours.series[i % colours.series.length], symbol = SYMBOLS[Math.floor(i / colours.series.length) % SYMBOLS.length];
        const aside = boxed ? (i - (names.length - 1) / 2) * (BOX + 2) : 0;
        const mine = rows.filter((row) => nameOfRow(row) === name).sort((a, b) => valueOf(x, a) - valueOf(x, b));
        const points = (shown) => mine.map((row) => ({ value: [valueOf(x, row), shown(row) ? valueOf(y, row) : null], row }));
        const common = { type: "line", color: colour, symbolSize: 7, symbolOffset: [aside, 0], emphasis: { focus: "none" }, z: 3 };
        const halves = ci95 ? mine.filter((row) => row[ci95.name] != null) : [];
        const low = (row) => valueOf(y, row) - row[ci95.name] * y.factor;
        const intervals = halves.filter((row) => !figure.log_y || low(row) > 0).map((row) => [valueOf(x, row), low(row), valueOf(y, row) + row[ci95.name] * y.factor]);
        const boxes = boxed ? mine.filter((row) => quartiles.every((column) => row[column.name] != null && (!figure.log_y || row[column.name] > 0))).map((row) => [valueOf(x, row), ...quartiles.map((column) => row[column.name] * y.factor)]) : [];
        return [
            { ...common, name, data: points((row) => !isMarked(row)), symbol, showSymbol: boxed || mine.length <= SYMBOLS_UP_TO, lineStyle: { width: boxed ? 0 : 2 } },
            ...(mine.some(isMarked) ? [{ ...common, name: marked.name, data: points(isMarked), symbol, symbolSize: 9, itemStyle: { color: colours.paper, borderColor: colour, borderWidth: 2 }, showSymbol: true, lineStyle: { width: 0 } }] : []),
            customOf(name, colour, boxes, drawBox(colour, aside)),
            customOf(name, colour, intervals, drawInterval(boxed ? colours.ink : colour, aside)),
        ].filter(({ data }) => data.length > 0);
    }
    function xAxis(colours) {
        const marks = [...new Set(rows.map((row) => valueOf(x, row)))].sort((a, b) => a - b);
        const formatter = x.unit === "byte" && figure.log_x ? formatBytes : (value) => formatNumber(value);
        const range = figure.x_range ? { min: figure.x_range[0] * x.factor, max: figure.x_range[1] * x.factor } : {};
        const own = figure.log_x && marks.length <= MOST_MARKS && !ends
            ? { min: marks[0] / 2, max: marks.at(-1) * 2, axisTick: { customValues: marks }, axisLabel: { formatter, customValues: marks } }
            : { axisLabel: { formatter }, logBase: x.unit === "byte" ? 2 : 10 };
        return valueAxis(colours, axisName(x, figure.x_label), { type: figure.log_x ? "log" : "value", nameGap: 32, splitLine: { show: false }, ...own, ...range, ...ends });
    }
    return {
        marks: rows.length * 2,
        part: names.length < all.length ? `first ${names.length} of ${all.length}` : null,
        columns: [series, x, y, ci95, ...quartiles, samples, marked],
        rows,
        height: () => 340,
        option: (colours) => ({
            grid: { left: 72, right: 24, top: legend.length > 0 ? 48 : 20, bottom: 48 },
            legend: { show: legend.length > 0, top: 4, type: "scroll", textStyle: { color: colours.ink }, data: legend.map((name) => (compared.includes(name) ? { name, icon: DASHES } : { name })) },
            xAxis: xAxis(colours),
            yAxis: valueAxis(colours, axisName(y, figure.y_label), { type: figure.log_y ? "log" : "value", nameGap: 54, ...ends }),
            tooltip: { trigger: "item", formatter: ({ data }) => (data.row ? tip(nameOfRow(data.row), tipLines([x, own, ...quartiles, samples, marked], data.row)) : "") },
            series: [
                ...names.flatMap((name, i) => seriesOf(name, i, colours)),
                ...levels.map((name) => dashed(name, rows.length > 0 ? [[valueOf(x, rows[0]), figure.level * y.factor]] : [], colours)),
                ...(ends ? [dashed("y = x", [[ends.min, ends.min], [ends.max, ends.max]], colours)] : []),
            ],
        }),
    };
}
