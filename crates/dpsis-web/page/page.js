// The page: it sends the values of its fields to the library in a worker, and shows the answers.
"use strict";

const at = (id) => document.getElementById(id);
const lines = (id) => at(id).value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
const show = (id, shown) => { at(id).hidden = !shown; };
const say = (id, text) => { at(id).textContent = text; };

// ---- The library in its worker: one question at a time.

let unpacked;
let worker;
// Resolved when the worker is ready; each worker has its own promise.
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
    const text = "The library ended unexpectedly, perhaps for lack of memory. Nothing was released.";
    anew({ kind: "Broken", text, about: [] });
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
  const answered = turn.then(() => started).then(() => post({ call, question: JSON.stringify(question), file: table }));
  turn = answered.catch(() => {});
  return answered;
}

// Ends the open question with an error, and the worker: it receives no messages while it computes.
function anew(error) {
  const { refused } = waiting;
  started = start();
  started.catch(failed);
  refused(error);
}

function cancel() {
  anew({ kind: "Stopped", text: "Stopped. Nothing was released; an entry that the ledger already has stays spent.", about: [] });
}

function failed(error) {
  say("failure", error.text ?? "This browser lacks something that the page needs: it takes a current one.");
  show("failure", true);
}

// ---- 1 Table.

let table;
let found;
// The fields that the user has changed since the table was opened: another look does not fill them.
const changed = new Set();

async function openTable(file) {
  [table, found] = [file, undefined];
  changed.clear();
  for (const form of ["facts", "release"]) at(form).reset();
  say("stale", "");
  show("opened", false);
  show("released", false);
  show("empty", true);
  show("forecast-box", false);
  closeLedger();
  await look({ name: table.name }, "file-error");
}

// Inspects the table; an error is shown in `place`.
async function look(question, place) {
  const looking = question.name;
  await busy(`Reading ${looking}`, place, async () => {
    found = await ask("inspect", question);
    fill(found);
    say("status", `${looking}: ${found.rows} rows, ${found.columns} columns.`);
  });
  await forecast();
}

