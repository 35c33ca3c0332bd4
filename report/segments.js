"use strict";
(function () {
  const section = document.getElementById("segments");
  const cards = document.getElementById("seg-cards");
  const bar = document.getElementById("seg-bar");
  const status = document.getElementById("seg-status");
  const note = document.getElementById("seg-note");
  const field = function (name) { return document.getElementById("seg-" + name); };
  section.querySelectorAll("noscript").forEach(function (n) { n.remove(); });

  // pause lets the browser do what else there is.
  const pause = function () { return new Promise(function (resolve) { setTimeout(resolve, 0); }); };

  // ---- The data: package report's segments_data.go says what is in it.

  const lines = {}; // of each block
  let info; // systems, scores and keys
  let all = []; // segments as they were given
  const byNumber = new Map();

  // unpack reads a block piece by piece, so that the page stays quick.
  async function unpack(name) {
    const element = document.getElementById("segment-" + name), packed = element.textContent;
    element.remove();
    const piece = 1 << 18; // of base64, whole bytes
    let at = 0;
    const stream = new ReadableStream({
      pull: async function (to) {
        await pause();
        if (at >= packed.length) {
          to.close();
          return;
        }
        const text = atob(packed.slice(at, at + piece)), bytes = new Uint8Array(text.length);
        for (let i = 0; i !== bytes.length; i++) {
          bytes[i] = text.charCodeAt(i);
        }
        at += piece;
        to.enqueue(bytes);
      },
    });
    lines[name] = (await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text()).split("\n");
  }

  function readHeads() {
    info = JSON.parse(lines.heads[0]);
    all = lines.heads.slice(1, -1).map(function (line, index) {
      const h = JSON.parse(line);
      const s = {
        index: index, number: h[0], name: h[1] || String(h[0]), keys: h[2], scores: h[3], words: h[4], characters: h[5], references: h[6],
        open: false, card: null, body: null, height: 0,
      };
      byNumber.set(s.number, s);
      return s;
    });
    // Where words have no spaces between them, characters are counted.
    const sum = function (of) { return all.reduce(function (n, s) { return n + s[of]; }, 0); };
    info.unit = sum("characters") > 20 * Math.max(sum("words"), 1) ? "characters" : "words";
    all.forEach(function (s) { s.length = s[info.unit]; });
    delete lines.heads;
  }

  // score is one in units of its last decimal, or null.
  function score(s, system, column) { return s.scores[system * info.scores.length + column]; }

  // better is above 0 if a is better than b.
  function better(column, a, b) {
    if (a === null || b === null) {
      return a === b ? 0 : a === null ? -1 : 1;
    }
    return info.scores[column].lower ? b - a : a - b;
  }

  function rank(s, system, column) {
    const own = score(s, system, column);
    return 1 + info.systems.filter(function (_, i) { return better(column, score(s, i, column), own) > 0; }).length;
  }

  const shown = function (value, decimals) { return value === null ? "–" : (value / Math.pow(10, decimals)).toFixed(decimals); };
  const short = function (thousandths) { return (thousandths / 1000).toFixed(3); };

  // plain has the texts of a segment: source, references, outputs.
  function plain(s) {
    if (!s.plain) {
      const t = JSON.parse(lines.texts[s.index]);
      const clear = function (text) { return text.replaceAll("\u0001", ""); };
      s.plain = { source: t[0], references: t[1].map(clear), outputs: t[2].map(clear) };
    }
    return s.plain;
  }

  // ---- The tokens of a segment.

  // numbers takes them from a line, where each is a character.
  function numbers(line) {
    let at = 0;
    return {
      same: function () { // whether the next is that of what is matched
        if (line.charCodeAt(at) !== 33) {
          return false;
        }
        at++;
        return true;
      },
      next: function () {
        const n = line.charCodeAt(at++) - 48;
        return n > 20000 ? 20000 - n : n;
      },
    };
  }

  // source has the lines of a segment, of which all below take what is next.
  function source(s) {
    const odd = lines.odd[s.index] ? JSON.parse(lines.odd[s.index]) : {};
    return {
      known: lines.similarities[s.index] !== "", // its tokens
      similarities: numbers(lines.similarities[s.index]),
      difficulties: numbers(lines.difficulties[s.index]),
      links: numbers(lines.links[s.index]),
      shares: numbers(lines.shares[s.index]),
      parts: odd.p || {}, names: odd.n || [], surprises: new Set(odd.a), missed: odd.m || {},
      texts: 0, tokens: 0, // so far
    };
  }

  // split takes a text with its tokens.
  function split(from, marked) {
    const t = { text: marked.replaceAll("\u0001", ""), tokens: [] };
    const parts = from.parts[from.texts++];
    const add = function (start, end) {
      t.tokens.push({ start: start, end: end, name: from.names[from.tokens] || t.text.slice(start, end), ordinal: from.tokens });
      from.tokens++;
    };
    if (!from.known) {
      return t;
    }
    if (parts) {
      for (let i = 0, at = 0; i !== parts.length; i += 2) {
        add(at + parts[i], at + parts[i] + parts[i + 1]);
        at += parts[i] + parts[i + 1];
      }
      return t;
    }
    const pieces = /([^ \u0001]+)|\u0001/g;
    for (let m, before = 0; (m = pieces.exec(marked));) {
      if (m[1]) {
        add(m.index - before, m.index - before + m[1].length);
      } else {
        before++;
      }
    }
    return t;
  }

  const names = function (tokens) { return new Set(tokens.map(function (t) { return t.name; })); };

  function takeReference(from, marked) {
    const t = split(from, marked);
    t.tokens.forEach(function (x) {
      x.difficulty = from.difficulties.next();
      x.similarity = from.similarities.next();
      x.missed = 0; // by how many
    });
    t.met = 0; // by how many outputs
    t.names = names(t.tokens);
    return t;
  }

  // takeNumbers takes all but the shares. The difficulty can be that of the reference's token at.
  function takeNumbers(from, tokens, reference, at) {
    tokens.forEach(function (t) {
      t.similarity = from.similarities.next();
      t.to = from.links.next() - 1;
      t.difficulty = from.difficulties.same() ? reference.tokens[at(t)].difficulty : from.difficulties.next();
    });
  }

  function takeShares(from, tokens, a, b) {
    tokens.forEach(function (t) {
      t.share = from.shares.next() + Math.floor((t.similarity * (a * t.difficulty + 1000 * b) + 5e6) / 1e7);
    });
  }

  // takeOutput takes an output, and all but the shares of what it lacks.
  function takeOutput(from, marked, index, reference) {
    const t = split(from, marked);
    t.missed = [];
    t.reference = reference;
    if (!from.known) {
      return t;
    }
    const r = reference || { tokens: [], names: new Set() }, own = names(t.tokens);
    r.met++;
    takeNumbers(from, t.tokens, r, function (x) { return x.to; });
    takeShares(from, t.tokens, from.shares.next(), from.shares.next());
    t.tokens.forEach(function (x) { x.novel = r.names.has(x.name) === from.surprises.has(x.ordinal); });
    const missed = from.missed[index] || Array.from(r.tokens.keys()).filter(function (j) { return !own.has(r.tokens[j].name); });
    t.missed = missed.map(function (j) { return { index: j, name: r.tokens[j].name }; });
    takeNumbers(from, t.missed, r, function (x) { return x.index; });
    t.missed.forEach(function (x) { r.tokens[x.index].missed++; });
    return t;
  }

  // tokenized has the texts of a segment with their tokens.
  function tokenized(s) {
    const texts = JSON.parse(lines.texts[s.index]), from = source(s);
    const references = texts[1].map(function (marked) { return takeReference(from, marked); });
    const outputs = texts[2].map(function (marked, i) {
      return takeOutput(from, marked, i, references[s.references ? s.references[i] : 0]);
    });
    if (from.known) {
      const fits = references.map(function () { return [from.shares.next(), from.shares.next()]; });
      outputs.forEach(function (t) {
        const fit = fits[references.indexOf(t.reference)];
        if (fit) {
          takeShares(from, t.missed, fit[0], fit[1]);
        }
      });
    }
    return { source: texts[0], references: references, outputs: outputs, known: from.known };
  }

  // ---- Words, and which of them two texts have in common.

  const wordPattern = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+(?:['’\-][\p{L}\p{N}\p{M}]+)*|\S/gu;

  function words(text) {
    const out = [];
    for (const m of text.matchAll(wordPattern)) {
      out.push({ start: m.index, end: m.index + m[0].length, name: m[0] });
    }
    return out;
  }

  // common says of the words of each side whether they are in the longest list that both have.
  function common(a, b) {
    const inA = new Array(a.length).fill(false), inB = new Array(b.length).fill(false);
    let from = 0, endA = a.length, endB = b.length;
    while (from !== Math.min(endA, endB) && a[from].name === b[from].name) {
      inA[from] = inB[from] = true;
      from++;
    }
    while (Math.min(endA, endB) > from && a[endA - 1].name === b[endB - 1].name) {
      inA[--endA] = inB[--endB] = true;
    }
    const n = endA - from, m = endB - from, wide = m + 1;
    if (n * m > 4e6) { // too long to look for it: whether the other has the word at all
      const other = function (list) { return new Set(list.map(function (w) { return w.name; })); };
      const ofA = other(a), ofB = other(b);
      return [a.map(function (w) { return ofB.has(w.name); }), b.map(function (w) { return ofA.has(w.name); })];
    }
    const length = new Uint16Array((n + 1) * wide); // of the list from i and j on
    for (let i = n - 1; i >= 0; i--) {
      for (let j = m - 1; j >= 0; j--) {
        length[i * wide + j] = a[from + i].name === b[from + j].name ? length[(i + 1) * wide + j + 1] + 1
          : Math.max(length[(i + 1) * wide + j], length[i * wide + j + 1]);
      }
    }
    for (let i = 0, j = 0; n > i && m > j;) {
      if (a[from + i].name === b[from + j].name) {
        inA[from + i++] = inB[from + j++] = true;
      } else if (length[(i + 1) * wide + j] >= length[i * wide + j + 1]) {
        i++;
      } else {
        j++;
      }
    }
    return [inA, inB];
  }

  // ---- What the reader has chosen.

  const view = { find: null, order: [], by: 0, first: -1, systems: null, a: -1, b: -1, current: null };

  const paired = function () { return view.a >= 0 && view.b >= 0 && view.a !== view.b; };
  const isShown = function (system) { return !view.systems || view.systems.has(system); };

  // ranges are what of a text is found.
  function ranges(text) {
    const out = [];
    if (view.find) {
      for (const m of text.matchAll(view.find)) {
        out.push([m.index, m.index + m[0].length]);
      }
    }
    return out;
  }

  // ---- Cards.

  function make(name, className, text) {
    const e = document.createElement(name);
    if (className) {
      e.className = className;
    }
    if (text !== undefined) {
      e.textContent = text;
    }
    return e;
  }

  // put adds a part of a text, with marks where something is found.
  function put(parent, text, from, to, found) {
    found.forEach(function (r) {
      if (r[1] > from && to > r[0]) {
        const start = Math.max(r[0], from), end = Math.min(r[1], to);
        parent.append(text.slice(from, start), make("mark", "found", text.slice(start, end)));
        from = end;
      }
    });
    if (to > from) {
      parent.append(text.slice(from, to));
    }
  }

  const notes = new WeakMap(); // of tokens

  // pieces adds a text with elements for its tokens or words; element makes one, or null for none.
  function pieces(parent, text, tokens, element) {
    const found = ranges(text);
    let at = 0;
    tokens.forEach(function (t) {
      if (t.end > t.start) {
        const e = element(t);
        put(parent, text, at, t.start, found);
        put(e || parent, text, t.start, t.end, found);
        if (e) {
          parent.append(e);
        }
        at = t.end;
        return;
      }
      const e = element(t) || make("span"); // it has no place of its own
      e.textContent = t.name;
      parent.append(at > 0 ? " " : "", e);
    });
    put(parent, text, at, text.length, found);
  }

  // stop makes the tokens of a text one stop of the Tab key: the others are reached from there.
  function stop(parent) {
    parent.dataset.tokens = "";
    parent.querySelectorAll(".t").forEach(function (t, i) { t.tabIndex = i === 0 ? 0 : -1; });
  }

  function token(t, classes, text) {
    const e = make("span", "t " + classes.filter(Boolean).join(" "));
    notes.set(e, t.name + ": " + text);
    return e;
  }

  const shade = function (t) { return "d" + Math.floor(Math.max(0, Math.min(t.difficulty, 990)) / 100); };
  const match = function (t) { return t.similarity >= 900 ? "" : t.similarity >= 700 ? "m2" : t.similarity >= 400 ? "m1" : "m0"; };

  // describe are the numbers of a token of an output, or of one that it lacks.
  function describe(t, other, last) {
    const to = other && other[t.to];
    return "difficulty " + short(t.difficulty) + ", similarity " + short(t.similarity) + (to && to.name !== t.name ? " to " + to.name : "") +
      ", share " + short(t.share) + last;
  }

  function row(name, kind) {
    const r = make("div", "row " + kind), text = make("div", "text");
    text.dir = "auto";
    r.append(make("span", "who", name), text);
    return [r, text];
  }

  function reference(t, name) {
    const made = row(name, "reference");
    pieces(made[1], t.text, t.tokens, function (x) {
      return token(x, [shade(x), t.met > 0 && x.missed === t.met ? "missed" : ""], "difficulty " + short(x.difficulty) +
        ", mean similarity " + short(x.similarity) + ", missed by " + x.missed + " of " + t.met);
    });
    stop(made[1]);
    return made[0];
  }

  // output adds what a system made, beside the reference.
  function output(cell, t, known) {
    const text = make("div", "words"), missing = make("p", "missing", "missed: ");
    text.dir = missing.dir = "auto";
    const miss = function (e) { missing.append(missing.childElementCount > 0 ? " " : "", e); };
    if (t.text.trim() === "") {
      text.append(make("span", "none", "(no text)"));
    }
    (known ? byTokens : byWords)(text, t, miss);
    stop(text);
    cell.append(text);
    if (missing.childElementCount > 0) {
      stop(missing);
      cell.append(missing);
    }
  }

  function byTokens(text, t, miss) {
    pieces(text, t.text, t.tokens, function (x) {
      return token(x, [match(x), x.novel ? "novel" : ""], describe(x, t.reference && t.reference.tokens, x.novel ? ", novel" : ""));
    });
    t.missed.forEach(function (x) {
      const e = token(x, [shade(x), match(x), "missed"], describe(x, t.tokens, ", missed"));
      e.textContent = x.name;
      miss(e);
    });
  }

  // byWords shows which words an output and its reference do not have in common.
  function byWords(text, t, miss) {
    const own = words(t.text), other = t.reference ? words(t.reference.text) : [], both = common(own, other);
    own.forEach(function (w, i) { w.novel = t.reference && !both[0][i]; });
    pieces(text, t.text, own, function (w) { return w.novel ? make("span", "w novel") : null; });
    other.forEach(function (w, j) {
      if (!both[1][j] && own.length > 0) {
        miss(make("span", "w missed", w.name));
      }
    });
  }

  // ordered are the systems of a segment, the best first, the chosen one before all.
  function ordered(s) {
    const systems = info.systems.map(function (_, i) { return i; }).filter(isShown);
    if (info.scores.length > 0) {
      systems.sort(function (a, b) { return better(view.by, score(s, b, view.by), score(s, a, view.by)) || a - b; });
    }
    if (systems.includes(view.first)) {
      systems.splice(systems.indexOf(view.first), 1);
      systems.unshift(view.first);
    }
    return systems;
  }

  const few = 3; // outputs that a card shows until all are asked for

  function outputs(body, s, t) {
    const systems = ordered(s);
    if (systems.length === 0) {
      return;
    }
    const table = make("table", "outputs"), head = table.createTHead().insertRow(), rows = table.createTBody();
    const column = function (className, name) {
      const th = make("th", className, name);
      th.scope = "col";
      head.append(th);
    };
    column("who", "system");
    info.scores.forEach(function (c) { column("score", c.name); });
    column("text", "output");
    systems.forEach(function (i, place) {
      if (s.open || few > place || view.find && ranges(t.outputs[i].text).length > 0) {
        rows.append(outputRow(s, i, t));
      }
    });
    body.append(table);
    if (systems.length > few) {
      const more = make("button", "more", s.open ? "Fewer outputs" : "All " + systems.length + " outputs");
      more.type = "button";
      more.setAttribute("aria-expanded", String(s.open));
      body.append(more);
    }
  }

  function outputRow(s, system, t) {
    const tr = make("tr", "output" + (system === view.first ? " chosen" : "")), who = make("th", "who", info.systems[system]);
    tr.dataset.system = system;
    who.scope = "row";
    tr.append(who);
    info.scores.forEach(function (c, column) {
      const td = tr.insertCell(), x = score(s, system, column);
      td.className = "score";
      td.dataset.score = column;
      td.dataset.name = c.name;
      td.append(shown(x, c.decimals));
      if (x !== null && info.systems.length > 1) {
        td.append(" ", make("span", "rank", "#" + rank(s, system, column)));
      }
    });
    const td = tr.insertCell();
    td.className = "text";
    output(td, t.outputs[system], t.known);
    return tr;
  }

  // pair sets two outputs side by side, with the words that differ.
  function pair(body, s, t) {
    const sides = [view.a, view.b], lists = sides.map(function (i) { return words(t.outputs[i].text); });
    const both = common(lists[0], lists[1]), same = !differ(s);
    const box = make("div", same ? "pair same" : "pair");
    sides.forEach(function (system, k) {
      const side = make("div", "side"), text = make("div", "text");
      side.dataset.system = system;
      text.dir = "auto";
      if (t.outputs[system].text.trim() === "") {
        text.append(make("span", "none", "(no text)"));
      }
      pieces(text, t.outputs[system].text, runs(lists[k], both[k]), function () { return make("mark", "differs"); });
      side.append(make("div", "who", info.systems[system]), text, verdicts(s, system, sides[1 - k]));
      box.append(side);
    });
    if (same) {
      body.append(make("p", "alike", "Both are the same."));
    }
    body.append(box);
  }

  // runs are the words that differ; those that stand together are one.
  function runs(list, common) {
    const out = [];
    list.forEach(function (w, i) {
      if (common[i]) {
        return;
      }
      if (i > 0 && !common[i - 1]) {
        out[out.length - 1].end = w.end;
      } else {
        out.push({ start: w.start, end: w.end });
      }
    });
    return out;
  }

  // verdicts are a system's scores, and where they are better than the other's.
  function verdicts(s, system, other) {
    const p = make("p", "scores");
    info.scores.forEach(function (c, column) {
      const own = score(s, system, column), ahead = own !== null && better(column, own, score(s, other, column)) > 0;
      const e = make("span", ahead ? "score preferred" : "score");
      e.dataset.score = column;
      e.append(c.name + " ", make("b", "", shown(own, c.decimals)), ahead ? " preferred" : "");
      p.append(e, " ");
    });
    return p;
  }

  // ---- Cards are made when they come near the window.

  // shell makes a card without its texts.
  function shell(s) {
    const card = make("article", "card"), h = make("h3"), a = make("a", "address", "Segment " + s.name), keys = make("p", "keys");
    card.id = "s" + s.number;
    h.id = card.id + "-title";
    a.href = "#" + card.id;
    card.setAttribute("aria-labelledby", h.id);
    card.tabIndex = -1;
    h.append(a);
    info.keys.forEach(function (k, i) {
      const e = make("span", "", k.name + " " + s.keys[i]);
      e.dataset.key = "k" + i;
      keys.append(e, " ");
    });
    if (s.length > 0) {
      const e = make("span", "", s.length + " " + (s.length === 1 ? info.unit.slice(0, -1) : info.unit));
      e.dataset.key = "length";
      keys.append(e);
    }
    const head = make("header");
    head.append(h, keys);
    card.append(head);
    s.card = card;
  }

  // reserve gives a card about the height that it will have.
  function reserve(s, width) {
    const texts = paired() ? 3 : Math.min(few, info.systems.length) + 2;
    s.height = Math.round(16 * (5 + texts * (1.6 * Math.ceil(s.characters * 8 / width) + 1.2)));
    s.card.style.setProperty("--height", s.height + "px");
  }

  function fill(s) {
    if (s.body) {
      return;
    }
    const t = tokenized(s);
    s.body = make("div", "body");
    if (t.source !== "") {
      const made = row("source", "source");
      pieces(made[1], t.source, [], null);
      s.body.append(made[0]);
    }
    t.references.forEach(function (r, k) {
      s.body.append(reference(r, t.references.length > 1 ? "reference " + (k + 1) : "reference"));
    });
    if (paired()) {
      pair(s.body, s, t);
    } else {
      outputs(s.body, s, t);
    }
    s.card.append(s.body);
    s.card.classList.add("filled");
  }

  function empty(s) {
    if (s.body) {
      s.body.remove();
      s.body = null;
      s.card.classList.remove("filled");
    }
  }

  // Cards that come near the window wait here, and are filled as time allows.
  const waiting = new Set();
  let filling = false;

  const observer = new IntersectionObserver(function (entries) {
    entries.forEach(function (e) {
      const s = byNumber.get(Number(e.target.id.slice(1)));
      if (e.isIntersecting) {
        waiting.add(s);
      } else {
        waiting.delete(s);
      }
    });
    if (!filling) {
      fillWaiting();
    }
  }, { rootMargin: "1200px 0px" });

  async function fillWaiting() {
    filling = true;
    let since = performance.now();
    for (const s of waiting) {
      if (performance.now() - since > 20) {
        await pause();
        since = performance.now();
      }
      if (waiting.delete(s)) {
        observer.unobserve(s.card);
        fill(s);
      }
    }
    filling = false;
  }

  // fillFrom fills what a window has place for, from a card on.
  function fillFrom(at) {
    for (let room = window.innerHeight; room > 0 && view.order.length > at; at++) {
      fill(view.order[at]);
      room -= view.order[at].height; // measuring would lay the page out, card by card
    }
  }

  // topmost is the place of the first card that is in the window.
  function topmost() {
    let from = 0, to = view.order.length;
    while (to > from) {
      const middle = (from + to) >> 1;
      if (view.order[middle].card.getBoundingClientRect().bottom > 4) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  // place puts the cards there that are asked for, in their order.
  function place(order) {
    if (order.length === view.order.length && order.every(function (s, i) { return s === view.order[i]; }) && cards.childElementCount > 0) {
      return;
    }
    const fragment = document.createDocumentFragment();
    cards.replaceChildren(); // all at once: one by one takes long
    order.forEach(function (s) { fragment.append(s.card); });
    cards.append(fragment);
    view.order = order;
  }

  // redraw draws all cards again, those in the window at once; a card that is held stays where it is.
  function redraw(held, top) {
    const width = Math.max(cards.clientWidth - 200, 280); // before anything changes
    observer.disconnect();
    waiting.clear();
    all.forEach(empty);
    view.order.forEach(function (s) { reserve(s, width); });
    if (held) {
      show(held, top);
    } else {
      fillFrom(0);
      fillFrom(topmost());
    }
    view.order.forEach(function (s) { observer.observe(s.card); });
  }

  function redrawHere() {
    const held = read();
    redraw(held, held ? held.card.getBoundingClientRect().top : 0);
  }

  // show brings a card to where it is asked for, or else to the top.
  function show(s, top) {
    const at = view.order.indexOf(s);
    for (let i = Math.max(0, at - 2); at > i; i++) { // those above would move it
      fill(view.order[i]);
    }
    fillFrom(at);
    cover();
    s.card.scrollIntoView({ block: "start" });
    if (top !== undefined) {
      window.scrollBy(0, s.card.getBoundingClientRect().top - top);
    }
  }

  // cover keeps what is scrolled to from under the bar of two systems, which covers the window's top.
  function cover() {
    document.documentElement.style.scrollPaddingTop = paired() ? field("pair").offsetHeight + "px" : "";
  }

  // read is the segment that the reader looks at, if one is in the window.
  function read() {
    if (view.current && view.order.includes(view.current) && near(view.current)) {
      return view.current;
    }
    const s = view.order[topmost()];
    return s && 0 > cards.getBoundingClientRect().top ? s : null;
  }

  // ---- Finding, filtering and sorting.

  const count = function (n) { return n.toLocaleString("en"); };

  function say(text) { status.textContent = text; }

  function limits(name) {
    const value = function (end) {
      const x = field(name + "-" + end).valueAsNumber;
      return Number.isNaN(x) ? null : x;
    };
    return { min: value("min"), max: value("max") };
  }

  // passes makes the test of numbers that is set.
  function passes() {
    const tests = [];
    const add = function (name, value) {
      const l = limits(name);
      if (l.min !== null) {
        tests.push(function (s) { return value(s) >= l.min; });
      }
      if (l.max !== null) {
        tests.push(function (s) { return l.max >= value(s); });
      }
    };
    add("length", function (s) { return s.length; });
    info.keys.forEach(function (_, i) { add("k" + i, function (s) { return s.keys[i]; }); });
    return function (s) { return tests.every(function (t) { return t(s); }); };
  }

  // sorter compares as it is set; what has no number comes last.
  function sorter() {
    const by = field("sort").value, column = Number(by.slice(1));
    const value = by === "place" ? function (s) { return s.number; }
      : by === "length" ? function (s) { return s.length; }
      : by[0] === "k" ? function (s) { return s.keys[column]; }
      : function (s) {
        const a = score(s, view.a, column), b = score(s, view.b, column);
        return a === null || b === null ? null : better(column, a, b);
      };
    const sign = ascending() ? 1 : -1;
    return function (x, y) {
      const a = value(x), b = value(y);
      if (a === null || b === null) {
        return (a === null) - (b === null) || x.index - y.index;
      }
      return sign * (a - b) || x.index - y.index;
    };
  }

  const ascending = function () { return field("direction").getAttribute("aria-pressed") === "true"; };

  function direct(up) {
    field("direction").setAttribute("aria-pressed", String(up));
    field("direction").textContent = up ? "smallest first" : "largest first";
  }

  // usual is the direction in which a reader most likely wants an order.
  function usual(by) { return by === "place" || by[0] === "k" && info.keys[Number(by.slice(1))].ascending; }

  function pattern(text) {
    const parts = text.trim().split(/\s+/).map(function (w) { return w.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"); });
    return parts[0] === "" ? null : new RegExp(parts.join("\\s+"), "giu");
  }

  function has(s, find) {
    const t = plain(s);
    const match = function (text) {
      find.lastIndex = 0;
      return find.test(text);
    };
    return match(t.source) || t.references.some(match) || t.outputs.some(function (text, i) { return isShown(i) && match(text); });
  }

  let asked = 0; // how often segments were chosen

  // choose shows the segments that are asked for, and resolves to whether that was not overtaken.
  async function choose(held, top) {
    const own = ++asked;
    const find = pattern(field("find").value);
    let found = all.filter(passes());
    if (find) {
      const matched = [];
      let since = performance.now();
      for (const s of found) {
        if (performance.now() - since > 40) {
          say("searching …");
          await pause();
          if (own !== asked) {
            return false;
          }
          since = performance.now();
        }
        if (has(s, find)) {
          matched.push(s);
        }
      }
      found = matched;
    }
    view.find = find;
    place(found.sort(sorter()));
    redraw(held && view.order.includes(held) ? held : null, top);
    say(found.length === all.length ? count(all.length) + (all.length === 1 ? " segment" : " segments")
      : found.length === 0 ? "No segment of " + count(all.length) + " is like that: Clear shows all"
      : count(found.length) + " of " + count(all.length) + " segments");
    return true;
  }

  function clear() {
    field("find").value = "";
    bar.querySelectorAll("input[type=number]").forEach(function (x) { x.value = ""; });
    check(true);
  }

  function check(on) {
    bar.querySelectorAll("input[name=system]").forEach(function (x) { x.checked = on; });
    chosen();
  }

  // chosen reads which systems are shown.
  function chosen() {
    const boxes = Array.from(bar.querySelectorAll("input[name=system]"));
    view.systems = boxes.every(function (x) { return x.checked; }) ? null
      : new Set(boxes.filter(function (x) { return x.checked; }).map(function (x) { return Number(x.value); }));
  }

  // ---- Addresses.

  // go shows a segment, whatever is filtered.
  async function go(s, focus) {
    if (!view.order.includes(s)) {
      clear();
      if (!await choose()) {
        return;
      }
    }
    if (view.current) {
      view.current.card.classList.remove("current");
    }
    view.current = s;
    s.card.classList.add("current");
    show(s);
    if (focus) {
      s.card.focus({ preventScroll: true });
    }
  }

  async function follow() {
    const m = /^#s([0-9]+)$/.exec(location.hash);
    if (m && byNumber.has(Number(m[1]))) {
      await go(byNumber.get(Number(m[1])), true);
    }
  }

  // ---- Two systems side by side.

  const differ = function (s) { return plain(s).outputs[view.a] !== plain(s).outputs[view.b]; };

  function step(by) {
    let at = view.order.indexOf(view.current);
    if (at === -1 || !near(view.current)) { // the reader has gone on
      at = topmost() - (by > 0 ? 1 : 0);
    }
    for (at += by; at >= 0 && view.order.length > at; at += by) {
      const s = view.order[at];
      if (differ(s)) {
        history.replaceState(null, "", "#s" + s.number);
        go(s, true);
        say("Segment " + s.name);
        return;
      }
    }
    say(by > 0 ? "They do not differ further down." : "They do not differ further up.");
  }

  function near(s) {
    const r = s.card.getBoundingClientRect();
    return r.bottom > 0 && window.innerHeight > r.top;
  }

  // compare reads the two systems, and draws.
  async function compare(a, b) {
    const before = paired();
    const held = read(), top = held && held.card.getBoundingClientRect().top;
    view.a = a;
    view.b = b;
    field("a").value = a === -1 ? "" : a;
    field("b").value = b === -1 ? "" : b;
    if (!before && !paired()) {
      return; // only one is chosen
    }
    section.classList.toggle("beside", paired());
    cover();
    if (paired() !== before) {
      offerDifferences();
    }
    await choose(held, top);
  }

  // offerDifferences lets segments be sorted by how far one is ahead, while two are side by side.
  function offerDifferences() {
    const sort = field("sort"), by = sort.value;
    sort.querySelectorAll(".difference").forEach(function (o) { o.remove(); });
    if (paired()) {
      info.scores.forEach(function (c, i) {
        const o = make("option", "difference", "lead of the left by " + c.name);
        o.value = "d" + i;
        sort.append(o);
      });
    }
    if (sort.value !== by) { // it is gone
      sort.selectedIndex = 0;
      direct(usual(sort.value));
    }
  }

  function leave() { return compare(-1, -1); }

  // ---- Paper.

  const printed = 20; // segments, as many as stand there without script

  let before = { held: null, top: 0 }; // paper: what the reader looked at, and where it stood

  // paper fills cards that were not near the window, as paper can't be scrolled, and takes out those
  // that are not printed: with thousands of cards, hidden ones, Chromium was not done in a minute.
  function paper() {
    const order = view.order.slice(0, printed), rest = view.order.slice(printed);
    const held = read();
    before = { held: held, top: held ? held.card.getBoundingClientRect().top : 0 };
    order.forEach(fill);
    rest.forEach(function (s) { s.card.remove(); });
    field("paper").textContent = rest.length > 0 ? "These are the first " + printed + " of " + count(view.order.length) + " segments." : "";
  }

  function afterPaper() {
    const rest = view.order.slice(printed);
    if (rest.length > 0) {
      cards.append(...rest.map(function (s) { return s.card; }));
    }
    if (before.held) {
      show(before.held, before.top);
    }
  }

  // ---- What the reader does.

  function wait(milliseconds, act) {
    let timer;
    return function () {
      clearTimeout(timer);
      timer = setTimeout(act, milliseconds);
    };
  }

  const on = function (name, type, act) {
    if (field(name)) { // what there is depends on the systems and scores
      field(name).addEventListener(type, act);
    }
  };
  const chosenIndex = function (name) { return field(name).value === "" ? -1 : Number(field(name).value); };

  // listenBar is of finding, sorting and filtering.
  function listenBar() {
    const again = function () { choose(); }, later = wait(150, again);
    bar.addEventListener("submit", function (event) {
      event.preventDefault();
      choose();
    });
    on("find", "input", later);
    bar.querySelectorAll("input[type=number]").forEach(function (x) { x.addEventListener("input", later); });
    on("sort", "change", function () {
      direct(usual(field("sort").value));
      choose();
    });
    on("direction", "click", function () {
      direct(!ascending());
      choose();
    });
    on("clear", "click", function () {
      clear();
      choose();
    });
    on("by", "change", function () {
      view.by = Number(field("by").value);
      redrawHere();
    });
    on("system", "change", function () {
      view.first = chosenIndex("system");
      redrawHere();
    });
    on("systems", "change", function () {
      chosen();
      choose();
    });
    [["systems-all", true], ["systems-none", false]].forEach(function (b) {
      on(b[0], "click", function () {
        check(b[1]);
        choose();
      });
    });
  }

  // listenPair is of two systems side by side.
  function listenPair() {
    const both = function () { compare(chosenIndex("a"), chosenIndex("b")); };
    on("a", "change", both);
    on("b", "change", both);
    on("next", "click", function () { step(1); });
    on("previous", "click", function () { step(-1); });
    on("leave", "click", leave);
    document.addEventListener("keydown", function (event) {
      if (!paired() || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=checkbox]), select, textarea")) {
        return;
      }
      if (event.key === "Escape") {
        leave();
      } else if (field("keys").checked && (event.key === "j" || event.key === "k")) {
        event.preventDefault();
        step(event.key === "j" ? 1 : -1);
      }
    });
  }

  function listen() {
    listenBar();
    listenPair();
    listenTokens();
    cards.addEventListener("click", function (event) {
      if (event.target.matches("button.more")) {
        const s = byNumber.get(Number(event.target.closest(".card").id.slice(1)));
        s.open = !s.open;
        empty(s);
        fill(s);
        s.card.querySelector("button.more").focus();
      }
    });
    window.addEventListener("hashchange", follow);
    window.addEventListener("beforeprint", paper);
    window.addEventListener("afterprint", afterPaper);
  }

  // fold opens the controls where there is place for them.
  function fold() {
    const narrow = window.matchMedia("(max-width: 44rem)");
    const set = function () { field("more").open = !narrow.matches; };
    narrow.addEventListener("change", set);
    set();
  }

  // listenTokens shows the numbers of tokens, and goes from one to the other.
  function listenTokens() {
    const tell = function (t) {
      note.textContent = t ? notes.get(t) : "";
      note.classList.toggle("on", Boolean(t));
    };
    const token = function (event) { return event.target.closest(".t"); };
    cards.addEventListener("mouseover", function (event) { tell(token(event)); });
    cards.addEventListener("mouseleave", function () { tell(null); });
    cards.addEventListener("focusout", function () { tell(null); });
    cards.addEventListener("focusin", function (event) {
      const t = token(event);
      if (t) {
        t.closest("[data-tokens]").querySelectorAll(".t").forEach(function (x) { x.tabIndex = x === t ? 0 : -1; });
        tell(t);
      }
    });
    cards.addEventListener("keydown", function (event) {
      const t = token(event);
      if (!t) {
        return;
      }
      const around = Array.from(t.closest("[data-tokens]").querySelectorAll(".t"));
      const at = around.indexOf(t);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: around.length - 1 }[event.key];
      if (event.key === "Escape") {
        event.stopPropagation();
        t.blur();
      } else if (to !== undefined) {
        event.preventDefault();
        if (around[to]) {
          around[to].focus();
        }
      }
    });
  }

  // hint writes into the fields of ranges what there is.
  function hint() {
    const set = function (name, values) {
      if (values.length > 0) {
        field(name + "-min").placeholder = values.reduce(function (a, b) { return Math.min(a, b); });
        field(name + "-max").placeholder = values.reduce(function (a, b) { return Math.max(a, b); });
      }
    };
    set("length", all.map(function (s) { return s.length; }));
    info.keys.forEach(function (_, i) { set("k" + i, all.map(function (s) { return s.keys[i]; })); });
  }

  async function start() {
    await unpack("heads");
    readHeads();
    for (const name of ["texts", "odd", "similarities", "difficulties", "links", "shares"]) {
      await unpack(name);
    }
    for (let i = 0, since = performance.now(); i !== all.length; i++) {
      shell(all[i]);
      if (performance.now() - since > 20) {
        await pause();
        since = performance.now();
      }
    }
    hint();
    chosen();
    field("sort").selectedIndex = 0;
    direct(usual(field("sort").value));
    listen();
    // Two systems whose tokens are not known are there to be compared.
    if (info.systems.length === 2 && lines.similarities.every(function (line) { return line === ""; })) {
      await compare(0, 1);
    } else {
      await choose();
    }
    await follow();
    section.dataset.ready = "";
    performance.mark("segments-ready");
  }

  fold();
  if (typeof DecompressionStream === "undefined") {
    say("This browser is too old to show segments: it has no DecompressionStream.");
    return;
  }
  start();
})();
