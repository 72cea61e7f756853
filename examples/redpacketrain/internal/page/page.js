"use strict";

const stages = ["prepare", "grab", "settle", "audit", "done"];
const byId = (id) => document.getElementById(id);
let points = [];

// Numbers as people read them.
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const count = (n) => whole.format(n);
const money = (cents) => (cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const formats = {
  count: { full: count, axis: (n) => compact.format(n) },
  money: { full: money, axis: (cents) => compact.format(cents / 100) },
};

function latency(us) {
  if (!us) return "–";
  if (us < 1000) return (us < 10 ? us.toFixed(1) : us.toFixed(0)) + " µs";
  const ms = us / 1000;
  return ms < 1000 ? (ms < 10 ? ms.toFixed(2) : ms.toFixed(0)) + " ms" : (ms / 1000).toFixed(2) + " s";
}

function text(id, value) {
  const e = byId(id);
  if (e.textContent !== value) e.textContent = value;
}

const share = (part, all) => (all > 0 ? Math.min(100, (100 * part) / all) : 0);
const percent = (p) => (p === 100 || p === 0 ? p : p.toFixed(1)) + " %";

function show(s) {
  document.title = (s.stage === "done" ? (s.ok ? "✓ " : "✗ ") : "") + "Red packet rain";
  document.body.dataset.stage = s.stage;
  text("where", s.on ? `${count(s.packets)} packets on ${s.on}, ${count(s.workers)} workers; settled in ${s.ledger}` : "\u00a0");
  const at = stages.indexOf(s.stage);
  document.querySelectorAll("#stages li").forEach((li, i) => {
    li.classList.toggle("past", i < at);
    if (i === at) li.setAttribute("aria-current", "step");
    else li.removeAttribute("aria-current");
  });

  text("rate", count(s.rate));
  text("grabbed", `${count(s.grabbed)} packets grabbed`);
  text("p50", latency(s.p50));
  text("p95", latency(s.p95));
  text("p99", latency(s.p99));
  text("refused", `${count(s.refused)} had one, ${count(s.empty)} too late` + (s.errors ? `, ${count(s.errors)} errors` : ""));
  text("given", money(s.given));
  text("givenOf", `${percent(share(s.given, s.total))} of ${money(s.total)}`);
  byId("givenBar").style.width = share(s.given, s.total) + "%";
  text("settledMoney", money(s.settledMoney));
  text("settledOf", `${percent(share(s.settledMoney, s.given))} of what was given out` + (s.refunded ? `; ${money(s.refunded)} refunded` : ""));
  byId("settledBar").style.width = share(s.settledMoney, s.given) + "%";
  text("backlog", count(s.backlog));
  text("settleRate", count(s.settleRate));
  text("kills", s.kills ? `consumers killed ${count(s.kills)} times` : `${count(s.settled)} settled`);
  if (s.stage === "done") finish(s);
}

function finish(s) {
  const verdict = byId("verdict");
  verdict.hidden = false;
  verdict.classList.toggle("bad", !s.ok);
  verdict.querySelector("h2").textContent = s.ok ? "Finished: every grab is settled exactly once" : s.failure ? "The run has failed" : "Finished: the audit has failed";
  verdict.querySelector("p").textContent = s.failure || `${count(s.grabbed)} packets with ${money(s.given)} in ${s.elapsed.toFixed(1)} s. Rates and latencies are of the whole run.`;
  const findings = s.findings || [];
  byId("audit").hidden = findings.length === 0;
  byId("audit").querySelector("tbody").replaceChildren(...findings.map((f) => {
    const row = document.createElement("tr");
    row.className = f.ok ? "" : "bad";
    for (const [value, name] of [[f.name, "name"], [f.ok ? "✓ ok" : "✗ failed", "result"], [f.detail, "detail"]]) {
      const cell = row.insertCell();
      cell.className = name;
      cell.textContent = value;
    }
    return row;
  }));
}

// nice is a round number not below n: its quarters are round too.
function nice(n) {
  if (n <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(n));
  return power * [1, 2, 4, 8, 10].find((m) => m * power >= n);
}

const svg = (name, attributes, children = []) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

const margin = { left: 46, right: 8, top: 8, bottom: 20 };

// scale maps points to places in a chart.
function scale(chart) {
  const { width, height } = chart.getBoundingClientRect();
  const { given, settled } = chart.dataset;
  const first = points.length ? points[0].t : 0;
  const last = points.length ? Math.max(points[points.length - 1].t, first + 1) : 1;
  const highest = points.reduce((m, p) => Math.max(m, p[given], p[settled]), 0);
  const most = nice(highest);
  return {
    width, height, first, last, most, empty: highest <= 0,
    x: (t) => margin.left + ((width - margin.left - margin.right) * (t - first)) / (last - first),
    y: (v) => height - margin.bottom - ((height - margin.top - margin.bottom) * v) / most,
  };
}

function draw(chart) {
  const to = scale(chart);
  if (to.width < 1) return;
  const format = formats[chart.dataset.format];
  const parts = [];
  const steps = to.empty ? 0 : 4;
  for (let i = 0; i <= steps; i++) {
    const v = (to.most * i) / 4;
    parts.push(svg("line", { class: "grid", x1: margin.left, x2: to.width - margin.right, y1: to.y(v), y2: to.y(v) }));
    parts.push(svg("text", { x: margin.left - 6, y: to.y(v) + 4, "text-anchor": "end" }, [format.axis(v)]));
  }
  const base = to.height - margin.bottom;
  for (const name of ["given", "settled"]) {
    const line = points.map((p) => `${to.x(p.t).toFixed(1)},${to.y(p[chart.dataset[name]]).toFixed(1)}`).join("L");
    if (!line) continue;
    parts.push(svg("path", { class: "area " + name, d: `M${to.x(points[0].t)},${base}L${line}L${to.x(points[points.length - 1].t)},${base}Z` }));
    parts.push(svg("path", { class: name, d: "M" + line }));
  }
  for (const [t, anchor] of [[to.first, "start"], [(to.first + to.last) / 2, "middle"], [to.last, "end"]])
    parts.push(svg("text", { x: to.x(t), y: to.height - 4, "text-anchor": anchor }, [t.toFixed(t < 10 ? 1 : 0) + " s"]));
  const label = chart.previousElementSibling.textContent.trim();
  const picture = svg("svg", { role: "img", "aria-label": label, viewBox: `0 0 ${to.width} ${to.height}` }, parts);
  chart.querySelector("svg")?.remove();
  chart.prepend(picture);
  if (chart.pointer !== undefined) point(chart, to);
}

// point shows the values under the pointer.
function point(chart, to) {
  if (!points.length) return;
  const near = points.reduce((a, b) => (Math.abs(to.x(b.t) - chart.pointer) < Math.abs(to.x(a.t) - chart.pointer) ? b : a));
  const x = to.x(near.t);
  chart.querySelector(".cursor")?.remove();
  chart.querySelector("svg").append(svg("line", { class: "cursor", x1: x, x2: x, y1: margin.top, y2: to.height - margin.bottom }));
  const out = chart.querySelector("output") || chart.appendChild(document.createElement("output"));
  const full = formats[chart.dataset.format].full;
  const [first, second] = [...chart.previousElementSibling.querySelectorAll(".legend > span")].map((e) => e.textContent);
  out.textContent = `${near.t.toFixed(1)} s\n${first} ${full(near[chart.dataset.given])}\n${second} ${full(near[chart.dataset.settled])}`;
  const side = x > to.width / 2;
  out.style.left = side ? "auto" : x + 10 + "px";
  out.style.right = side ? to.width - x + 10 + "px" : "auto";
}

const charts = [...document.querySelectorAll(".chart")];
for (const chart of charts) {
  new ResizeObserver(() => draw(chart)).observe(chart);
  chart.addEventListener("pointermove", (e) => {
    chart.pointer = e.clientX - chart.getBoundingClientRect().left;
    if (chart.querySelector("svg")) point(chart, scale(chart));
  });
  chart.addEventListener("pointerleave", () => {
    delete chart.pointer;
    chart.querySelector("output")?.remove();
    chart.querySelector(".cursor")?.remove();
  });
}

function connection(state, words) {
  byId("connection").dataset.state = state;
  text("connection", words);
}

function connect() {
  const source = new EventSource("events");
  source.onopen = () => connection("live", "live");
  source.onmessage = (m) => {
    const e = JSON.parse(m.data);
    points = e.reset ? e.points : points.concat(e.points);
    show(e.state);
    charts.forEach(draw);
  };
  source.onerror = () => {
    connection("lost", document.body.dataset.stage === "done" ? "the server has ended" : "connection lost, trying again");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 1000); // the browser has given up: connect again
  };
}
connect();
