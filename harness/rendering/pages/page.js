"use strict";

// Sorting: a column by its button; rows without a number stay below, equal ones in the order they had at first.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const first = Array.from(body.rows);
  const headers = Array.from(table.tHead.rows[0].cells);
  headers.forEach((header, column) => {
    if (header.dataset.sort === undefined) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortBy(column, header));
  });

  function sortBy(column, header) {
    const numeric = header.dataset.sort === "number";
    const next = { ascending: "descending", descending: "ascending" }[header.getAttribute("aria-sort")];
    const order = next || (numeric ? "descending" : "ascending");
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => row.cells[column].dataset.value ?? "";
    const sorted = first.slice().sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (numeric ? a - b : a.localeCompare(b, "en", { numeric: true }));
    });
    for (const other of headers) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    body.append(...sorted);
  }
}

// Filters: a row stays if it fits every field of its table's form.
for (const form of document.querySelectorAll("[data-filters]")) {
  const table = document.getElementById(form.dataset.filters);
  const status = form.querySelector("[role=status]");
  form.hidden = false;
  form.addEventListener("input", apply);

  function apply() {
    const fields = Array.from(form.querySelectorAll("select, input"));
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !fields.every((field) => fits(row, field));
      shown += !row.hidden;
    }
    status.textContent = shown + " of " + table.tBodies[0].rows.length + " shown";
  }

  function fits(row, field) {
    if (field.value === "") return true;
    const value = row.dataset[field.name] ?? "";
    if (field.type === "number") return value === "" || Number(value) <= Number(field.value);
    if (field.type === "search") return value.toLowerCase().includes(field.value.toLowerCase());
    return value === field.value;
  }
}
