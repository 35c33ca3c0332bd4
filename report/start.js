(function () {
"use strict";
// What needs a script is shown only where there is one (.script in the styles).
document.documentElement.classList.add("script");

// On paper everything is open.
let opened = [];
addEventListener("beforeprint", function () {
  opened = Array.from(document.querySelectorAll("details:not([open])"));
  opened.forEach(function (d) { d.open = true; });
});
addEventListener("afterprint", function () {
  opened.forEach(function (d) { d.open = false; });
  opened = [];
});
})();
