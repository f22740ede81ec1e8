// The chart in words, as a table and as CSV.

function caption() {
  const shown = drawn.shown, batch = view.chosen.b.join(" or ");
  const where = [state.d, state.s].filter(Boolean).join(", ");
  const parts = [`${NAMES.e(state.e)}, ${where}, batch ${batch}: ${DATA.criteria[state.c]} against ${DATA.axes[state.x] === "LMO calls" ? "LMO calls" : DATA.axes[state.x].toLowerCase()}.`];
  const sampled = shown.filter((one) => !one.exact), said = (one) => `${one.look.name} (${number(last(one))} after ${number(one.x[one.x.length - 1])} ${view.unit})`;
  const finals = sampled.map((one) => [last(one), one.look.name]).sort((a, b) => a[0] - b[0]);
  if (finals.length > 1) {
    const [low, high] = [finals[0], finals[finals.length - 1]];
    parts.push(`Lowest at its end: ${low[1]} (${number(low[0])}); highest: ${high[1]} (${number(high[0])}).`);
  }
  const seeds = unique(sampled.map((one) => one.seeds)).sort((a, b) => a - b);
  if (seeds.length) parts.push(`${view.linear ? "Means" : "Geometric means"} over ${seeds.length > 1 ? seeds[0] + " to " + seeds[seeds.length - 1] : seeds[0]} runs.`);
  if (drawn.beyond.length) parts.push(`Runs on beyond the right edge (a logarithmic scale shows it): ${drawn.beyond.join(", ")}.`);
  if (drawn.above.length) parts.push(`Leaves the chart at the top: ${drawn.above.join(", ")}.`);
  const lost = shown.filter((one) => one.lost).map((one) => `${one.look.name} (${one.lost} of ${one.seeds} runs)`);
  if (lost.length) parts.push(`† Diverged, and left out of the average from then on: ${lost.join(", ")}.`);
  if (view.negative && state.ylog) parts.push("Linear upwards, since some values are not positive.");
  if (drawn.below.length) parts.push(`Leaves the chart at the bottom: ${drawn.below.map(said).join(", ")}.`);
  if (drawn.outside.length) parts.push(`Beyond the right edge: ${drawn.outside.map(said).join(", ")}.`);
  if (view.timeless.length) parts.push(`Solvers without sampling draw no batches: choose time to see them (${view.timeless.join(", ")}).`);
  by("curves-caption").textContent = parts.join(" ");
}

function values() {
  const table = by("values");
  table.replaceChildren();
  if (!drawn.shown.length) return;
  const end = drawn.limits.x[1] / 1.02, stops = [0.25, 0.5, 0.75, 1].map((share) => share * end);
  const unit = view.unit ? " " + view.unit : "";
  const head = ["Method", ...stops.map((x) => "at " + number(x) + unit), "at its end", "95 % interval there", "its end"];
  const cells = (tag, texts) => make("tr", {}, ...texts.map((text, i) => make(tag, tag === "th" ? { scope: "col", class: i ? "n" : "" } : { class: i ? "n" : "keep" }, text)));
  table.append(make("thead", {}, cells("th", head)));
  const body = make("tbody");
  for (const one of drawn.shown) {
    const k = one.mean.findLastIndex(Number.isFinite);
    body.append(cells("td", [one.look.name, ...stops.map((x) => number(at(one, x, view.ylog))), number(one.mean[k]),
      Number.isFinite(one.low[k]) ? number(one.low[k]) + " to " + number(one.high[k]) : "–", number(one.x[k]) + unit]));
  }
  table.append(body);
}

const quoted = (value) => (/[",\n]/.test(String(value)) ? '"' + String(value).replaceAll('"', '""') + '"' : String(value));
const exact = (value) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : "");

function csv() {
  const rows = [["experiment", "data", "setting", "horizon", "method", "group", "seeds", "step", "time", "samples", "lmo", "criterion", "mean", "low", "high"]];
  for (const one of drawn.shown) {
    const [step, time, samples, lmo] = ["step", "time", "samples", "lmo"].map((axis) => (one.curve.x[axis] ? unpack(one.curve.x[axis]) : []));
    one.mean.forEach((mean, i) => rows.push([state.e, state.d, state.s, state.h, one.look.name, one.look.group, one.seeds,
      step[i] ?? "", exact(time[i]), samples[i] ?? "", lmo[i] ?? "", state.c, exact(mean), exact(one.low[i]), exact(one.high[i])]));
  }
  return rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

function download() {
  const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  const name = [state.e, state.d, state.s, state.h, state.c].filter(Boolean).join("-").replaceAll("λ", "lambda").replace(/[^A-Za-z0-9.]+/g, "-");
  const link = make("a", { href: address, download: name + ".csv" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
