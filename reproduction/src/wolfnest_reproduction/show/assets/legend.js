// The legend switches methods on and off and shows their values; what is said of a record.

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
      for (const input of field.querySelectorAll("[data-name]")) input.checked = all.checked;
      refresh(true);
      mark(field, series, tell);
    });
    for (const one of series) {
      const name = one.look.name, input = make("input", { type: "checkbox", "data-name": name });
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
  const curves = [...root.querySelectorAll(".curve")];
  const there = curves.some((node) => node.dataset.name === name);
  for (const node of curves) node.classList.toggle("faint", there && node.dataset.name !== name);
}

// Values beside the names: where a curve is read, or at the end of each.
function readings(read = null, record = 0) {
  const x = read && read.x[record];
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

function tell(one, i) {
  const curve = one.curve, lines = [one.look.name, `${DATA.criteria[state.c]} ${number(one.mean[i])}`];
  if (Number.isFinite(one.low[i])) lines.push(`95 %: ${number(one.low[i])} to ${number(one.high[i])}`);
  if (one.exact) return [...lines, `after ${number(one.x[i])} ${view.unit}, on all data`];
  const [step, samples, lmo] = ["step", "samples", "lmo"].map((axis) => unpack(curve.x[axis])[i]);
  const seconds = unpack(curve.x.time)[i];
  lines.push(`after ${number(seconds * 1e3)} ms, ${number(step)} iterations, ${number(samples)} samples, ${number(lmo)} LMO calls`);
  return lines;
}
