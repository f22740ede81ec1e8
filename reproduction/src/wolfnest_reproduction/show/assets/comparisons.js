// The comparisons behind the claims: a long table, of which a part is chosen.

const FEW = 100;

function comparisons() {
  const data = JSON.parse(by("comparisons").textContent), box = by("compare");
  if (!box || !data.rows) return;
  const chosen = {}, form = make("form", { class: "controls" });
  let most = FEW;
  const column = (name) => data.columns.indexOf(name);
  const text = (row, k) => (data.levels[k] ? data.levels[k][data.cells[k][row]] : number(data.cells[k][row]));
  const every = [...Array(data.rows).keys()];
  const table = make("table"), note = make("p", { class: "quiet", "aria-live": "polite" });
  const more = make("button", { type: "button" }, "Show more");
  const fill = () => {
    const rows = every.filter((row) => Object.entries(chosen).every(([k, value]) => value === "" || data.levels[k][data.cells[k][row]] === value));
    const body = make("tbody");
    for (const row of rows.slice(0, most)) {
      body.append(make("tr", {}, ...data.columns.map((_, k) => make("td", { class: data.levels[k] ? "keep" : "n" }, text(row, k)))));
    }
    table.replaceChildren(make("thead", {}, make("tr", {}, ...data.titles.map((title, k) => make("th", { scope: "col", class: data.levels[k] ? "" : "n" }, title)))), body);
    note.textContent = `${number(rows.length)} comparisons` + (rows.length > most ? `, the first ${most} shown.` : ".");
    more.hidden = rows.length <= most;
  };
  for (const name of data.filters) {
    const k = column(name), select = make("select", {}, make("option", { value: "" }, "all"), ...data.levels[k].map((level) => make("option", { value: level }, level || "(none)")));
    chosen[k] = "";
    select.addEventListener("change", () => { chosen[k] = select.value; most = FEW; fill(); });
    form.append(make("label", {}, data.titles[k], select));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { most *= 5; fill(); });
  box.append(form, note, make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Comparisons" }, table), more);
  fill();
}
