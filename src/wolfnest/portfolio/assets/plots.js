// Plots of a portfolio: curves and places in a plane, a key to switch curves, values to be read.

const DATA = JSON.parse(document.getElementById("payload").textContent);

function extent(view) {
  const curves = view.series.filter((one) => one.on);
  const inside = [...curves.flatMap((one) => one.points), ...view.places.map((one) => [one.x, one.y])];
  const range = (values, log) => {
    const fit = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
    if (!fit.length) return null;
    const low = Math.min(...fit), high = Math.max(...fit);
    if (log) return high > low ? [low / (high / low) ** 0.04, high * (high / low) ** 0.04] : [low / 2, high * 2];
    const margin = 0.04 * (high - low) || 0.04 * Math.abs(high) || 1;
    return [low - margin, high + margin];
  };
  return { x: range(inside.map((point) => point[0]), view.xlog), y: range(inside.map((point) => point[1]), view.ylog) };
}

function cross(one, px, py, box) {
  const right = px > (box.left + box.right) / 2;
  return make("svg:g", { class: "place", "data-name": one.name },
    make("svg:path", { d: `M${short(px - 5)} ${short(py)}h10m-5 -5v10`, class: "frame", "stroke-width": one.strong ? 3 : 1.5 }),
    make("svg:text", { x: short(px + (right ? -8 : 8)), y: short(py), dy: "0.33em", "text-anchor": right ? "end" : "start" }, one.name));
}

function drawPlot(svg, view) {
  const width = Math.max(280, Math.round(svg.parentNode.clientWidth));
  const height = Math.round(Math.min(430, Math.max(300, width * 0.5)));
  const box = { left: 58, right: width - 10, top: 24, bottom: height - 44 };
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const domain = extent(view);
  if (!domain.x || !domain.y) {
    svg.append(make("svg:text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "Nothing is switched on."));
    return { box, shown: [] };
  }
  const sx = scale(domain.x, [box.left, box.right], view.xlog), sy = scale(domain.y, [box.bottom, box.top], view.ylog);
  const placeY = (value) => (view.ylog && value <= 0 ? NaN : sy(value));
  axes(svg, view, box, sx, sy, domain);
  const shown = view.series.filter((one) => one.on);
  for (const one of shown) {
    one.pixels = one.points.map(([x, y]) => [sx(x), placeY(y)]);
    const group = inked(make("svg:g", { class: "curve", "data-name": one.look.name }), one.look);
    group.append(make("svg:path", { class: "stroke", d: line(one.pixels), "stroke-width": one.look.width, "stroke-dasharray": one.look.dash }));
    if (one.marked) one.pixels.filter((point) => point.every(Number.isFinite)).forEach(([x, y]) => group.append(marker(one.look, x, y, 3.2)));
    svg.append(group);
  }
  for (const one of view.places) svg.append(cross(one, sx(one.x), placeY(one.y), box));
  return { box, shown };
}

function closest(shown, px, py) {
  let best = null, least = Infinity;
  shown.forEach((one) => one.pixels.forEach(([x, y], at) => {
    const distance = (x - px) ** 2 + (y - py) ** 2;
    if (distance < least) [best, least] = [{ one, at }, distance];
  }));
  return best;
}

function keys(holder, view, again) {
  if (view.series.length < 2) return;
  holder.append(...view.series.map((one) => {
    const box = make("input", { type: "checkbox" });
    box.checked = one.on;
    box.addEventListener("change", () => { one.on = box.checked; again(); });
    return make("label", {}, box, swatch(one.look), one.look.name);
  }));
}

function plot(root) {
  const given = DATA.plots[root.dataset.plot], svg = root.querySelector("svg"), tip = root.querySelector(".tip");
  const spoken = root.querySelector(".hidden");
  const series = given.series.map((one) => {
    const x = unpack(one.x), y = one.log ? unpack(one.y).map((value) => 10 ** value) : unpack(one.y);
    return { ...one, points: x.map((value, i) => [value, y[i]]), on: true };
  });
  const view = { ...given, series };
  let drawn = null, cursor = null, width = 0;
  const again = () => { cursor = null; tip.hidden = true; drawn = drawPlot(svg, view); };
  function show() {
    svg.querySelectorAll(".cursor, .dot").forEach((node) => node.remove());
    tip.hidden = !cursor;
    if (!cursor) return;
    const { one, at } = cursor, [x, y] = one.pixels[at];
    svg.append(make("svg:path", { d: `M${short(x)} ${drawn.box.top}V${drawn.box.bottom}`, class: "cursor" }),
      inked(make("svg:g", { class: "dot" }, marker({ ...one.look, filled: true }, x, y, 6)), one.look));
    const [px, py] = one.points[at];
    const label = one.labels ? one.labels[at] : `${view.xName}: ${number(px, 4)}\n${view.yName}: ${number(py, 4)}`;
    tip.textContent = `${one.look.name}\n${label}`;
    spoken.textContent = tip.textContent.replaceAll("\n", ", ");
    const room = svg.clientWidth - tip.offsetWidth;
    tip.style.left = Math.max(0, Math.min(room, x + 12)) + "px";
    tip.style.top = Math.max(0, y - tip.offsetHeight - 10) + "px";
  }
  root.addEventListener("pointermove", (event) => {
    const at = svg.getBoundingClientRect();
    cursor = closest(drawn.shown, event.clientX - at.left, event.clientY - at.top);
    show();
  });
  root.addEventListener("pointerleave", () => { cursor = null; show(); });
  root.addEventListener("keydown", (event) => {
    const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") { cursor = null; show(); }
    if (!move || !drawn.shown.length) return;
    event.preventDefault();
    const now = cursor ? drawn.shown.indexOf(cursor.one) : 0, count = drawn.shown.length;
    const one = drawn.shown[(now + move[1] + count) % count];
    const next = cursor ? cursor.at + move[0] : 0;
    cursor = { one, at: Math.max(0, Math.min(one.points.length - 1, next)) };
    show();
  });
  keys(root.parentNode.querySelector(".keys"), view, again);
  new ResizeObserver(() => {
    if (root.clientWidth && root.clientWidth !== width) { width = root.clientWidth; again(); }
  }).observe(root);
  again();
}

document.querySelectorAll("[data-plot]").forEach(plot);