function fill({ facts, paired, classes, event, names, findings }) {
  say("findings", "");
  for (const { topic, text, odd, about, value } of findings) {
    const item = document.createElement("li");
    const where = about.map(label).filter((words) => words !== "");
    const given = value === null ? "" : ` = ${value}`;
    item.textContent = `${topic}: ${text}${where.length > 0 ? ` (${where.join("; ")}${given})` : ""}`;
    item.classList.toggle("odd", odd);
    at("findings").append(item);
  }
  const named = names.slice(0, 2000).map((name) => Object.assign(document.createElement("option"), { value: name }));
  at("names").replaceChildren(...named);
  const propose = (id, value) => {
    const key = at(id).type === "checkbox" ? "checked" : "value";
    if (!changed.has(id)) at(id)[key] = value;
  };
  propose("target", facts.target ?? names.at(-1));
  for (const name of ["id", "unit", "delimiter"]) propose(name, facts[name] ?? "");
  propose("paired", paired);
  for (const name of ["exclude", "missing"]) propose(name, facts[name].join("\n"));
  propose("numeric_names", facts.numeric_names);
  for (const name of ["features_as_rows", "decimal_comma"]) propose(name, facts[name] ?? "");
  if (event !== null) {
    propose("kind", "event");
    ["time", "event", "event_value", "by"].forEach((id, place) => propose(id, event[place]));
  } else {
    propose("kind", classes === null ? "number" : "classes");
  }
  if (classes !== null) propose("classes", classes.join("\n"));
  // Fields that the findings are about are not hidden.
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

function factsGiven() {
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

function targetGiven() {
  switch (at("kind").value) {
    case "classes": return { classes: lines("classes") };
    case "event": return { time: at("time").value, event: [at("event").value, at("event_value").value], by: at("by").value };
    case "range": return { target_bounds: [at("low").value, at("high").value] };
    default: return { target_number: true };
  }
}

// Options for another look: the classes of the former target do not fit this one.
function targetToLookFor() {
  const isNew = changed.has("target") && !changed.has("kind") && !changed.has("classes");
  return isNew && at("kind").value === "classes" ? {} : targetGiven();
}

// ---- 2 Question.

// An exact number, as the library reads one: a numerator and a denominator.
function exact(text) {
  const parts = text.trim().split("/").map((part) => /^\+?(\d*)\.?(\d*)(?:e([-+]?\d{1,3}))?$/i.exec(part));
  if (parts.length > 2 || parts.some((part) => !part || part[1] + part[2] === "")) return undefined;
  const decimal = ([, whole, fraction, power = "0"]) => {
    const places = BigInt(power) - BigInt(fraction.length);
    const digits = BigInt(whole + fraction);
    return places < 0n ? [digits, 10n ** -places] : [digits * 10n ** places, 1n];
  };
  const [[over, under], [second, third]] = [decimal(parts[0]), parts[1] ? decimal(parts[1]) : [1n, 1n]];
  return second === 0n ? undefined : [over * third, under * second];
}

const minus = ([a, b], [c, d]) => [a * d - c * b, b * d];
const plus = ([a, b], [c, d]) => [a * d + c * b, b * d];

// As the library writes exact numbers: as a decimal if that is short, else as a fraction.
function written([over, under]) {
  let [a, b] = [over < 0n ? -over : over, under];
  while (b > 0n) [a, b] = [b, a % b];
  const [top, bottom] = [over / a, under / a];
  for (let places = 0; places <= 20; places += 1) {
    const scaled = top * 10n ** BigInt(places);
    if (scaled % bottom === 0n) {
      const digits = String(scaled / bottom).padStart(places + 1, "0");
      return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
    }
  }
  return `${top}/${bottom}`;
}

// The whole number in a field. An empty field is an error, since JSON would omit the option.
function whole(id) {
  const text = at(id).value.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw { text: "This must be a whole number.", about: [id] };
}

// Options that have fields of their own.
const OWN_FIELDS = [
  "k", "fwer", "epsilon", "direction", "seed", "ledger", "cap", "note", "classes", "time", "event", "by", "target_bounds",
  "target_number", "target", "target_index", "id", "unit", "exclude", "missing", "features_as_rows", "delimiter",
  "decimal_comma", "numeric_names",
];

// The further options: none of them has a field of its own.
function furtherOptions() {
  const text = at("options").value.trim();
  let further = {};
  try {
    further = text === "" ? {} : JSON.parse(text);
  } catch {
    further = null;
  }
  if (further === null || typeof further !== "object" || Array.isArray(further)) {
    throw { text: "The further options are not a JSON object.", about: ["options"] };
  }
  const refuse = (option, place) => {
    throw { text: `Remove "${option}" from the further options: it is set by the field "${place}".`, about: ["options"] };
  };
  for (const option of OWN_FIELDS) {
    if (Object.hasOwn(further, option)) refuse(option, label(option.startsWith("target_") ? "kind" : option));
  }
  if (Object.hasOwn(further, "score") && at("paired").checked) refuse("score", label("paired"));
  return further;
}

function optionsGiven() {
  const names = at("question").elements.names.value === "k" ? { k: whole("k") } : { fwer: at("fwer").value };
  const direction = at("direction").checked ? { direction: true } : {};
  const score = at("paired").checked ? { score: "paired" } : {};
  return { ...furtherOptions(), ...targetGiven(), ...names, ...direction, ...score, epsilon: at("epsilon").value.trim() };
}

// The meaning of epsilon, with the delta and the neighbor relation of the further options.
function odds() {
  const [over, under] = exact(at("epsilon").value) ?? [0n, 1n];
  const epsilon = Number(over) / Number(under);
  if (!(epsilon > 0)) return say("odds", "");
  at("slider").value = Math.round(100 * Math.log10(epsilon));
  let further = {};
  try {
    further = furtherOptions();
  } catch {
    return say("odds", "");
  }
  const who = at("unit").value === "" ? "row" : "person";
  const [top, bottom] = exact(String(further.delta ?? "0")) ?? [0n, 1n];
  const [failure, less] = [Number(top) / Number(bottom), Math.exp(-epsilon)];
  const right = Math.ceil((1000 * (1 + failure * less)) / (1 + less) - 1e-9) / 10;
  const isReplaced = String(further.neighbors).startsWith("replace");
  const bet = isReplaced ? `which of two given values one ${who} has` : `whether one ${who} is in the table`;
  say("odds", `Somebody with the data of all other ${who === "row" ? "rows" : "people"} who bets on ${bet} is right ` +
    `at most ${right} times of 100 after the release, instead of 50 before it.`);
}

let newest = 0;
async function forecast() {
  const own = ++newest;
  odds();
  invalid([]);
  ready();
  if (!found) return;
  // While somebody drags the slider, no forecast is made.
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
  const options = optionsGiven();
  const { counts, features } = found;
  const { text, spent: parts } = await ask("forecast", { options, rows: counts, features });
  const shares = parts.map((part) => `${part.for} ${part.epsilon}`).join(", ");
  return { text: `${text} Epsilon is split: ${shares}.`, about: [] };
}

// ---- 3 Release.

// The text of the open ledger, and its balance.
let ledger;
let balance;
let isSaved = true;
// The epsilons spent without a ledger, by the name of the table.
const spent = new Map();

// The library has added an entry: it is spent, however the run ends.
function keep(text) {
  ledger = text;
  isSaved = false;
}

// Makes this the open ledger. Where the library refuses the text, the open one stays.
async function useLedger(text, saved) {
  balance = await ask("readLedger", { ledger: { text } });
  [ledger, isSaved] = [text, saved];
  budget();
}

function closeLedger() {
  [ledger, balance, isSaved] = [undefined, undefined, true];
  budget();
}

// Shows the true state of the budget.
function budget() {
  const isOpen = ledger !== undefined;
  at("save-ledger").disabled = !isOpen;
  at("cap").disabled = isOpen;
  const entries = isOpen && `${balance.entries} ${balance.entries === 1 ? "entry" : "entries"}`;
  say("left", isOpen ? `${balance.left} of ${balance.cap} remaining, ${entries}${isSaved ? "" : ", not saved yet"}` : "none");
  const alone = spent.get(table?.name) ?? [];
  const sums = [];
  if (isOpen) sums.push(`Spent by the ledger: ${balance.spent} of ${balance.cap}, ${balance.left} remaining.`);
  if (alone.length > 0) {
    const parts = alone.map(({ epsilon, hasFailed }) => `${epsilon}${hasFailed ? " (a failed run, at most)" : ""}`);
    sums.push(`Spent by this page on ${table.name} without a ledger: ${parts.join(" + ")}${alone.length > 1 ? ` = ${sumOf(alone)}` : ""}.`);
  }
  say("tally", sums.join(" "));
  ready();
}

function sumOf(alone) {
  return written(alone.map(({ epsilon }) => exact(epsilon)).reduce(plus, [0n, 1n]));
}

// Errors after which nothing counts as spent: the table was not read, or the user stopped the run.
const UNSPENT = ["Request", "Budget", "Stopped"];

async function release() {
  const isRehearsal = at("seed").value.trim() !== "";
  const options = optionsGiven();
  const question = { name: table.name, facts: factsGiven(), options };
  const cap = at("cap").value.trim();
  const isNew = !isRehearsal && ledger === undefined && cap !== "";
  if (isRehearsal) question.seed = whole("seed");
  if (isNew) await useLedger((await ask("newLedger", { ...question, cap })).text, true);
  const isAlone = !isRehearsal && ledger === undefined;
  if (!isRehearsal && !isAlone) question.ledger = { text: ledger, note: at("note").value.trim() };
  const count = (hasFailed) => {
    if (isAlone) spent.set(table.name, [...(spent.get(table.name) ?? []), { epsilon: options.epsilon, hasFailed }]);
  };
  let answer;
  try {
    answer = await ask("select", question);
    count(false);
  } catch (error) {
    if (!UNSPENT.includes(error.kind)) count(true);
    throw error;
  } finally {
    if (ledger !== undefined) await useLedger(ledger, isSaved);
    // A refused run leaves no ledger behind, so that its cap can be corrected.
    if (isNew && balance.entries === 0) closeLedger();
    budget();
  }
  result(answer);
  say("status", "Done.");
}

// The label of the button, with the epsilon that it spends, and whether it is enabled.
function offer() {
  const seed = at("seed").value.trim();
  if (seed !== "") return { words: `Rehearse with seed ${seed}: not private, spends nothing`, isPossible: true };
  const epsilon = at("epsilon").value.trim();
  const amount = exact(epsilon);
  if (!amount || amount[0] === 0n) return { words: "Release: epsilon must be a number above 0", isPossible: false };
  const cap = ledger === undefined ? at("cap").value.trim() : balance.cap;
  if (cap === "") {
    const alone = spent.get(table?.name) ?? [];
    const before = alone.length > 0 ? `${sumOf(alone)} spent before, ` : "";
    return { words: `Release, spending epsilon ${epsilon} (${before}no ledger)`, isPossible: true };
  }
  const [limit, left] = [exact(cap), exact(ledger === undefined ? cap : balance.left)];
  if (!limit) return { words: "Release: the cap of the new ledger must be a number", isPossible: false };
  const rest = minus(left, amount);
  if (rest[0] < 0n) return { words: `Epsilon ${epsilon} is more than what remains: ${written(left)} of ${cap}`, isPossible: false };
  return { words: `Release, spending epsilon ${epsilon} (${written(rest)} of ${cap} would remain)`, isPossible: true };
}

let isBusy = false;

// Whether a release can be requested, and its epsilon.
function ready() {
  const open = found?.open ?? [];
  const names = found?.findings.filter(({ topic, odd }) => topic === "names" && odd) ?? [];
  const settle = [
    open.length === 0 ? "" : `Settle first, then look again: ${open.map(label).join("; ")}.`,
    names.length === 0 ? "" : `Repair the names in the file first: ${names.map(({ text }) => text).join("; ")}.`,
  ];
  say("settle", settle.join(" ").trim());
  show("settle", settle.join("") !== "");
  const { words, isPossible } = offer();
  say("go", words);
  const isStale = at("stale").textContent !== "";
  at("go").disabled = isBusy || !found || settle.join("") !== "" || isStale || !isPossible;
}

// Works, and shows an error in `place`, which takes the focus.
async function busy(words, place, work) {
  const buttons = ["look", "demo", "file", "ledger"].map(at);
  invalid([]);
  for (const error of document.querySelectorAll(".error")) error.hidden = true;
  say("status", `${words} ...`);
  isBusy = true;
  buttons.forEach((button) => { button.disabled = true; });
  at("progress").removeAttribute("value");
  show("progress", true);
  show("cancel", true);
  ready();
  let failure;
  try {
    await work();
  } catch (error) {
    failure = error;
  } finally {
    isBusy = false;
    show("progress", false);
    show("cancel", false);
    buttons.forEach((button) => { button.disabled = false; });
    ready();
  }
  if (failure) refuse(failure, place);
}

// Shows an error where the user looks.
function refuse(error, place) {
  if (error.text === undefined) throw error;
  if (place !== "status") say("status", "");
  say(place, [error.text, ...error.about.map(label)].filter((text) => text !== "").join("\n"));
  show(place, true);
  invalid(error.about);
  at(place).focus();
  at(place).scrollIntoView({ block: "nearest" });
}

// The label of an option's field; the name of the option if it has no field.
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

// Of each name: whether it is significant, and its adjusted p-value; null where this was not released.
function namesWithSignificance({ selected, estimates }) {
  return selected.map(({ name }, place) => {
    const { significant: significant = null, p_value: p = null } = estimates[place] ?? {};
    return { name, significant, p };
  });
}

// A p-value in words: two digits, rounded up.
function atMost(p) {
  const places = 1 - Math.floor(Math.log10(Math.min(Math.max(p, 1e-9), 1)));
  const above = Math.ceil(p * 10 ** places - 1e-9) / 10 ** places;
  return above < 1 ? `at most ${above.toFixed(places)}` : "= 1";
}

function headline(names, { significance, public: { false_discoveries: bound } }) {
  const count = names.filter(({ significant }) => significant).length;
  const of = names.length === 1 ? "the 1 name" : `the ${names.length} names`;
  if (names.length === 0) return ["warning", "No name: no feature is significant."];
  if (names.every(({ significant }) => significant === null)) {
    return ["note", `Significance was not released (${significance.text}): any name may be a null feature.`];
  }
  if (bound && count === names.length) {
    return ["good", `All names are significant. The probability of any false discovery is at most ${bound.fwer}.`];
  }
  const level = "at a family-wise error rate of 5%";
  if (count === 0) return ["warning", `None of ${of} is significant ${level}: each may be a null feature.`];
  if (count === names.length) return ["good", `All of ${of} are significant ${level}.`];
  return ["note", `${count} of ${of} ${count === 1 ? "is" : "are"} significant ${level}. The others may be null features.`];
}

function result(answer) {
  const record = JSON.parse(answer.json);
  const { private: isPrivate, guarantee } = record;
  const names = namesWithSignificance(record);
  shown = { ...answer, names };
  const [level, words] = headline(names, record);
  say("significance", words);
  at("significance").className = `notice ${level}`;
  say("privacy", isPrivate
    ? `Private: the names and the record may be released. Epsilon ${guarantee.epsilon}, delta ${guarantee.delta}.`
    : "NOT PRIVATE: drawn from a seed, not for release.");
  at("privacy").className = `notice ${isPrivate ? "good" : "danger"}`;
  at("released").classList.toggle("not-private", !isPrivate);
  at("selected").replaceChildren(...names.map(nameInWords));
  at("record").srcdoc = answer.html;
  show("empty", false);
  show("released", true);
  at("step-result").focus();
}

function nameInWords({ name, significant, p }) {
  const part = (words, kind) => Object.assign(document.createElement("span"), { textContent: words, className: kind });
  const item = document.createElement("li");
  const standing = significant === null ? "significance not released" : significant ? "significant" : "not significant";
  const adjusted = p === null ? "" : `, adjusted p ${atMost(p)}`;
  const kind = significant === null ? "unknown" : significant ? "significant" : "not";
  item.append(part(name, "name"), " ", part(`${standing}${adjusted}`, kind));
  return item;
}

// A table separated by tabs, below a header.
function namesAsTable(names) {
  const lines = names.map(({ name, significant, p }) => {
    const standing = significant === null ? "not released" : significant ? "yes" : "no";
    return `${name.replaceAll("\t", " ")}\t${standing}\t${p ?? ""}\n`;
  });
  return ["name\tsignificant\tadjusted_p\n", ...lines].join("");
}

// The policy blocks style attributes, but a script may set the styles.
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
  if (!isSaved) {
    return refuse({ text: "Save the ledger first: another table has another one.", about: [] }, "file-error");
  }
  openTable(file).catch(failed);
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
at("facts").oninput = ({ target: { id } }) => {
  changed.add(id);
  // Another target has another kind and other classes.
  if (id === "target") ["kind", "classes"].forEach((other) => changed.delete(other));
  kinds();
  say("stale", "Changed: look again.");
  forecast();
};
at("facts").onsubmit = (event) => {
  event.preventDefault();
  look({ name: table.name, facts: factsGiven(), options: targetToLookFor() }, "look-error");
};
at("question").oninput = ({ target }) => {
  if (target === at("slider")) at("epsilon").value = String(Number((10 ** (target.value / 100)).toPrecision(2)));
  if (target === at("k") || target === at("fwer")) at("question").elements.names.value = target === at("k") ? "k" : "all";
  forecast();
};
at("question").onsubmit = (event) => event.preventDefault();
// The Enter key in a field releases nothing: only the button does, which names its epsilon.
at("release").onsubmit = (event) => event.preventDefault();
at("release").oninput = ready;
at("go").onclick = ({ detail }) => {
  const offered = at("go").textContent;
  ready();
  // A double click is one click, and the epsilon on the button is spent.
  if (detail <= 1 && !at("go").disabled && at("go").textContent === offered) busy("Selecting", "status", release);
};
at("cancel").onclick = cancel;
at("ledger").onchange = async () => {
  const [file] = at("ledger").files;
  if (!file) return;
  await busy("Opening the ledger", "ledger-error", async () => {
    if (!isSaved) throw { text: "Save the open ledger first.", about: [] };
    await useLedger(await file.text(), true);
    say("status", "The ledger is open.");
  });
  // The same file can be chosen again.
  at("ledger").value = "";
};
at("save-ledger").onclick = () => {
  save(`${table.name}-budget.txt`, "text/plain", ledger);
  isSaved = true;
  budget();
};
at("save-html").onclick = () => save("record.html", "text/html", shown.html);
at("save-json").onclick = () => save("record.json", "application/json", shown.json);
at("save-names").onclick = () => save("names.txt", "text/plain", namesAsTable(shown.names));
at("record").onload = dress;
window.addEventListener("beforeunload", (event) => {
  if (!isSaved) event.preventDefault();
});

started = start();
started.then(({ fwer }) => {
  at("fwer").value ||= fwer;
  odds();
}, failed);
