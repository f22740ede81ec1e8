// A chart: curves, bands, markers, places and axes as SVG, and how its values are read.


const by = (id) => document.getElementById(id);
const DATA = JSON.parse(by("payload").textContent);
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function inked(node, look) {
  node.classList.add("ink");
  node.style.setProperty("--light", look.colour);
  node.style.setProperty("--dark", look.dark);
  return node;
}

const short = (value) => value.toFixed(1);

function marker(look, x, y, size = 4.2) {
  const corners = DATA.markers[look.marker].map(([a, b]) => short(x + size * a) + " " + short(y - size * b));
  return make("svg:path", { d: "M" + corners.join("L") + "Z", class: look.filled ? "mark full" : "mark" });
}

function swatch(look) {
  const svg = make("svg:svg", { width: 40, height: 14, viewBox: "0 0 40 14", "aria-hidden": "true" });
  svg.append(make("svg:path", { d: "M1 7H39", class: "stroke", "stroke-width": look.width, "stroke-dasharray": look.dash }));
  svg.append(marker(look, 20, 7));
  return inked(svg, look);
}

// Runs of points that can be drawn, so that a lost stretch leaves a gap.
function pieces(points) {
  const runs = [[]];
  for (const point of points) {
    if (point.every(Number.isFinite)) runs[runs.length - 1].push(point);
    else if (runs[runs.length - 1].length) runs.push([]);
  }
  return runs.filter((run) => run.length);
}

const line = (points) => pieces(points).map((run) => "M" + run.map(([x, y]) => short(x) + " " + short(y)).join("L")).join("");

function ribbon(x, low, high) {
  const both = x.map((value, i) => [value, low[i], high[i]]);
  return pieces(both).filter((run) => run.length > 1).map((run) => {
    const back = [...run].reverse().map((p) => short(p[0]) + " " + short(p[1]));
    return "M" + run.map((p) => short(p[0]) + " " + short(p[2])).join("L") + "L" + back.join("L") + "Z";
  }).join("");
}

