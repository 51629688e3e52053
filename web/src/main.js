// The page: for each result its sentences, charts, tables, and where it is from.
import { figureElement } from "./chart.js";
import { element } from "./dom.js";
import { experimentElements } from "./experiments.js";
import { mapElement } from "./map/map.js";
import { formatNumber } from "./numbers.js";
import { readResults, shortPath } from "./result.js";
import { tableElement } from "./table.js";
import { startTheme, themeSwitch } from "./theme.js";

const titleOf = ({ verb, subject }) => (subject ? `${verb}: ${subject}` : verb);
const contextValue = (value) => (typeof value === "number" ? formatNumber(value, "int") : shortPath(String(value)));

// What the result is about, but for the network, which the heading names.
function contextElement({ context }) {
    const items = Object.entries(context).filter(([name]) => name !== "network");
    if (items.length === 0) return null;
    return element("dl.context", {}, items.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", { title: value }, contextValue(value)))));
}

// A note is a sentence, or several lines; those that are indented, such as commands, stay as they are.
function noteElement(note) {
    const parts = [];
    for (const line of note.split("\n")) {
        const whole = line.startsWith(" ");
        const last = parts.at(-1);
        if (whole && last?.tagName === "PRE") last.textContent += `\n${line.replace(/^ {2}/, "")}`;
        else parts.push(element(whole ? "pre" : "p", {}, whole ? line.replace(/^ {2}/, "") : line));
    }
    return parts;
}

function notesElement({ complete, missing, notes }) {
    const warning = complete === false ? element("p.incomplete", {}, `Incomplete: ${missing ?? "rows are missing"}.`) : null;
    return element("div.notes", {}, warning, notes.flatMap(noteElement));
}

function provenanceElement({ document: { tool, version, command, seed, configuration, inputs }, source }) {
    const line = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
    return element("details.provenance", {}, element("summary", {}, "Where this is from"), element("dl", {},
        command ? line("command", element("code", {}, command)) : null,
        line("program", `${tool} ${version}`),
        seed === undefined ? null : line("seed", String(seed)),
        configuration ? line("configuration", element("code", {}, configuration.path), " ", element("code", {}, configuration.options)) : null,
        source ? line("file", element("code", {}, source)) : null,
        inputs.flatMap(({ path, sha256 }) => line("input", element("code", {}, path), element("code.hash", {}, `SHA-256 ${sha256}`)))));
}

function resultElement(result, i) {
    return element("article", { id: `result-${i + 1}` },
        element("header", {}, element("h2", {}, result.verb, result.subject ? element("span.subject", { title: result.document.context.network }, result.subject) : null), contextElement(result.document)),
        notesElement(result.document),
        element("div.figures", {}, result.map ? mapElement(result.map, result.document.notes) : null, result.figures.map((figure) => figureElement(result, figure))),
        experimentElements(result.experiments),
        result.tables.map(tableElement),
        provenanceElement(result));
}

function contentsElement(results) {
    if (results.length < 2) return null;
    return element("nav.contents", { "aria-label": "results" }, element("ol", {}, results.map((result, i) =>
        element("li", {}, element("a", { href: `#result-${i + 1}` }, titleOf(result)), result.source ? element("span.source", {}, result.source) : null))));
}

function licencesElement() {
    const text = document.getElementById("licences").content.textContent;
    return element("details.licences", {}, element("summary", {}, "Licences of what this page consists of"), element("pre", {}, text));
}

function start() {
    startTheme();
    const results = readResults();
    document.title = results.length === 1 ? `${titleOf(results[0])} · Crosswind` : `${results.length} results · Crosswind`;
    document.getElementById("page").replaceChildren(
        element("header.bar", {}, element("span.brand", {}, "Crosswind"), themeSwitch()),
        ...[contentsElement(results)].filter(Boolean),
        ...results.map(resultElement),
        element("footer", {}, licencesElement()));
}

// Paper has nothing to unfold.
addEventListener("beforeprint", () => document.querySelectorAll("details.provenance").forEach((details) => (details.open = true)));
start();
