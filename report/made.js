// A button copies how the page was made.
(function () {
"use strict";
const section = document.getElementById("made");
const button = section.querySelector("button");
const list = section.querySelector(".made");
const status = section.querySelector("[role=status]");

function text() {
  return Array.from(list.querySelectorAll("p, div"), function (entry) {
    return Array.from(entry.children, function (part) { return part.textContent; }).join(": ");
  }).join("\n") + "\n";
}

// byHand is for pages that may not use the clipboard.
function byHand() {
  const field = document.createElement("textarea");
  field.value = text();
  field.setAttribute("readonly", "");
  field.className = "ear";
  section.append(field);
  field.select();
  let done = false;
  try {
    done = document.execCommand("copy");
  } catch (_) { /* done says it */ }
  field.remove();
  button.focus();
  if (!done) {
    getSelection().selectAllChildren(list);
  }
  return done;
}

const say = function (done) { status.textContent = done ? "Copied" : "Selected: copy it with Ctrl+C or \u2318C"; };

button.addEventListener("click", function () {
  status.textContent = "";
  const hand = function () { say(byHand()); };
  if (navigator.clipboard) {
    navigator.clipboard.writeText(text()).then(function () { say(true); }, hand);
  } else {
    hand();
  }
});
})();
