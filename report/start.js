"use strict";
// What needs a script is shown only where there is one (.script in the styles).
document.documentElement.classList.add("script");