function axes(svg, view, box, sx, sy, domains) {
  const wide = box.right - box.left, tall = box.bottom - box.top;
  const ticksX = (view.xlog ? logTicks : linearTicks)(...domains.x, Math.max(3, Math.floor(wide / 70)));
  const ticksY = (view.ylog ? logTicks : linearTicks)(...domains.y, Math.max(3, Math.floor(tall / 45)));
  const grid = make("svg:g", { class: "ticks-x" }), rows = make("svg:g", { class: "ticks-y" });
  for (const tick of ticksX) {
    const x = short(sx(tick.value));
    grid.append(make("svg:path", { d: `M${x} ${box.top}V${box.bottom}`, class: "grid" }),
      make("svg:text", { x, y: box.bottom + 17, "text-anchor": "middle" }, tick.text));
  }
  for (const tick of ticksY) {
    const y = short(sy(tick.value));
    rows.append(make("svg:path", { d: `M${box.left} ${y}H${box.right}`, class: "grid" }),
      make("svg:text", { x: box.left - 7, y, "text-anchor": "end", dy: "0.33em" }, tick.text));
  }
  svg.append(grid, rows, make("svg:path", { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, class: "frame" }));
  svg.append(make("svg:text", { x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle", class: "title" }, view.xLabel));
  svg.append(make("svg:text", { x: box.left, y: 12, "text-anchor": "start", class: "title" }, view.yLabel));
}

// A curve with its band and markers, as far as they can be placed.
function trace(one, view, box, placeX, placeY, first) {
  const group = inked(make("svg:g", { class: "curve", "data-name": one.look.name }), one.look);
  if (view.band && !one.exact) group.append(make("svg:path", { class: "band", d: ribbon(one.x.map(placeX), one.low.map(placeY), one.high.map(placeY)) }));
  group.append(make("svg:path", { class: "stroke", d: line(one.points), "stroke-width": one.look.width, "stroke-dasharray": one.look.dash }));
  let next = box.left + first;
  for (const [x, y] of one.points) {
    if (!one.marks || !Number.isFinite(x) || !Number.isFinite(y) || (one.marks === "some" && x < next)) continue;
    group.append(marker(one.look, x, y, one.marks === "some" ? 4.2 : 3.2));
    next = x + 80;
  }
  return group;
}

// A text to the right of a point, or to its left where that is nearer to the middle.
function beside(box, x, y, text, attributes = {}) {
  const right = x > (box.left + box.right) / 2;
  return make("svg:text", { x: short(x + (right ? -7 : 7)), y: short(y), "text-anchor": right ? "end" : "start", ...attributes }, text);
}

// A solver that only says when it was done: a line at that time, with its name.
function moment(one, box, x, row) {
  const text = box.right - box.left < 420 ? one.look.name : `${one.look.name} done: ${number(one.mean[0])}`;
  return inked(make("svg:g", { class: "curve moment", "data-name": one.look.name },
    make("svg:path", { class: "stroke", d: `M${short(x)} ${box.top}V${box.bottom}`, "stroke-width": one.look.width / 2, "stroke-dasharray": one.look.dash }),
    beside(box, x, box.top + 12 + 15 * row, text)), one.look);
}

// A single place in the plane: a cross with its name.
function cross(one, box, x, y) {
  return make("svg:g", { class: "place", "data-name": one.name },
    make("svg:path", { d: `M${short(x - 5)} ${short(y)}h10m-5 -5v10`, class: "frame", "stroke-width": one.strong ? 3 : 1.5 }),
    beside(box, x, y, one.name, { dy: "0.33em" }));
}

// Draw a view into the svg; returns what is shown and what could not be, for reading and captions.
function draw(svg, view) {
  const { share, least, most } = view.shape, name = svg.closest("[data-plot]").dataset.plot;
  const width = Math.max(280, Math.round(svg.parentNode.clientWidth));
  const height = Math.round(Math.min(most, Math.max(least, width * share)));
  const box = { left: 58, right: width - 10, top: 24, bottom: height - 44 };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const shown = view.series.filter((one) => one.on && one.mean.some(Number.isFinite));
  const limits = axisLimits(view, shown);
  if (!limits) {
    const why = view.series.some((one) => one.on) ? "Not measured here." : view.none;
    svg.append(make("svg:text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, why));
    return { shown: [], box, beyond: [], above: [], below: [], outside: [] };
  }
  const { x, y } = limits;
  const sx = scale(x, [box.left, box.right], view.xlog), sy = scale(y, [box.bottom, box.top], view.ylog);
  axes(svg, view, box, sx, sy, limits);
  const layer = make("svg:g", { "clip-path": `url(#inside-${name})` });
  // What cannot be placed on a logarithmic scale is left out, not drawn at some edge.
  const placeX = (value) => (view.xlog && value <= 0 ? NaN : sx(value));
  const placeY = (value) => (view.ylog && value <= 0 ? NaN : sy(value));
  const outside = [], moments = shown.filter((one) => one.exact && one.x.length === 1);
  // Thick and pale, solvers without sampling go below the others.
  [...shown].sort((a, b) => Boolean(b.exact) - Boolean(a.exact)).forEach((one, k) => {
    one.points = one.x.map((value, i) => [placeX(value), placeY(one.mean[i])]);
    if (!moments.includes(one)) layer.append(trace(one, view, box, placeX, placeY, (k * 37) % 80));
    else if (one.x[0] <= x[1]) layer.append(moment(one, box, one.points[0][0], moments.indexOf(one)));
    if (one.exact && one.x.every((value) => value > x[1])) outside.push(one);
  });
  svg.append(make("svg:clipPath", { id: `inside-${name}` },
    make("svg:rect", { x: box.left, y: box.top - 5, width: box.right - box.left + 5, height: box.bottom - box.top + 10 })), layer);
  svg.append(...view.places.map((one) => cross(one, box, placeX(one.x), placeY(one.y))));
  const names = (series) => series.map((one) => one.look.name);
  const inside = shown.filter((one) => !outside.includes(one) && !moments.includes(one));
  return {
    shown, box, outside, limits,
    beyond: names(inside.filter((one) => Math.max(...one.x) > x[1] * 1.01)),
    above: names(inside.filter((one) => one.mean.some((value) => value > y[1]))),
    below: inside.filter((one) => one.exact && one.mean.some((value, i) => value < y[0] && one.x[i] <= x[1])),
  };
}

// The record that lies nearest to a place in the chart.
function nearest(shown, px, py) {
  let best = null, least = Infinity;
  shown.forEach((one, series) => one.points.forEach(([x, y], record) => {
    if (one.exact && one.x.length === 1) y = py;  // a line at a time
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance < least) [best, least] = [{ series, record }, distance];
  }));
  return best;
}

// The chart of an element: draws views, and has their values read by pointer and keys. `tell` says
// in lines what is at a record of a curve, `reading` hears which record that is, or that it is none.
function chart(root, tell, reading = () => {}) {
  const svg = root.querySelector("svg"), tip = root.querySelector(".tip"), spoken = root.querySelector("[aria-live]");
  let view = null, drawn = null, cursor = null, width = root.clientWidth;
  function redraw(next) {
    [view, cursor, tip.hidden] = [next, null, true];
    drawn = draw(svg, view);
    return drawn;
  }
  function show(next) {
    cursor = next;
    svg.querySelectorAll(".cursor, .dot").forEach((node) => node.remove());
    svg.querySelectorAll(".curve").forEach((node) => node.classList.remove("faint"));
    const one = cursor && drawn.shown[cursor.series], [x, y] = one ? one.points[cursor.record] : [NaN, NaN];
    tip.hidden = !Number.isFinite(x) || !Number.isFinite(y);
    if (tip.hidden) return reading(null);
    svg.append(make("svg:path", { d: `M${short(x)} ${drawn.box.top}V${drawn.box.bottom}`, class: "cursor" }),
      inked(make("svg:g", { class: "dot" }, marker({ ...one.look, filled: true }, x, y, 6.5)), one.look));
    tip.textContent = tell(one, cursor.record).join("\n");
    const left = x + 14 + tip.offsetWidth > root.clientWidth ? x - tip.offsetWidth - 14 : x + 14;
    tip.style.left = Math.max(0, Math.min(left, root.clientWidth - tip.offsetWidth)) + "px";
    tip.style.top = Math.max(0, y - tip.offsetHeight - 12) + "px";
    reading(one, cursor.record);
  }
  const follow = (event) => {
    const box = svg.getBoundingClientRect();
    if (drawn.shown.length) show(nearest(drawn.shown, event.clientX - box.left, event.clientY - box.top));
  };
  root.addEventListener("pointermove", follow);
  root.addEventListener("pointerdown", follow);
  root.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && show(null));
  root.addEventListener("blur", () => show(null));
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return show(null);
    const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!move || !drawn.shown.length) return;
    event.preventDefault();
    const [along, over] = move, count = drawn.shown.length;
    const series = cursor ? (cursor.series + over + count) % count : 0;
    const end = drawn.shown[series].points.length - 1;
    show({ series, record: cursor ? Math.max(0, Math.min(end, cursor.record + along)) : end });
    spoken.textContent = tell(drawn.shown[series], cursor.record).join(", ");
  });
  new ResizeObserver(() => {
    if (!view || !root.clientWidth || root.clientWidth === width) return;
    width = root.clientWidth;
    redraw(view);
  }).observe(root);
  return redraw;
}
