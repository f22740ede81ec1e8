// The box above a long table: only rows with all of its words are shown.

for (const input of document.querySelectorAll("input[data-filter]")) {
  const rows = [...by(input.dataset.filter).querySelectorAll("tbody tr")];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  });
}
