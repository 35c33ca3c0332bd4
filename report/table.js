// Tables are sorted by their headers, and filtered by a field a column.
(function () {
"use strict";

// number is what a cell counts as; undefined is none. What is more than digits was read by
// who wrote the page.
function number(cell) {
  if (cell.dataset.n !== undefined) {
    return Number(cell.dataset.n);
  }
  return /^-?\d+(\.\d+)?$/.test(cell.textContent) ? Number(cell.textContent) : undefined;
}

const none = /^\s*(|[-\u2013\u2014]|NaN)\s*$/;
const words = new Intl.Collator("en", { numeric: true });

// compare says which of two cells is first. What is no number comes behind all numbers, and
// what is nothing at the end, whichever way is sorted.
function compare(a, b, numeric, down) {
  const sign = down ? -1 : 1;
  const kinds = [a, b].map(function (c) {
    const n = numeric ? number(c) : undefined;
    return { n: n, place: n !== undefined ? 0 : none.test(c.textContent) ? 2 : 1 };
  });
  if (kinds[0].place !== kinds[1].place) {
    return kinds[0].place - kinds[1].place;
  }
  if (kinds[0].place === 0) {
    return sign * (kinds[0].n - kinds[1].n);
  }
  return kinds[0].place === 1 ? sign * words.compare(a.textContent, b.textContent) : 0;
}

// wanted is what a filter asks of a cell: ">40", "<=3", "=2", "2..5", or a part of the text.
// It is null for a filter that asks nothing.
function wanted(text) {
  text = text.trim().toLowerCase().replace(/\u2212/g, "-");
  if (text === "" || /^[<>]=?$/.test(text)) {
    return null;
  }
  const figure = "([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)\\s*%?";
  const range = new RegExp("^" + figure + "\\s*\\.\\.\\s*" + figure + "$").exec(text);
  if (range) {
    const from = Number(range[1]), to = Number(range[2]);
    return function (cell) { const n = number(cell); return n >= from && n <= to; };
  }
  const sided = new RegExp("^(<=|>=|<|>|=|\u2264|\u2265)\\s*" + figure + "$").exec(text);
  if (sided) {
    const than = Number(sided[2]);
    const holds = {
      "<": function (n) { return n < than; }, "<=": function (n) { return n <= than; }, "\u2264": function (n) { return n <= than; },
      ">": function (n) { return n > than; }, ">=": function (n) { return n >= than; }, "\u2265": function (n) { return n >= than; },
      "=": function (n) { return n === than; },
    }[sided[1]];
    return function (cell) { return holds(number(cell)); };
  }
  return function (cell) { return cell.textContent.toLowerCase().replace(/\u2212/g, "-").includes(text); };
}

function enhance(box) {
  const table = box.querySelector("table.sorts");
  if (!table) {
    return;
  }
  const body = table.tBodies[0];
  const original = Array.from(body.rows);
  const headers = Array.from(table.tHead.rows[0].cells);
  const status = box.querySelector("[role=status]");
  const hint = box.querySelector(".hint");
  const toggle = box.querySelector("button.filter");
  const name = function (th) { return th.dataset.name || th.textContent; };
  let sorted = "", shown = "";
  const say = function () { status.textContent = [shown, sorted].filter(Boolean).join(", "); };

  function sort(column) {
    const th = headers[column], numeric = th.dataset.kind === "number";
    // Numbers have the largest first, texts begin with A; then the other way, then none.
    const ways = numeric ? ["descending", "ascending"] : ["ascending", "descending"];
    const way = ways[ways.indexOf(th.getAttribute("aria-sort")) + 1];
    headers.forEach(function (h) { h.removeAttribute("aria-sort"); });
    const rows = original.slice();
    sorted = "in the original order";
    if (way) {
      th.setAttribute("aria-sort", way);
      rows.sort(function (a, b) { return compare(a.cells[column], b.cells[column], numeric, way === "descending"); });
      sorted = "sorted by " + name(th) + ", " + (!numeric ? (way === "ascending" ? "A to Z" : "Z to A") : way === "descending" ? "largest first" : "smallest first");
    }
    body.append(...rows);
    say();
  }

  headers.forEach(function (th, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    if (button.textContent === "") {
      button.setAttribute("aria-label", "column " + (column + 1));
    } else if (th.dataset.name) {
      button.setAttribute("aria-label", th.dataset.name);
    }
    button.addEventListener("click", function () { sort(column); });
    th.append(button);
  });

  let fields = [];
  function filter() {
    const asks = fields.map(function (f) { return wanted(f.value); });
    let count = 0;
    original.forEach(function (row) {
      row.hidden = asks.some(function (ask, i) { return ask && !ask(row.cells[i]); });
      count += row.hidden ? 0 : 1;
    });
    shown = asks.some(Boolean) ? count + " of " + original.length + " rows" : "";
    say();
  }

  function open() {
    const row = table.tHead.insertRow();
    row.className = "filters";
    fields = headers.map(function (th, column) {
      const field = document.createElement("input");
      field.type = "text";
      field.placeholder = " ";
      field.autocomplete = "off";
      field.spellcheck = false;
      field.setAttribute("aria-label", "Filter by " + (name(th) || "column " + (column + 1)));
      field.setAttribute("aria-describedby", hint.id);
      field.addEventListener("input", filter);
      field.addEventListener("keydown", function (event) {
        if (event.key === "Escape") {
          field.value = "";
          filter();
        }
      });
      row.insertCell().append(field);
      return field;
    });
    fields[0].focus();
  }

  if (!toggle) {
    return;
  }
  toggle.addEventListener("click", function () {
    const opens = fields.length === 0;
    toggle.setAttribute("aria-expanded", String(opens));
    hint.hidden = !opens;
    if (opens) {
      open();
      return;
    }
    fields = [];
    table.tHead.deleteRow(1);
    filter();
  });
}

document.querySelectorAll(".table").forEach(enhance);
})();
