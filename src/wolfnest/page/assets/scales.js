// Packed curves, scales, ticks, and numbers as text. Nothing here touches the page.

function unpack(packed) {
  let sum = 0;
  return packed.slice(1).map((step) => (step === null ? NaN : (sum += step) * packed[0]));
}

const power = (values) => values.map((value) => 10 ** value);

const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const raised = (power) => "10" + [...String(power)].map((digit) => SUPER[digit]).join("");

// A number for reading; few digits, an exponent only where it helps.
function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString("en-US");
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits)));
  return Number(value.toPrecision(digits)).toExponential().replace("e+", "e");
}

// Numbers at ticks: thousands and millions shortened.
function brief(value) {
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return value.toExponential().replace("e+", "e");
  if (size >= 1e6) return Number((value / 1e6).toPrecision(6)) + "M";
  if (size >= 1e4) return Number((value / 1e3).toPrecision(6)) + "k";
  return String(Number(value.toPrecision(10)));
}

function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * unit >= rough) * unit;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12) + 1e-300; k++) ticks.push(k * step);
  return ticks.map((value) => ({ value, text: brief(Number(value.toPrecision(12))) }));
}

// Decades, every so many of them; with 2 and 5 between where there are hardly any.
function logTicks(low, high, count) {
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const every = Math.max(1, Math.ceil((to - from) / count));
  const few = Math.log10(high / low) < 2;
  const ticks = [];
  for (let k = from; k <= to; k++) {
    if (!few && k % every) continue;
    for (const factor of few ? [1, 2, 5] : [1]) {
      const value = factor * 10 ** k;
      const plain = few || (k >= -2 && k <= 3 && from >= -2 && to <= 4);
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push({ value, text: plain ? brief(Number(value.toPrecision(3))) : raised(k) });
    }
  }
  return ticks;
}

function scale(domain, range, log) {
  const of = log ? Math.log10 : (value) => value;
  const [a, b] = domain.map(of), width = b - a || 1;
  return (value) => range[0] + ((of(value) - a) / width) * (range[1] - range[0]);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// From low to high and a share of that on both sides.
function padded(low, high, log, share) {
  const factor = high > low ? (high / low) ** share : 2;
  if (log) return [low / factor, high * factor];
  const margin = share * (high - low) || share * Math.abs(high) || 1;
  return [low - margin, high + margin];
}

// Where the axes of a chart end; null where there is nothing to show. A whole view shows all of its
// points. A comparison ends where one slow or diverging curve does not hide the others (as figures
// do); solvers without sampling do not stretch it, but those up to a decade below are taken in.
function axisLimits(view, shown) {
  const fit = (values, log) => values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const least = (values) => Math.min(...values), most = (values) => Math.max(...values);
  if (view.whole) {
    const x = fit([...shown.flatMap((one) => one.x), ...view.places.map((one) => one.x)], view.xlog);
    const y = fit([...shown.flatMap((one) => one.mean), ...view.places.map((one) => one.y)], view.ylog);
    if (!x.length || !y.length) return null;
    return { x: padded(least(x), most(x), view.xlog, 0.04), y: padded(least(y), most(y), view.ylog, 0.04) };
  }
  const sampled = shown.filter((one) => !one.exact), main = sampled.length ? sampled : shown;
  const xs = main.flatMap((one) => fit(one.x, view.xlog)), ends = main.map((one) => most(one.x));
  const curves = main.map((one) => fit(one.mean, view.ylog)).filter((curve) => curve.length);
  if (!xs.length || !curves.length) return null;
  const x = view.xlog ? [least(xs), most(xs) * 1.02] : [0, Math.min(most(ends), 2 * median(ends)) * 1.02 || 1];
  const start = most(curves.map((curve) => curve[0])), [low, high] = [least(curves.flat()), most(curves.flat())];
  if (!view.ylog) return { x, y: padded(low, start > low ? Math.min(high, 2 * start - low) : high, false, 0.05) };
  const below = shown.filter((one) => one.exact).flatMap((one) => one.mean.filter((y, i) => y > 0 && y < low && one.x[i] <= x[1]));
  return { x, y: padded(below.length ? Math.max(low / 10, least(below)) : low, Math.min(high, 10 * start), true, 0.05) };
}

// The value of a curve at x: between records straight on the chosen scale; NaN outside.
function at(one, x, log) {
  for (let i = 0; i < one.x.length; i++) {
    if (Math.abs(one.x[i] - x) <= 1e-9 * Math.abs(x)) return one.mean[i];
    if (one.x[i] > x) {
      if (i === 0) return NaN;
      const share = (x - one.x[i - 1]) / (one.x[i] - one.x[i - 1]);
      const [a, b] = [one.mean[i - 1], one.mean[i]];
      return log ? a * (b / a) ** share : a + share * (b - a);
    }
  }
  return NaN;
}
