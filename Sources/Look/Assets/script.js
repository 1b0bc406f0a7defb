// Everything can be read without this script. It brings in what is new, lets the pointer and the keys choose a time, and draws
// a trace while it is dragged.
"use strict";

const news = document.getElementById("news");

// Words go into the page as text, and never as HTML.
function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A page that comes back from the browser's memory may show what was erased since.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// ---- What is new

// A browser opens six connections to one server. So one of its pages listens, and tells the others.
function listen() {
  const kind = document.body.dataset.live;
  if (!kind || kind === "none" || !window.EventSource) return;
  const former = JSON.parse(document.body.dataset.log);
  const pages = window.BroadcastChannel ? new BroadcastChannel("groundwave") : null;
  let last = null;
  const follow = () => new Promise((done) => {
    const source = new EventSource("/live");
    source.onmessage = (message) => {
      last = JSON.parse(message.data);
      if (pages) pages.postMessage(last);
      compare(kind, former, last);
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      if (pages) pages.postMessage("ended");
      ended();
      done();
    };
    addEventListener("pagehide", () => { source.close(); done(); });
  });
  if (!pages || !navigator.locks) { follow(); return; }
  pages.onmessage = (message) => {
    if (message.data === "asked") { if (last) pages.postMessage(last); }
    else if (message.data === "ended") ended();
    else compare(kind, former, message.data);
  };
  pages.postMessage("asked");
  navigator.locks.request("groundwave", follow);
}

function ended() {
  news.replaceChildren(element("p", "groundwave look has ended: this page shows what was there before."));
}

function compare(kind, former, now) {
  // The log was written anew: what this page shows may have been erased. The store was damaged, or has been restored.
  if (now.generation !== former.generation || now.recovering !== former.recovering) { location.reload(); return; }
  if (now.events === former.events && now.late === former.late) return;
  const count = now.events - former.events;
  const words = count > 0 ? `${count} new event${count === 1 ? "" : "s"} in the log. ` : "The log has changed. ";
  const text = element("p", words);
  const shown = new URL(location.href);
  if (kind === "past") shown.searchParams.delete("at");
  text.append(element("a", kind === "past" ? "Look at now" : "Show them", { href: shown.href }));
  news.replaceChildren(text);
  document.querySelectorAll("[data-count]").forEach((place) => { place.textContent = grouped(now.events); });
}

function grouped(number) { return String(number).length < 5 ? String(number) : String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f"); }

// ---- The timeline: a click chooses the end of a step, a drag zooms, arrow keys go from step to step

function timeline() {
  const lanes = document.querySelector(".lanes");
  if (!lanes) return;
  const from = Number(lanes.dataset.from), to = Number(lanes.dataset.to);
  const go = (change) => { const address = new URL(location.href); change(address.searchParams); location.href = address.href; };
  lanes.querySelectorAll("svg.bars").forEach((bars, index) => {
    if (index === 0) { bars.setAttribute("tabindex", "0"); }
    let start = null, brush = null;
    const share = (event) => {
      const box = bars.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    };
    bars.addEventListener("pointerdown", (event) => { if (event.button === 0) start = share(event); });
    bars.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const now = share(event);
      if (!brush && Math.abs(now - start) < 0.01) return;
      if (!brush) {
        brush = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        brush.setAttribute("class", "brush");
        brush.setAttribute("y", "0");
        brush.setAttribute("height", "100");
        bars.append(brush);
        bars.setPointerCapture(event.pointerId);
      }
      const width = bars.viewBox.baseVal.width;
      brush.setAttribute("x", String(Math.min(start, now) * width));
      brush.setAttribute("width", String(Math.abs(now - start) * width));
    });
    bars.addEventListener("pointerup", (event) => {
      const began = start, was = brush;
      start = brush = null;
      if (!was) return;
      was.remove();
      const ends = [began, share(event)].sort((a, b) => a - b).map((part) => Math.round(from + part * (to - from)));
      if (ends[1] - ends[0] < 10) return;
      bars.addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
      go((parameters) => parameters.set("zoom", `${ends[0]}..${ends[1]}`));
    });
    bars.addEventListener("pointercancel", () => { if (brush) brush.remove(); start = brush = null; });
  });
  const first = lanes.querySelector("svg.bars");
  const links = [...lanes.querySelectorAll("svg.bars a")].sort((a, b) => place(a) - place(b));
  let chosen = -1;
  function place(link) { return Number(link.firstElementChild.getAttribute("x")); }
  lanes.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || links.length === 0) return;
    event.preventDefault();
    chosen = chosen < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, chosen + step));
    links[chosen].focus();
  });
}

