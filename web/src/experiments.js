// Experiments of publications that were repeated: beside the pictures of a figure what is claimed of it, and whether it holds.
import { element, save } from "./dom.js";

function claimElement({ figure, claim, holds, correction, found }) {
    return element("li", {}, element("span.verdict", { "data-holds": holds }, holds),
        element("div", {}, element("p.claim", {}, `${figure}: ${claim}.`), correction ? element("p", {}, `Corrected: ${correction}.`) : null, element("p.found", {}, `${found}.`)));
}

// An image cannot run what its file says, and fetches nothing.
function pictureElement({ name, svg }) {
    if (svg === null) return element("p.undrawn", {}, `${name} could not be read.`);
    return element("div.picture", {}, element("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: name, loading: "lazy" }),
        element("button", { type: "button", onclick: () => save(name.split("/").at(-1), "image/svg+xml", svg) }, name));
}

function experimentElement({ name, source, figures }) {
    return element("section.experiment", {}, element("h3", {}, name), element("p.source", {}, source),
        figures.map(({ title, claims, pictures }) => element("figure.wide", {}, element("figcaption", {}, title),
            element("div.pictures", {}, pictures.map(pictureElement)), element("ul.claims", {}, claims.map(claimElement)))));
}

export function experimentElements(experiments) {
    return (experiments ?? []).map(experimentElement);
}
