// What is chosen, where it is kept (the address), and the controls that change it.

const root = document.querySelector("[data-plot]"), redraw = chart(root, tell, readings);
const PICKS = ["e", "d", "s", "h", "c", "x"], FLAGS = ["ylog", "xlog", "band"];
const SHOWN_AT_FIRST = new Set(["ours", "rivals", "automatic", "exact", "other"]);
const state = { ylog: true, xlog: false, band: true, off: new Set() };
let drawn = null, view = null;

const unique = (values) => [...new Set(values)];
const offAtFirst = () => new Set(DATA.methods.filter((one) => !SHOWN_AT_FIRST.has(one.group)).map((one) => one.name));

function options(id) {
  const groups = DATA.groups.filter((one) => PICKS.slice(0, PICKS.indexOf(id)).every((key) => !(key in one) || String(one[key]) === state[key]));
  if (id === "c") return Object.keys(DATA.criteria).filter((name) => groups[0].curves.some((curve) => curve.y[name]));
  if (id === "x") return Object.keys(DATA.axes);
  return unique(groups.map((one) => String(one[id])));
}

const NAMES = {
  e: (value) => value + (DATA.experiments[value].title === value ? "" : ": " + DATA.experiments[value].title),
  d: (value) => value,
  s: (value) => value || "(none)",
  h: (value) => number(Number(value)) + " iterations",
  c: (value) => DATA.criteria[value],
  x: (value) => DATA.axes[value],
};

// Take the wish where it exists, else what was chosen, else the first there is.
function settle(wish = {}) {
  for (const id of PICKS) {
    const there = options(id);
    const preferred = id === "c" ? ["frank_wolfe_gap"] : [];
    state[id] = [wish[id], state[id], ...preferred].find((value) => there.includes(value)) ?? there[0];
    const select = by(id);
    select.replaceChildren(...there.map((value) => make("option", { value }, NAMES[id](value))));
    select.value = state[id];
    select.disabled = there.length < 2;
    select.parentNode.hidden = there.length === 1 && there[0] === "";
  }
  for (const flag of FLAGS) if (flag in wish) state[flag] = wish[flag];
  if (wish.off) state.off = wish.off;
  for (const flag of FLAGS) by(flag).checked = state[flag];
}

function fromAddress() {
  if (!location.hash.includes("=")) return null;
  const given = new URLSearchParams(location.hash.slice(1)), wish = {};
  for (const id of PICKS) if (given.has(id)) wish[id] = given.get(id);
  for (const flag of FLAGS) if (given.has(flag)) wish[flag] = given.get(flag) === "1";
  if (given.has("off")) wish.off = new Set(given.get("off").split("~").filter(Boolean));
  return wish;
}

function toAddress() {
  const given = new URLSearchParams(PICKS.map((id) => [id, state[id]]));
  for (const flag of FLAGS) given.set(flag, state[flag] ? "1" : "0");
  const off = [...state.off].sort().join("~");
  if (off !== [...offAtFirst()].sort().join("~")) given.set("off", off);
  try { history.replaceState(null, "", "#" + given); } catch { location.hash = given; }
}

// Mean, low and high of a curve's criterion (NaN where it has no band), or null where it was not
// measured.
function measured(curve, linear) {
  const packed = curve.y[state.c], scaled = linear ? (values) => values : power;
  if (!packed) return null;
  const mean = unpack(packed[0]), half = packed[1] ? unpack(packed[1]) : mean.map(() => NaN);
  const beside = (sign) => scaled(mean.map((value, i) => value + sign * half[i]));
  return { mean: scaled(mean), low: beside(-1), high: beside(1) };
}

const group = () => DATA.groups.find((one) => ["e", "d", "s", "h"].every((key) => String(one[key]) === state[key]));

function timeUnit(series) {
  const end = Math.max(0, ...series.flatMap((one) => one.x));
  return end >= 1 || end === 0 ? [1, "s"] : end >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
}

// The chosen curves; solvers without sampling draw no batches, so they only have a time.
function look() {
  const chosen = group(), linear = DATA.linear.includes(state.c), timed = state.x === "time";
  const solvers = DATA.exact.filter((one) => one.e.includes(state.e) && one.d === state.d && one.s === state.s);
  const series = [];
  for (const curve of [...chosen.curves, ...(timed ? solvers : [])]) {
    const found = measured(curve, linear), style = DATA.methods[curve.m];
    if (!found) continue;
    const x = unpack(curve.x[state.x]);
    if (!timed && Math.max(...x) === 0) continue;  // methods that project make no LMO calls
    const exact = style.group === "exact";
    series.push({ look: style, exact, curve, x, ...found, marks: "some", seeds: exact ? 1 : curve.n, lost: (curve.lost || {})[state.c] || 0, on: !state.off.has(style.name) });
  }
  const names = (curves) => unique(curves.map((curve) => DATA.methods[curve.m].name));
  const without = (curves) => curves.filter((curve) => !series.some((one) => one.curve === curve));
  const [factor, unit] = timed ? timeUnit(series.filter((one) => !one.exact)) : [1, ""];
  for (const one of series) one.x = one.x.map((value) => value * factor);
  const negative = series.some((one) => one.mean.some((value) => value <= 0));
  return {
    series, unit, negative, linear, chosen, places: [], none: "No method is switched on.",
    shape: { share: 0.6, least: 320, most: 500 },
    absent: names(without(timed ? [...chosen.curves, ...solvers] : chosen.curves)),
    timeless: timed ? [] : names(solvers),
    ylog: state.ylog && !negative, xlog: state.xlog, band: state.band,
    xLabel: DATA.axes[state.x] + (unit ? ` (${unit})` : "") + " →",
    yLabel: "↑ " + DATA.criteria[state.c] + ", lower is better",
  };
}

function refresh(keepLegend = false) {
  view = look();
  by("ylog").disabled = view.negative;
  by("ylog").parentNode.title = view.negative ? "Values below zero have no logarithm." : "";
  by("about").textContent = DATA.experiments[state.e].text;
  if (!keepLegend) legend();
  drawn = redraw(view);
  readings();
  caption();
  values();
  toAddress();
}

function change(wish) {
  settle(wish);
  refresh();
}

function start() {
  state.off = offAtFirst();
  settle(fromAddress() || {});
  for (const id of PICKS) by(id).addEventListener("change", (event) => change({ [id]: event.target.value }));
  for (const flag of FLAGS) by(flag).addEventListener("change", (event) => change({ [flag]: event.target.checked }));
  by("pick").addEventListener("submit", (event) => event.preventDefault());
  by("csv").addEventListener("click", download);
  addEventListener("hashchange", () => {
    const wish = fromAddress();
    if (!wish) return;
    change({ off: offAtFirst(), ...wish });
    by("curves").scrollIntoView();
  });
  const address = location.hash;
  refresh();
  if (address && !address.includes("=")) history.replaceState(null, "", address);
  comparisons();
}

start();