// ---- A trace: the pointer drags it, two fingers or the wheel zoom it, and what it is over is said below

function trace() {
  const place = document.getElementById("chart");
  const plot = () => place.querySelector(".plot");
  if (!place || !plot()) return;
  const pieces = new Map();
  const under = document.getElementById("under-pointer");
  let span = read(), shown = 0;
  function read() { return { from: Number(plot().dataset.from), to: Number(plot().dataset.to) }; }

  // The page's own address, about another stretch.
  function address(path, from, to) {
    const made = new URL(location.href);
    made.pathname += path;
    made.searchParams.set("from", String(Math.round(from)));
    made.searchParams.set("to", String(Math.round(to)));
    return made.href;
  }

  // Curves are kept, so that going back costs nothing; and those that come next are made ahead.
  function piece(from, to) {
    const key = address("/chart", from, to);
    if (!pieces.has(key)) {
      if (pieces.size > 40) pieces.delete(pieces.keys().next().value);
      pieces.set(key, fetch(key).then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status))));
      pieces.get(key).catch(() => pieces.delete(key));
    }
    return pieces.get(key);
  }

  async function show(from, to) {
    if (to - from < 2) return;
    const number = ++shown;
    const text = await piece(from, to).catch(() => null);
    if (text === null || number !== shown) return;
    place.innerHTML = text;
    span = read();
    const here = new URL(address("", span.from, span.to));
    history.replaceState(null, "", here.href);
    document.querySelectorAll("#zoom a").forEach((link, index) => move(link, index));
  }

  // The links above the curves lead on from what is shown now.
  function move(link, index) {
    const width = span.to - span.from, centre = span.from + width / 2, quarter = Math.max(1, width / 8);
    const ends = [[centre - quarter, centre + quarter], [centre - width * 2, centre + width * 2],
      [span.from - width / 2, span.to - width / 2], [span.from + width / 2, span.to + width / 2]][index];
    if (ends) link.href = address("", ends[0], ends[1]);
  }

  function time(event) {
    const curve = place.querySelector(".curve");
    const box = curve.getBoundingClientRect();
    return span.from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (span.to - span.from);
  }

  place.addEventListener("wheel", (event) => {
    if (!event.target.closest(".curve") || !(event.ctrlKey || event.shiftKey || event.altKey)) return;
    event.preventDefault();
    const middle = time(event), factor = (event.deltaY || event.deltaX) > 0 ? 2 : 0.5;
    show(middle - (middle - span.from) * factor, middle + (span.to - middle) * factor);
  }, { passive: false });

  let start = null;
  place.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.target.closest(".curve")) start = { x: event.clientX, time: time(event), span };
  });
  addEventListener("pointerup", (event) => {
    if (!start) return;
    const began = start;
    start = null;
    if (Math.abs(event.clientX - began.x) < 8) return;
    const end = time(event);
    show(Math.min(began.time, end), Math.max(began.time, end));
  });

  let asked = 0, waiting = null;
  place.addEventListener("pointermove", (event) => {
    if (!event.target.closest(".curve")) return;
    const moment = time(event), width = (span.to - span.from) / 512;
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const number = ++asked;
      const answer = await fetch(address("/values", moment - width / 2, moment + Math.max(1, width / 2))).catch(() => null);
      if (!answer || !answer.ok || number !== asked) return;
      under.textContent = await answer.text();
      // What a zoom to this place would show.
      piece(moment - (moment - span.from) / 2, moment + (span.to - moment) / 2).catch(() => {});
    }, 120);
  });
}

// ---- A page that says how far something is, again and again until it is done

function reload() {
  const waits = document.querySelector("[data-reload]");
  if (waits) setTimeout(() => location.reload(), Number(waits.dataset.reload));
}

listen();
timeline();
trace();
reload();
