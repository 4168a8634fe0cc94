"use strict";

// The view of a leaderboard: ranks among "reproduced" models, or among "all". Other pages have no views.
const board = document.querySelector("[data-view]");
const isInView = (element) => element.dataset.views === undefined || element.dataset.views.split(" ").includes(board.dataset.view);

// Sorting: the button of a column sorts by it. Rows without a number stay at the bottom, and equal rows keep their initial
// order. Rows that are not in the view are in the second body of their table.
const tables = Array.from(document.querySelectorAll("table.sortable"), (table) => {
  const bodies = Array.from(table.tBodies);
  const rows = bodies.flatMap((body) => Array.from(body.rows)).filter((row) => !row.matches(".divider"));
  const first = rows.sort((a, b) => (a.dataset.order ?? 0) - (b.dataset.order ?? 0));
  const headers = Array.from(table.tHead.rows[0].cells);
  let sorted = first;
  headers.forEach((header, column) => {
    if (header.dataset.sort === undefined) return;
    const label = header.querySelector(".sort") ?? header;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...label.childNodes);
    label.append(button);
    button.addEventListener("click", () => sortBy(column, header));
  });

  function sortBy(column, header) {
    const numeric = header.dataset.sort === "number";
    const next = { ascending: "descending", descending: "ascending" }[header.getAttribute("aria-sort")];
    const order = next || (numeric ? "descending" : "ascending");
    const sign = order === "ascending" ? 1 : -1;
    sorted = first.slice().sort((left, right) => {
      const [a, b] = [readKey(left.cells[column]), readKey(right.cells[column])];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (numeric ? a - b : a.localeCompare(b, "en", { numeric: true }));
    });
    for (const cell of headers) cell.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    arrange();
  }

  function readKey(cell) {
    if (cell.dataset.all !== undefined && board.dataset.view === "all") return cell.dataset.all;
    return cell.dataset.value ?? cell.textContent;
  }

  function arrange() {
    for (const row of sorted) bodies[isInView(row) ? 0 : 1].append(row);
  }

  function hideEmptyBody() {
    if (bodies.length > 1) bodies[1].hidden = Array.from(bodies[1].rows).slice(1).every((row) => row.hidden);
  }

  return { arrange, hideEmptyBody };
});

// A link to a folded part unfolds it.
function unfold(address) {
  const target = document.getElementById(decodeURIComponent(address.slice(1)));
  if (target?.matches("details")) target.open = true;
  return target;
}
addEventListener("hashchange", () => unfold(location.hash));
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link) unfold(link.getAttribute("href"));
});
unfold(location.hash)?.scrollIntoView();

// A line above each table that is wider than its box.
for (const box of document.querySelectorAll(".scroll")) {
  const hint = document.createElement("p");
  hint.className = "hint muted";
  hint.textContent = "This table is wider than the page. Scroll it sideways →";
  box.before(hint);
  new ResizeObserver(() => { hint.hidden = box.scrollWidth <= box.clientWidth; }).observe(box);
}

if (board) setUpFilters(board.querySelector("form.filters"));

// Filters: an entry stays in every table and chart if it fits every field of the form.
function setUpFilters(form) {
  const entries = Array.from(document.querySelectorAll("#overview-table tr[data-entry]"), (row) => row.dataset);
  const fields = Array.from(form.querySelectorAll("select, input:not([type=checkbox])"));
  const rows = document.querySelectorAll("tr[data-entry]");
  const charts = document.querySelectorAll("[data-most]");
  form.hidden = false;
  form.querySelector("details").open = matchMedia("(min-width: 48rem)").matches;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("button").addEventListener("click", () => { form.reset(); apply(); });
  apply();

  function apply() {
    const view = board.dataset.view;
    if (form.elements.all) board.dataset.view = form.elements.all.checked ? "all" : "reproduced";
    const fitting = new Set(entries.filter((entry) => fields.every((field) => fits(entry, field))).map((entry) => entry.entry));
    for (const row of rows) row.hidden = !fitting.has(row.dataset.entry);
    for (const table of tables) {
      if (board.dataset.view !== view) table.arrange(); // slow with hundreds of rows
      table.hideEmptyBody();
    }
    for (const chart of charts) showBest(chart, fitting);
    form.querySelector("[role=status]").textContent = fitting.size + " of " + entries.length + " entries shown";
  }

  function showBest(chart, fitting) {
    const most = Number(chart.dataset.most);
    let models = 0;
    for (const item of chart.querySelectorAll("[data-entry]")) {
      const isShown = fitting.has(item.dataset.entry) && isInView(item);
      const isModel = !item.matches(".shortcut");
      models += isShown && isModel;
      item.toggleAttribute("hidden", !isShown || (isModel && models > most)); // SVG elements do not have the property
    }
    chart.closest("figure").querySelector("[data-count]").textContent = Math.min(models, most) + " of " + models;
  }

  function fits(entry, field) {
    if (field.value === "") return true;
    const value = entry[field.name];
    if (field.type === "number") return value === "" || Number(value) <= Number(field.value);
    if (field.type === "search") return value.toLowerCase().includes(field.value.toLowerCase());
    return value === field.value;
  }
}
