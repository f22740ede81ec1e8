// Packed curves, scales, ticks, and numbers as text. Nothing here touches the page.

function unpack(packed) {
  let sum = 0;
  return packed.slice(1).map((step) => (step === null ? NaN : (sum += step) * packed[0]));
}

const power = (values) => values.map((value) => 10 ** value);
const add = (a, b, sign) => a.map((value, i) => value + sign * b[i]);

// Mean, low and high of a curve's criterion (NaN where it has no band), or null where it was not
// measured.
function band(curve, criterion, linear) {
  const packed = curve.y[criterion];
  if (!packed) return null;
  const mean = unpack(packed[0]), half = packed[1] ? unpack(packed[1]) : mean.map(() => NaN);
  const found = [mean, add(mean, half, -1), add(mean, half, 1)];
  const [center, low, high] = linear ? found : found.map(power);
  return { mean: center, low, high };
}

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

// Where axes end, so that one slow or diverging method does not hide the others (as in figures).
function across(series, log) {
  const all = series.flatMap((one) => one.x.filter((x) => !log || x > 0));
  if (!all.length) return null;
  const ends = series.map((one) => Math.max(...one.x));
  if (log) return [Math.min(...all), Math.max(...all) * 1.02];
  return [0, Math.min(Math.max(...ends), 2 * median(ends)) * 1.02 || 1];
}

// Other values that lie up to a decade below the curves are still taken in.
function upward(series, log, others) {
  const curves = series.map((one) => one.mean.filter((y) => Number.isFinite(y) && (!log || y > 0))).filter((y) => y.length);
  if (!curves.length) return null;
  const start = Math.max(...curves.map((curve) => curve[0]));
  let low = Math.min(...curves.flat()), high = Math.max(...curves.flat());
  if (log) {
    if (others.some((y) => y > 0 && y < low)) low = Math.max(low / 10, Math.min(...others.filter((y) => y > 0)));
    high = Math.min(high, 10 * start);
    const margin = high > low ? (high / low) ** 0.05 : 2;
    return [low / margin, high * margin];
  }
  if (start > low) high = Math.min(high, 2 * start - low);
  const margin = 0.05 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - margin, high + margin];
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
