
"use strict";
// This stands in XML, so it has no ampersand and no less-than sign.
document.querySelectorAll(".browser").forEach(function (browser) {
  const list = browser.querySelector("ul.segments");
  const buttons = Array.from(browser.querySelectorAll(".sort button"));
  const status = browser.querySelector("[role=status]");

  function sort(button, ascending) {
    const key = buttons.indexOf(button);
    const value = function (item) { return Number(item.dataset.keys.split(" ")[key]); };
    const items = Array.from(list.children);
    items.sort(function (a, b) { return ascending ? value(a) - value(b) : value(b) - value(a); });
    list.append(...items);
    buttons.forEach(function (b) {
      b.setAttribute("aria-pressed", String(b === button));
      b.querySelector("span").textContent = b !== button ? "" : ascending ? " \u2191" : " \u2193";
    });
    button.dataset.now = ascending ? "ascending" : "descending";
    status.textContent = "Sorted by " + button.dataset.name + ", the " + (ascending ? "smallest" : "largest") + " first.";
  }

  buttons.forEach(function (button) {
    button.addEventListener("click", function () {
      let ascending = button.dataset.first === "ascending";
      if (button.getAttribute("aria-pressed") === "true") {
        ascending = button.dataset.now === "descending";
      }
      sort(button, ascending);
    });
  });
  browser.querySelector(".sort").hidden = false;
  if (buttons.length > 0) {
    sort(buttons[0], buttons[0].dataset.first === "ascending");
  }

  // Of the tokens of a text only one is a stop of the Tab key, the others are reached
  // with the arrow keys.
  const tokens = function (text) { return Array.from(text.querySelectorAll(".t")); };
  browser.querySelectorAll("td.text").forEach(function (text) {
    tokens(text).slice(1).forEach(function (t) { t.tabIndex = -1; });
  });
  browser.addEventListener("focusin", function (event) {
    if (event.target.matches(".t")) {
      tokens(event.target.closest("td.text")).forEach(function (t) { t.tabIndex = t === event.target ? 0 : -1; });
    }
  });
  browser.addEventListener("keydown", function (event) {
    if (!event.target.matches(".t")) {
      return;
    }
    const all = tokens(event.target.closest("td.text"));
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") {
      event.target.blur();
    } else if (to !== undefined) {
      event.preventDefault();
      if (all[to]) {
        all[to].focus();
      }
    }
  });
});
