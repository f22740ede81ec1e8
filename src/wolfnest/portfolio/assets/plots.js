// Plots of a portfolio: every curve can be switched, and tells its values.

for (const root of document.querySelectorAll("[data-plot]")) {
  const given = DATA.plots[root.dataset.plot];
  const series = given.series.map((one) => ({ ...one, on: true, x: unpack(one.x), mean: (given.ylog ? power : (y) => y)(unpack(one.y)) }));
  const view = { ...given, series, xlog: false, whole: true, none: "Nothing is switched on.", shape: { share: 0.5, least: 300, most: 430 } };
  const tell = (one, i) => [one.look.name, ...(one.labels ? one.labels[i].split("\n")
    : [`${view.xName}: ${number(one.x[i], 4)}`, `${view.yName}: ${number(one.mean[i], 4)}`])];
  const redraw = chart(root, tell);
  if (series.length > 1) {
    root.before(make("div", { class: "keys", role: "group", "aria-label": "Curves of " + root.getAttribute("aria-label") }, ...series.map((one) => {
      const box = make("input", { type: "checkbox" });
      box.checked = one.on;
      box.addEventListener("change", () => { one.on = box.checked; redraw(view); });
      return make("label", {}, box, swatch(one.look), one.look.name);
    })));
  }
  redraw(view);
}
