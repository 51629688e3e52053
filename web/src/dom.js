// Elements, made by one function. Names and values from results go into text nodes and attributes, never into HTML.

// element("td.number", {title: "…"}, "text", child, …): properties that begin with "on" listen.
export function element(name, properties = {}, ...children) {
    const [tag, ...classes] = name.split(".");
    const made = document.createElement(tag);
    if (classes.length > 0) made.className = classes.join(" ");
    for (const [key, value] of Object.entries(properties)) {
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
}

// Offers CONTENT, a text or a Blob, as the file NAME.
export function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    element("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Puts TEXT on the clipboard; BUTTON says so for a moment.
export async function copy(text, button) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = element("textarea.outside", {}, text);
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
}
