"use strict";
(() => {
  const words = document.currentScript.dataset;
  // Texts that only begin with a number (2026-11-21, 16 KiB) are not numbers.
  const isNumber = (text) => /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text);
  const compare = (one, other) =>
    isNumber(one) && isNumber(other) ? one - other : one.localeCompare(other, undefined, { numeric: true });
  const sort = (table, column, sign) => {
    const body = table.tBodies[0];
    const key = (cell) => cell?.dataset.sort ?? cell?.innerText.trim() ?? "";
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    // Rows without a value stay at the end in both orders.
    const known = rows.filter(([key]) => key).sort(([one], [other]) => sign * compare(one, other));
    body.append(...known.concat(rows.filter(([key]) => !key)).map(([, row]) => row));
  };
  for (const table of document.querySelectorAll(".sorted table")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.title = words.sort;
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const first = heading.classList.contains("number") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const order = heading.getAttribute("aria-sort") === first ? second : first;
        headings.forEach((one) => one.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", order);
        sort(table, column, order === "ascending" ? 1 : -1);
      });
    });
  }
  for (const searched of document.querySelectorAll(".searched")) {
    const input = document.createElement("input");
    const none = document.createElement("p");
    input.type = "search";
    input.placeholder = words.search;
    input.setAttribute("aria-label", words.search);
    none.hidden = true;
    none.textContent = words.none;
    none.setAttribute("role", "status");
    searched.prepend(input, none);
    input.addEventListener("input", () => {
      const parts = input.value.toLowerCase().split(/\s+/);
      let found = 0;
      for (const row of searched.querySelectorAll("tbody tr")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !parts.every((part) => text.includes(part));
        found += !row.hidden;
      }
      none.hidden = found > 0;
    });
  }
})();
