// A figure of a result: drawn when it comes near, in the page's colours, and offered as PNG, SVG and CSV.
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import { DataZoomSliderComponent, GridComponent, LegendComponent, LegendScrollComponent, TitleComponent, TooltipComponent, VisualMapContinuousComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { Undrawable } from "./axes.js";
import { toCsv } from "./csv.js";
import { element, save } from "./dom.js";
import { kinds } from "./figures/kinds.js";
import { colours, isPrinting, onTheme } from "./theme.js";

echarts.use([BarChart, CustomChart, HeatmapChart, LineChart, DataZoomSliderComponent, GridComponent, LegendComponent, LegendScrollComponent,
    TitleComponent, TooltipComponent, VisualMapContinuousComponent, CanvasRenderer, SVGRenderer]);

const MOST_IN_SVG = 3000; // marks; with more, a canvas is quicker
const PAPER = 660; // pixels across a printed page

function optionOf(chart, width) {
    const theme = colours();
    const option = chart.option(theme, width);
    return {
        animation: false,
        textStyle: { fontFamily: "system-ui, sans-serif" },
        ...option,
        tooltip: { confine: true, backgroundColor: theme.paper, borderColor: theme.line, textStyle: { color: theme.ink }, ...option.tooltip },
    };
}

// The chart once more, for a file: an instance that nobody sees, which GIVE makes a text or a URL of.
function drawApart(chart, width, renderer, give) {
    const size = { renderer, width, height: chart.height(width) };
    const instance = renderer === "svg" ? echarts.init(null, null, { ...size, ssr: true }) : echarts.init(element("canvas"), null, { ...size, devicePixelRatio: 2 });
    instance.setOption({ backgroundColor: colours().paper, ...optionOf(chart, width) });
    const given = give(instance);
    instance.dispose();
    return given;
}

async function savePng(chart, name, width) {
    const url = drawApart(chart, width, "canvas", (instance) => instance.getDataURL({ type: "png", pixelRatio: 2 }));
    const bytes = Uint8Array.from(atob(url.split(",")[1]), (character) => character.charCodeAt(0));
    save(`${name}.png`, "image/png", bytes);
}

// Draws CHART into HOLDER from when it comes near, again when its width or the colours change.
function keepDrawn(chart, holder) {
    let instance = null;
    function draw() {
        const width = isPrinting() ? PAPER : holder.clientWidth;
        if (width === 0) return;
        holder.style.height = `${chart.height(width)}px`;
        instance ??= echarts.init(holder, null, { renderer: chart.marks > MOST_IN_SVG ? "canvas" : "svg" });
        instance.resize({ width, height: chart.height(width) });
        instance.setOption(optionOf(chart, width), true);
    }
    const near = new IntersectionObserver(([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        near.disconnect();
        draw();
        let width = holder.clientWidth;
        new ResizeObserver(() => {
            if (holder.clientWidth !== width && !isPrinting()) draw();
            width = holder.clientWidth;
        }).observe(holder);
    }, { rootMargin: "800px" });
    holder.style.height = `${chart.height(800)}px`;
    near.observe(holder);
    onTheme(() => (instance || isPrinting()) && draw());
}

function sentence(figure, why) {
    return element("p.undrawn", {}, `The figure “${figure.title ?? figure.kind}” is not drawn: ${why}.`);
}

// The element that shows FIGURE of RESULT; a sentence where it cannot be drawn.
export function figureElement(result, figure) {
    const table = result.tables.find(({ name }) => name === figure.table);
    const kind = Object.hasOwn(kinds, figure.kind ?? "") ? kinds[figure.kind] : null;
    if (!kind) return sentence(figure, `this page knows no kind “${figure.kind}”`);
    if (!table) return sentence(figure, `there is no table “${figure.table}”`);
    let chart;
    try {
        chart = kind(table, figure, result.tables);
    } catch (error) {
        if (error instanceof Undrawable) return sentence(figure, error.message);
        throw error;
    }
    if (chart.rows.length === 0) return sentence(figure, "there are no values");
    const title = (figure.title ?? table.name) + (chart.part ? ` (${chart.part})` : "");
    const name = `${table.name}-${figure.kind}`;
    const holder = element("div.chart", { role: "img", "aria-label": title });
    const columns = [...new Set(chart.columns.filter(Boolean).map((column) => column.name))];
    const tools = element("div.tools", {},
        element("button", { type: "button", onclick: () => savePng(chart, name, holder.clientWidth) }, "PNG"),
        element("button", { type: "button", onclick: () => save(`${name}.svg`, "image/svg+xml", drawApart(chart, holder.clientWidth, "svg", (instance) => instance.renderToSVGString())) }, "SVG"),
        element("button", { type: "button", onclick: () => save(`${name}.csv`, "text/csv", toCsv(columns, chart.rows)) }, "CSV"));
    keepDrawn(chart, holder);
    return element(chart.wide ? "figure.wide" : "figure", { "data-kind": figure.kind }, element("figcaption", {}, element("span", {}, title), tools), holder);
}
