// The chart: curves, bands, markers and axes as SVG, from a view that says what to show.

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
function trace(one, view, box, columns, placeY, first) {
  const group = inked(make("svg:g", { class: "curve", "data-method": one.look.name }), one.look);
  if (view.band && !one.exact) group.append(make("svg:path", { class: "band", d: ribbon(columns, one.low.map(placeY), one.high.map(placeY)) }));
  group.append(make("svg:path", { class: "stroke", d: line(one.points), "stroke-width": one.look.width, "stroke-dasharray": one.look.dash }));
  let next = box.left + first;
  for (const [px, py] of one.points) {
    if (!(px >= next) || !Number.isFinite(py)) continue;
    group.append(marker(one.look, px, py));
    next = px + 80;
  }
  return group;
}

// A solver that only says when it was done: a line at that time, with its name.
function moment(one, box, px, row) {
  const right = px > (box.left + box.right) / 2, narrow = box.right - box.left < 420;
  return inked(make("svg:g", { class: "curve moment", "data-method": one.look.name },
    make("svg:path", { class: "stroke", d: `M${short(px)} ${box.top}V${box.bottom}`, "stroke-width": one.look.width / 2, "stroke-dasharray": one.look.dash }),
    make("svg:text", { x: short(px + (right ? -6 : 6)), y: box.top + 12 + 15 * row, "text-anchor": right ? "end" : "start" },
      narrow ? one.look.name : `${one.look.name} done: ${number(one.mean[0])}`)), one.look);
}

// Draw a view into the svg; returns the scales and what could not be shown, for hovering and the
// caption.
function draw(svg, view) {
  const width = Math.max(280, Math.round(svg.parentNode.clientWidth));
  const height = Math.round(Math.min(500, Math.max(320, width * 0.6)));
  const box = { left: 58, right: width - 10, top: 24, bottom: height - 44 };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const shown = view.series.filter((one) => one.on && one.mean.some(Number.isFinite));
  // Solvers without sampling do not stretch the axes, unless they are alone.
  const sampled = shown.filter((one) => !one.exact), main = sampled.length ? sampled : shown;
  const x = across(main, view.xlog);
  const others = x ? shown.filter((one) => one.exact).flatMap((one) => one.mean.filter((_, i) => one.x[i] <= x[1])) : [];
  const y = x && upward(main, view.ylog, others);
  if (!y) {
    const why = view.series.some((one) => one.on) ? "Not measured here." : "No method is switched on.";
    svg.append(make("svg:text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, why));
    return { shown: [], box, beyond: [], above: [], below: [], outside: [] };
  }
  const sx = scale(x, [box.left, box.right], view.xlog), sy = scale(y, [box.bottom, box.top], view.ylog);
  axes(svg, view, box, sx, sy, { x, y });
  const clip = make("svg:clipPath", { id: "inside" },
    make("svg:rect", { x: box.left, y: box.top - 5, width: box.right - box.left + 5, height: box.bottom - box.top + 10 }));
  const layer = make("svg:g", { "clip-path": "url(#inside)" });
  // What cannot be placed on a logarithmic scale is left out, not drawn at some edge.
  const placeX = (value) => (view.xlog && value <= 0 ? NaN : sx(value));
  const placeY = (value) => (view.ylog && value <= 0 ? NaN : sy(value));
  const outside = [], moments = shown.filter((one) => one.exact && one.x.length === 1);
  // Thick and pale, they go below the others.
  [...shown].sort((a, b) => b.exact - a.exact).forEach((one, k) => {
    const columns = one.x.map(placeX);
    one.points = columns.map((px, i) => [px, placeY(one.mean[i])]);
    if (!moments.includes(one)) layer.append(trace(one, view, box, columns, placeY, (k * 37) % 80));
    else if (one.x[0] <= x[1]) layer.append(moment(one, box, columns[0], moments.indexOf(one)));
    if (one.exact && one.x.every((value) => value > x[1])) outside.push(one);
  });
  svg.append(clip, layer);
  const names = (series) => series.map((one) => one.look.name);
  const inside = shown.filter((one) => !outside.includes(one) && !moments.includes(one));
  return {
    shown, box, sx, sy, outside, domain: { x, y },
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

function point(svg, drawn, cursor) {
  svg.querySelectorAll(".cursor, .dot").forEach((node) => node.remove());
  svg.querySelectorAll(".curve").forEach((node) => node.classList.remove("faint"));
  if (!cursor) return null;
  const one = drawn.shown[cursor.series], [x, y] = one.points[cursor.record];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  svg.append(make("svg:path", { d: `M${short(x)} ${drawn.box.top}V${drawn.box.bottom}`, class: "cursor" }));
  const dot = make("svg:g", { class: "dot" }, marker({ ...one.look, filled: true }, x, y, 6.5));
  svg.append(inked(dot, one.look));
  return [x, y];
}
