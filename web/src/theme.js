// Light and dark: what the system prefers, or what the switch says, which the browser remembers.
import { element } from "./dom.js";

const KEY = "crosswind-theme";
const NAMES = { auto: "System colours", light: "Light", dark: "Dark" };
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = [];
let printing = false;

// A page that is opened from a file may have no storage.
function remembered() {
    try {
        return localStorage.getItem(KEY) ?? "auto";
    } catch {
        return "auto";
    }
}

function remember(choice) {
    try {
        localStorage.setItem(KEY, choice);
    } catch {
        // it holds for this page alone
    }
}

let choice = remembered() in NAMES ? remembered() : "auto";

export function isDark() {
    return !printing && (choice === "dark" || (choice === "auto" && prefersDark.matches));
}

function apply() {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    for (const listener of listeners) listener();
}

// LISTENER is called when the colours have changed, and for paper.
export function onTheme(listener) {
    listeners.push(listener);
}

export function isPrinting() {
    return printing;
}

export function themeSwitch() {
    const button = element("button.theme", { type: "button", title: "Colours of this page", onclick: next });
    function label() {
        button.textContent = NAMES[choice];
    }
    function next() {
        const names = Object.keys(NAMES);
        choice = names[(names.indexOf(choice) + 1) % names.length];
        remember(choice);
        label();
        apply();
    }
    label();
    return button;
}

export function startTheme() {
    prefersDark.addEventListener("change", apply);
    addEventListener("beforeprint", () => {
        printing = true;
        apply();
    });
    addEventListener("afterprint", () => {
        printing = false;
        apply();
    });
    apply();
}

// Colours of charts and maps; the latter are those of `crosswind map FILE.svg`. Series have those of the plots that --plot draws, which people who see few colours tell apart.
export function colours() {
    return isDark()
        ? {
              ink: "#e6e8eb", faint: "#9aa3ad", line: "#39424c", paper: "#171c21",
              series: ["#56b4e9", "#ff8a4c", "#2bc79a", "#e69ac5", "#f0b429", "#8ccbf2", "#e6e6e6"],
              plain: "#4b7fa6", best: "#ff8a4c", scale: ["#1c2f42", "#1f5f95", "#3f9bd8", "#a9d7f5", "#f3faff"],
              loads: ["#49525f", "#456f9b", "#54a2e8", "#f2c230", "#ff8a3c", "#ff4b5c"], failed: "#f07ae6", failedBox: "#3a2238",
              more: ["#7a4a3b", "#a85c45", "#d96c4d", "#ff7f5e", "#ffb3a0"], less: ["#36597a", "#3f76a8", "#4a97d8", "#6db9ff", "#a8d8ff"],
              box: "#262d38", boxEdge: "#8c98aa", hostEdge: "#6b7687", panel: "#1b2026", chosen: "#ffffff",
          }
        : {
              ink: "#1b1f23", faint: "#5c6670", line: "#d9dee3", paper: "#ffffff",
              series: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"],
              plain: "#9ecae1", best: "#d55e00", scale: ["#f0f6fc", "#c6dbef", "#6baed6", "#2171b5", "#08306b"],
              loads: ["#c3c9d1", "#93b7dc", "#3d7fc1", "#d9a013", "#e0620d", "#b3122a"], failed: "#a3159a", failedBox: "#f7e3f5",
              more: ["#efb49c", "#e68a66", "#d45a3b", "#b22a2b", "#7d0b1f"], less: ["#a5cdea", "#6cabdb", "#3784c4", "#1a5fa5", "#0a3a75"],
              box: "#eef1f6", boxEdge: "#4a5668", hostEdge: "#8a94a3", panel: "#f4f4ee", chosen: "#111111",
          };
}
