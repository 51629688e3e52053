// Where one looks at: zoom and pan by wheel, pointer, two fingers and keys. SHOW is called when it has changed.
const MOST = 400; // times the scale of the whole
const STEP = 1.3;
const FLIGHT = 250; // ms

// The view of a drawing of WIDTH × HEIGHT on CANVAS: {scale, x, y, width, height}, pixels = lengths · scale + (x, y).
export function viewOf(canvas, drawing, show, point) {
    const view = { scale: 1, x: 0, y: 0, width: 0, height: 0 };
    let whole = 1, isWhole = true, flight = 0;

    function wholeView() {
        const margin = 10, scale = Math.min((view.width - 2 * margin) / drawing.width, (view.height - 2 * margin) / drawing.height, 1.6);
        return { scale, x: (view.width - drawing.width * scale) / 2, y: (view.height - drawing.height * scale) / 2 };
    }

    // At least a quarter of the canvas shows some of the drawing, and none is smaller than the whole.
    function go({ scale, x, y }) {
        whole = wholeView().scale;
        view.scale = Math.min(Math.max(scale, whole), whole * MOST);
        isWhole = view.scale === whole;
        const clamp = (offset, room, length) => Math.min(Math.max(offset, room * 0.25 - length * view.scale), room * 0.75);
        Object.assign(view, isWhole ? wholeView() : { x: clamp(x, view.width, drawing.width), y: clamp(y, view.height, drawing.height) });
        canvas.style.touchAction = isWhole ? "pan-y" : "none"; // the page scrolls under a finger until there is something to pan
        show();
    }
    const zoom = (factor, x = view.width / 2, y = view.height / 2) => {
        const scale = Math.min(Math.max(view.scale * factor, whole), whole * MOST), by = scale / view.scale;
        go({ scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by });
    };
    const pan = (dx, dy) => go({ ...view, x: view.x + dx, y: view.y + dy });

    // Moves to where AREA, in lengths, takes SHARE of the canvas; at once for those who want no motion.
    function flyTo(target) {
        const from = { ...view }, begin = performance.now();
        cancelAnimationFrame(flight);
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return go(target);
        const middle = ({ scale, x, y }) => [(view.width / 2 - x) / scale, (view.height / 2 - y) / scale];
        const [fromX, fromY] = middle(from), [toX, toY] = middle(target);
        function step(now) {
            const t = Math.min(1, (now - begin) / FLIGHT), eased = t * (2 - t);
            const scale = from.scale * (target.scale / from.scale) ** eased;
            const far = Math.abs(target.scale / from.scale - 1) < 1e-6 ? eased : (1 / from.scale - 1 / scale) / (1 / from.scale - 1 / target.scale);
            go(t === 1 ? target : { scale, x: view.width / 2 - (fromX + (toX - fromX) * far) * scale, y: view.height / 2 - (fromY + (toY - fromY) * far) * scale });
            if (t < 1) flight = requestAnimationFrame(step);
        }
        step(begin);
    }
    function flyToArea({ x, y, width, height }, share) {
        const scale = Math.min((view.width * share) / width, (view.height * share) / height);
        flyTo({ scale, x: view.width / 2 - x * scale, y: view.height / 2 - y * scale });
    }
    function resize(width, height) {
        const middle = [(view.width / 2 - view.x) / view.scale, (view.height / 2 - view.y) / view.scale], times = view.scale / whole;
        Object.assign(view, { width, height });
        whole = wholeView().scale;
        const scale = times * whole;
        go(isWhole ? wholeView() : { scale, x: width / 2 - middle[0] * scale, y: height / 2 - middle[1] * scale });
    }
    const showWhole = () => flyTo(wholeView());

    // --- what moves it

    const at = (event) => [event.offsetX, event.offsetY];
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && document.activeElement !== canvas) return; // the page scrolls, until the map was clicked
        event.preventDefault();
        zoom(Math.exp(-Math.max(-200, Math.min(200, event.deltaY * (event.deltaMode ? 20 : 1))) / 300), ...at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
        if (event.button > 0) return;
        cancelAnimationFrame(flight);
        if (pointers.size === 0) moved = 0;
        pointers.set(event.pointerId, at(event));
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        const before = pointers.get(event.pointerId);
        if (!before) return point.over(...at(event));
        const [x, y] = at(event), others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        moved += Math.hypot(x - before[0], y - before[1]);
        pointers.set(event.pointerId, [x, y]);
        if (others.length === 0) {
            if (moved > 4) pan(x - before[0], y - before[1]);
            return;
        }
        const [ox, oy] = others[0]; // two fingers
        zoom(Math.hypot(x - ox, y - oy) / Math.max(1, Math.hypot(before[0] - ox, before[1] - oy)), (x + ox) / 2, (y + oy) / 2);
        pan((x - before[0]) / 2, (y - before[1]) / 2);
    });
    const end = (event) => {
        const was = pointers.delete(event.pointerId);
        if (was && event.type === "pointerup" && pointers.size === 0 && moved <= 4) point.click(...at(event));
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => point.over(-1, -1));
    const keys = {
        ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
        "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: showWhole, Escape: () => point.click(-1, -1),
    };
    canvas.addEventListener("keydown", (event) => {
        const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    });
    return { view, resize, flyToArea, showWhole, zoomIn: () => zoom(STEP), zoomOut: () => zoom(1 / STEP) };
}
