// The page: what is stated in its fields goes to the library in a worker, and what it answers is shown.
"use strict";

const at = (id) => document.getElementById(id);
const lines = (id) => at(id).value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
const show = (id, shown) => { at(id).hidden = !shown; };
const say = (id, text) => { at(id).textContent = text; };

// ---- The library in its worker: one question at a time.

let unpacked;
let worker;
// Kept once the worker listens; a new worker, a new promise.
let started;
let waiting;
let turn = Promise.resolve();

async function unpack(id) {
  const packed = Uint8Array.from(atob(at(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function post(message) {
  return new Promise((answered, refused) => {
    waiting = { answered, refused };
    worker.postMessage(message);
  });
}

function heard({ data }) {
  if ("progress" in data) {
    at("progress").value = data.progress;
  } else if ("ledger" in data) {
    keep(data.ledger);
  } else if ("answer" in data) {
    waiting.answered(JSON.parse(data.answer));
  } else if ("refusal" in data) {
    waiting.refused(JSON.parse(data.refusal));
  } else {
    anew({ text: "The library ended unexpectedly, perhaps for lack of memory. Nothing was released.", about: [] });
  }
}

async function start() {
  unpacked ??= await WebAssembly.compile(await unpack("library"));
  worker?.terminate();
  const code = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
  worker = new Worker(code);
  URL.revokeObjectURL(code);
  worker.onmessage = heard;
  worker.onerror = () => failed({ text: "The library could not be started in this browser." });
  return post({ module: unpacked });
}

function ask(call, question) {
  const asked = turn.then(() => started).then(() => post({ call, question: JSON.stringify(question), file: table }));
  turn = asked.catch(() => {});
  return asked;
}

// Ends the question that waits with an error, and the worker, which hears nothing while it computes.
function anew(error) {
  const { refused } = waiting;
  started = start();
  started.catch(failed);
  refused(error);
}

function cancel() {
  anew({ text: "Stopped. Nothing was released; an entry that a budget already has stays spent.", about: [] });
}

function failed(error) {
  say("failure", error.text ?? "This browser lacks something that the page needs: it takes a current one.");
  show("failure", true);
}

// ---- 1 Table.

let table;
let found;
// The epsilons that this page has released from the table.
let spent = [];

async function open(file) {
  [table, found, spent] = [file, undefined, []];
  for (const form of ["facts", "release"]) at(form).reset();
  show("opened", false);
  show("released", false);
  show("empty", true);
  show("forecast-box", false);
  kept(undefined);
  await look({ name: table.name });
}

async function look(question) {
  const looking = question.name;
  await busy(`Reading ${looking}`, async () => {
    found = await ask("inspect", question);
    fill(found);
    say("status", `${looking}: ${found.rows} rows, ${found.columns} columns.`);
  });
  ready();
  await forecast();
}

function fill({ facts, paired, classes, event, names, findings }) {
  say("findings", "");
  for (const { topic, text, odd, about, value } of findings) {
    const item = document.createElement("li");
    const where = about.map(label).filter((words) => words !== "");
    const stated = value === null ? "" : ` = ${value}`;
    item.textContent = `${topic}: ${text}${where.length > 0 ? ` (${where.join("; ")}${stated})` : ""}`;
    item.classList.toggle("odd", odd);
    at("findings").append(item);
  }
  const named = names.slice(0, 2000).map((name) => Object.assign(document.createElement("option"), { value: name }));
  at("names").replaceChildren(...named);
  at("target").value = facts.target ?? names.at(-1);
  for (const name of ["id", "unit", "delimiter"]) at(name).value = facts[name] ?? "";
  at("paired").checked = paired;
  for (const name of ["exclude", "missing"]) at(name).value = facts[name].join("\n");
  at("numeric_names").checked = facts.numeric_names;
  for (const name of ["features_as_rows", "decimal_comma"]) at(name).value = facts[name] ?? "";
  if (at("kind").value !== "range") at("kind").value = classes === null ? "number" : "classes";
  if (event !== null) {
    at("kind").value = "event";
    [at("time").value, at("event").value, at("event_value").value, at("by").value] = event;
  }
  if (classes !== null) at("classes").value = classes.join("\n");
  // What was found to matter is not hidden.
  at("more").open ||= facts.unit !== undefined || facts.features_as_rows === true || facts.decimal_comma !== null;
  kinds();
  show("opened", true);
  say("stale", "");
}

function kinds() {
  show("of-classes", at("kind").value === "classes");
  show("of-range", at("kind").value === "range");
  show("of-event", at("kind").value === "event");
  show("of-column", at("kind").value !== "event");
}

function yesOrNo(name) {
  return { "": null, true: true, false: false }[at(name).value];
}

function factsStated() {
  const target = at("target").value;
  const isPlace = /^\d+$/.test(target) && !found?.names.includes(target);
  return {
    target: target === "" || at("kind").value === "event" ? null : isPlace ? Number(target) : target,
    id: at("id").value || null,
    unit: at("unit").value || null,
    exclude: lines("exclude"),
    missing: lines("missing"),
    features_as_rows: yesOrNo("features_as_rows"),
    delimiter: at("delimiter").value || null,
    decimal_comma: yesOrNo("decimal_comma"),
    numeric_names: at("numeric_names").checked,
  };
}

function targetStated() {
  switch (at("kind").value) {
    case "classes": return { classes: lines("classes") };
    case "event": return { time: at("time").value, event: [at("event").value, at("event_value").value], by: at("by").value };
    case "range": return { target_bounds: [at("low").value, at("high").value] };
    default: return { target_number: true };
  }
}

// ---- 2 Question.

// The whole number in a field: as JSON, none would be an option that is left out.
function whole(id) {
  const text = at(id).value.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw { text: "This must be a whole number.", about: [id] };
}

function optionsStated() {
  const more = at("options").value.trim();
  const names = at("question").elements.names.value === "k" ? { k: whole("k") } : { fwer: at("fwer").value };
  const direction = at("direction").checked ? { direction: true } : {};
  const score = at("paired").checked ? { score: "paired" } : {};
  let further = {};
  try {
    further = more === "" ? {} : JSON.parse(more);
  } catch {
    throw { text: "The further options are no JSON object.", about: ["options"] };
  }
  return { ...targetStated(), ...names, ...direction, ...score, epsilon: at("epsilon").value.trim(), ...further };
}

function odds() {
  const [over, under = "1"] = at("epsilon").value.split("/");
  const epsilon = Number(over) / Number(under);
  if (!(epsilon > 0)) return say("odds", "");
  at("slider").value = Math.round(100 * Math.log10(epsilon));
  const who = at("unit").value === "" ? "row" : "person";
  const right = Math.ceil(1000 / (1 + Math.exp(-epsilon)) - 1e-9) / 10;
  say("odds", `Somebody who knows all other ${who === "row" ? "rows" : "people"} and bets on whether one ${who} is in the table is right ` +
    `at most ${right} times of 100 after the release, instead of 50 before it.`);
}

let newest = 0;
async function forecast() {
  const own = ++newest;
  odds();
  invalid([]);
  if (!found) return;
  // While somebody drags, nothing is asked.
  await new Promise((later) => setTimeout(later, 150));
  if (own !== newest) return;
  const outcome = await outlook().catch((error) => error);
  if (own !== newest) return;
  say("forecast", outcome.text);
  if (outcome.about.length > 0) invalid(outcome.about);
  show("forecast-box", true);
}

async function outlook() {
  if (at("stale").textContent !== "") return { text: "Look at the table again for a forecast.", about: [] };
  const options = optionsStated();
  const { counts, features } = found;
  const { text, spent: parts } = await ask("forecast", { options, rows: counts, features });
  const shares = parts.map((part) => `${part.for} ${part.epsilon}`).join(", ");
  return { text: `${text} Epsilon is split: ${shares}.`, about: [] };
}

// ---- 3 Release.

let ledger;
let isSaved = true;

// The library has added an entry: it is spent, whatever comes.
function keep(text) {
  ledger = text;
  isSaved = false;
  at("save-ledger").disabled = false;
}

async function kept(text) {
  ledger = text;
  at("save-ledger").disabled = text === undefined;
  if (text === undefined) {
    isSaved = true;
    return say("left", "none is kept");
  }
  const balance = await ask("readLedger", { ledger: { text } });
  say("left", `${balance.left} of ${balance.cap} left, ${balance.entries} ${balance.entries === 1 ? "entry" : "entries"}` +
    `${isSaved ? "" : ", not saved yet"}`);
  return balance;
}

async function release() {
  const isRehearsal = at("seed").value.trim() !== "";
  const options = optionsStated();
  const question = { name: table.name, facts: factsStated(), options };
  if (isRehearsal) {
    question.seed = whole("seed");
  } else {
    if (ledger === undefined && at("cap").value.trim() !== "") {
      const made = await ask("newLedger", { ...question, cap: at("cap").value.trim() });
      await kept(made.text);
    }
    if (ledger !== undefined) question.ledger = { text: ledger, note: at("note").value.trim() };
  }
  try {
    result(await ask("select", question));
    if (!isRehearsal) spent.push(options.epsilon);
  } finally {
    if (ledger !== undefined) await kept(ledger);
  }
  say("status", spent.length === 0 ? "Done." : `Done. Since it was opened, this page has released from this table with epsilon ${spent.join(" + ")}.`);
}

// Whether a release can be asked for.
function ready() {
  const open = found?.open ?? [];
  say("settle", open.length === 0 ? "" : `Settle first, then look again: ${open.map(label).join("; ")}.`);
  show("settle", open.length > 0);
  at("go").disabled = !found || open.length > 0;
}

async function busy(words, work) {
  const buttons = ["go", "look", "demo", "file", "ledger"].map(at);
  invalid([]);
  say("status", `${words} ...`);
  buttons.forEach((button) => { button.disabled = true; });
  at("progress").removeAttribute("value");
  show("progress", true);
  show("cancel", true);
  try {
    await work();
  } catch (error) {
    say("status", [error.text, ...error.about.map(label)].filter((text) => text !== "").join("\n"));
    invalid(error.about);
  } finally {
    show("progress", false);
    show("cancel", false);
    buttons.forEach((button) => { button.disabled = false; });
    ready();
  }
}

// The words of an option's field; its name if there is none.
function label(option) {
  const own = field(option);
  const words = own?.labels?.[0]?.textContent ?? own?.getAttribute("aria-label");
  return words?.trim().replace(/\s+/g, " ") ?? `option ${option}`;
}

function field(option) {
  const elsewhere = { target_bounds: "low", target_number: "kind", target_index: "target" };
  return at(elsewhere[option] ?? option);
}

function invalid(options) {
  for (const marked of document.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  for (const option of options) field(option)?.setAttribute("aria-invalid", "true");
}

// ---- 4 Result.

let shown;

function result(answer) {
  shown = answer;
  const record = JSON.parse(answer.json);
  const { private: isPrivate, guarantee } = record;
  say("verdict", isPrivate
    ? `Private: this may be released. Epsilon ${guarantee.epsilon}, delta ${guarantee.delta}.`
    : "NOT PRIVATE: a rehearsal with a seed, not for release.");
  at("verdict").className = `notice ${isPrivate ? "good" : "danger"}`;
  at("released").classList.toggle("not-private", !isPrivate);
  at("selected").replaceChildren(...answer.names.map((name) => Object.assign(document.createElement("li"), { textContent: name })));
  at("record").srcdoc = answer.html;
  show("empty", false);
  show("released", true);
  at("step-result").focus();
}

// The policy lets no style attribute pass, but a script may set what it says.
function dress() {
  const page = at("record").contentDocument;
  for (const part of page.querySelectorAll("[style]")) part.style.cssText = part.getAttribute("style");
  // The buttons of this page save.
  for (const saved of page.querySelectorAll("[download]")) saved.parentElement.remove();
  const fit = () => { at("record").style.height = `${page.documentElement.offsetHeight + 4}px`; };
  new ResizeObserver(fit).observe(page.documentElement);
}

function save(name, type, text) {
  const file = URL.createObjectURL(new Blob([text], { type }));
  const handle = document.createElement("a");
  [handle.download, handle.href] = [name, file];
  handle.click();
  setTimeout(() => URL.revokeObjectURL(file), 60000);
}

// ---- Events.

function take(file) {
  if (!file || at("file").disabled) return;
  if (!isSaved) return say("status", "Save the record of the budget first: another table has another one.");
  open(file).catch(failed);
}

at("file").onchange = () => take(at("file").files[0]);
at("demo").onclick = async () => take(new File([await unpack("demo-table")], "demo.csv"));
for (const event of ["dragover", "dragleave", "drop"]) {
  // Elsewhere a dropped file would replace the page.
  window.addEventListener(event, (dropped) => {
    dropped.preventDefault();
    document.body.classList.toggle("over", event === "dragover");
    if (event === "drop") take(dropped.dataTransfer.files[0]);
  });
}
at("facts").oninput = () => {
  kinds();
  say("stale", "Changed: look again.");
  forecast();
};
at("facts").onsubmit = (event) => {
  event.preventDefault();
  const stated = { name: table.name, facts: factsStated(), options: targetStated() };
  look(stated);
};
at("question").oninput = ({ target }) => {
  if (target === at("slider")) at("epsilon").value = String(Number((10 ** (target.value / 100)).toPrecision(2)));
  if (target === at("k") || target === at("fwer")) at("question").elements.names.value = target === at("k") ? "k" : "all";
  forecast();
};
at("question").onsubmit = (event) => event.preventDefault();
at("release").onsubmit = (event) => {
  event.preventDefault();
  busy("Selecting", release);
};
at("cancel").onclick = cancel;
at("ledger").onchange = () => busy("Opening the record of the budget", async () => {
  const [file] = at("ledger").files;
  if (!file) return;
  const text = await file.text();
  isSaved = true;
  await kept(text).catch((error) => {
    kept(undefined);
    throw error;
  });
  say("status", "The record of the budget is open.");
});
at("save-ledger").onclick = () => {
  save(`${table.name}-budget.txt`, "text/plain", ledger);
  isSaved = true;
  kept(ledger);
};
at("save-html").onclick = () => save("record.html", "text/html", shown.html);
at("save-json").onclick = () => save("record.json", "application/json", shown.json);
at("save-names").onclick = () => save("names.txt", "text/plain", shown.names.join("\n") + "\n");
at("record").onload = dress;
window.addEventListener("beforeunload", (event) => {
  if (!isSaved) event.preventDefault();
});

started = start();
started.then(({ fwer }) => {
  at("fwer").value ||= fwer;
  odds();
}, failed);
