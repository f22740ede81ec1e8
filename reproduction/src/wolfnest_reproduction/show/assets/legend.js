// The legend switches methods on and off and shows their values; the pointer reads the curves.

function legend() {
  const box = by("legend");
  box.replaceChildren();
  for (const [key, title] of Object.entries(DATA.groupNames)) {
    const series = view.series.filter((one) => one.look.group === key);
    if (!series.length) continue;
    const all = make("input", { type: "checkbox", "data-group": key });
    const field = make("fieldset", {}, make("legend", {}, make("label", {}, all, title)));
    const tell = () => {
      const on = series.filter((one) => one.on).length;
      all.checked = on === series.length;
      all.indeterminate = on > 0 && on < series.length;
    };
    all.addEventListener("change", () => {
      for (const one of series) switchTo(one.look.name, all.checked);
      for (const input of field.querySelectorAll("[data-method]")) input.checked = all.checked;
      refresh(true);
      mark(field, series, tell);
    });
    for (const one of series) {
      const name = one.look.name, input = make("input", { type: "checkbox", "data-method": name });
      input.checked = one.on;
      input.addEventListener("change", () => {
        switchTo(name, input.checked);
        refresh(true);
        mark(field, series, tell);
      });
      const row = make("div", { class: "row" }, make("label", {}, input, swatch(one.look), make("span", {}, name)), make("output", { "data-value": name }));
      row.addEventListener("pointerenter", () => emphasise(name));
      row.addEventListener("pointerleave", () => emphasise(null));
      field.append(row);
    }
    box.append(field);
    mark(field, series, tell);
  }
  if (view.absent.length) {
    const why = state.x === "lmo" ? "No LMO calls (these project): " : "Not measured: ";
    box.append(make("p", { class: "quiet" }, why + view.absent.join(", ") + "."));
  }
  if (view.timeless.length) {
    box.append(make("p", { class: "quiet" }, `Only against time: ${view.timeless.join(", ")}. They use all data in every step and draw no batches, so there is nothing to count here.`));
  }
}

function switchTo(name, on) {
  if (on) state.off.delete(name);
  else state.off.add(name);
}

function mark(field, series, tell) {
  for (const one of series) one.on = !state.off.has(one.look.name);
  for (const row of field.querySelectorAll(".row")) row.classList.toggle("off", !row.querySelector("input").checked);
  tell();
}

function emphasise(name) {
  const curves = [...by("chart").querySelectorAll(".curve")];
  const there = curves.some((node) => node.dataset.method === name);
  for (const node of curves) node.classList.toggle("faint", there && node.dataset.method !== name);
}

// Values beside the names: where the pointer is, or at the end of each curve.
function readings(x = null) {
  for (const output of by("legend").querySelectorAll("output")) {
    const one = view.series.find((other) => other.look.name === output.dataset.value);
    const done = one.exact && x > one.x[one.x.length - 1];
    const value = x === null || done ? last(one) : at(one, x, view.ylog);
    output.textContent = number(value) + (one.lost ? " †" : "");
    output.title = one.lost ? `${one.lost} of ${one.seeds} runs lost` : "";
  }
}

function last(one) {
  for (let i = one.mean.length - 1; i >= 0; i--) if (Number.isFinite(one.mean[i])) return one.mean[i];
  return NaN;
}

function tell() {
  const one = drawn.shown[cursor.series], i = cursor.record, curve = one.curve;
  const lines = [one.look.name, `${DATA.criteria[state.c]} ${number(one.mean[i])}`];
  if (Number.isFinite(one.low[i])) lines.push(`95 %: ${number(one.low[i])} to ${number(one.high[i])}`);
  if (one.exact) return [...lines, `after ${number(one.x[i])} ${view.unit}, on all data`];
  const [step, samples, lmo] = ["step", "samples", "lmo"].map((axis) => unpack(curve.x[axis])[i]);
  const seconds = unpack(curve.x.time)[i];
  lines.push(`after ${number(seconds * 1e3)} ms, ${number(step)} iterations, ${number(samples)} samples, ${number(lmo)} LMO calls`);
  return lines;
}

function show(next) {
  cursor = next;
  const place = point(by("chart"), drawn, cursor), tip = by("tip");
  tip.hidden = !place;
  if (!place) return readings();
  tip.textContent = tell().join("\n");
  const wide = by("plot").clientWidth, left = place[0] + 14 + tip.offsetWidth > wide ? place[0] - tip.offsetWidth - 14 : place[0] + 14;
  tip.style.left = Math.max(0, Math.min(left, wide - tip.offsetWidth)) + "px";
  tip.style.top = Math.max(0, place[1] - tip.offsetHeight - 12) + "px";
  readings(drawn.shown[cursor.series].x[cursor.record]);
}

function pointing() {
  const plot = by("plot");
  const follow = (event) => {
    if (!drawn.shown.length) return;
    const box = by("chart").getBoundingClientRect();
    show(nearest(drawn.shown, event.clientX - box.left, event.clientY - box.top));
  };
  plot.addEventListener("pointermove", follow);
  plot.addEventListener("pointerdown", follow);
  plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && show(null));
  plot.addEventListener("blur", () => show(null));
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return show(null);
    const [along, over] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] || [0, 0];
    if ((!along && !over) || !drawn.shown.length) return;
    event.preventDefault();
    const count = drawn.shown.length;
    const series = cursor ? (cursor.series + over + count) % count : 0;
    const most = drawn.shown[series].points.length - 1;
    const record = cursor ? Math.max(0, Math.min(most, cursor.record + along)) : most;
    show({ series, record });
    by("spoken").textContent = tell().join(", ");
  });
}
