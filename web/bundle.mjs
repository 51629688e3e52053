// Makes the application one file, the beginning of every page: bundle.mjs MODULES OUTPUT-FOLDER
// MODULES is the folder whose node_modules npm has filled. OUTPUT-FOLDER gets page.html and licences.txt.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, output] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, "package.json"))("esbuild");

const bundled = esbuild.buildSync({
    entryPoints: [join(here, "src/main.js")],
    nodePaths: [join(modules, "node_modules")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    charset: "utf8",
    legalComments: "none", // the whole licences are in the page
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
});
const style = esbuild.transformSync(readFileSync(join(here, "src/style.css"), "utf8"), { loader: "css", minify: true });

// What is bundled, and Crosswind itself, whose application the page is.
const licensed = [
    ["Crosswind", join(here, "../LICENSE")],
    ["Apache ECharts: notice", join(modules, "node_modules/echarts/NOTICE")],
    ["Apache ECharts: licence", join(modules, "node_modules/echarts/LICENSE")],
    ["d3, of which Apache ECharts has parts", join(modules, "node_modules/echarts/licenses/LICENSE-d3")],
    ["zrender", join(modules, "node_modules/zrender/LICENSE")],
    ["tslib", join(modules, "node_modules/tslib/LICENSE.txt")],
];
const licences = licensed.map(([name, file]) => `=== ${name} ===\n\n${readFileSync(file, "utf8").trim()}\n`).join("\n");

// Nothing but this very script runs in the page, and nothing is fetched: the browser enforces both.
// "</" ends a script wherever it stands; within JavaScript's strings and patterns "<\/" means the same.
const code = bundled.outputFiles[0].text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
const script = `addEventListener("DOMContentLoaded",()=>{${code}});`; // behind it come the results
const hash = createHash("sha256").update(script, "utf8").digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:`;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Crosswind">
<title>Crosswind</title>
<style>${style.code}</style>
</head>
<body>
<main id="page"><noscript>This page needs JavaScript. Its results are in it as JSON.</noscript></main>
<template id="licences">${escaped(licences)}</template>
<script>${script}</script>
`;
mkdirSync(output, { recursive: true });
writeFileSync(join(output, "page.html"), page);
writeFileSync(join(output, "licences.txt"), licences);
