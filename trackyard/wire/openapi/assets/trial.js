// "Try it": sends the request of a form to the API of this address, and shows the answer. The key is kept in this
// variable alone: it is in no storage, no address and no example, and ends with the page.
let key = "";
const MOST_SHOWN = 200000;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function addRow(form, name = "", value = "") {
  const row = element("div", undefined, "row");
  row.dataset.kind = "sent";
  const names = Object.assign(element("input", undefined, "name"), { value: name, placeholder: "name" });
  names.setAttribute("list", "names");
  names.setAttribute("aria-label", "Name");
  const values = Object.assign(element("input", undefined, "value"), { value, placeholder: "value" });
  values.setAttribute("aria-label", "Value");
  const remove = Object.assign(element("button", "×"), { type: "button" });
  remove.dataset.remove = "";
  remove.setAttribute("aria-label", "Remove");
  row.append(names, values, remove);
  form.querySelector(".rows").append(row);
  return row;
}

function takeFile(form, row) {
  const files = form.dataset.files.split(",").filter(Boolean);
  const values = row.querySelector(".value");
  const plain = row.querySelector(".name").value.replace(/\[\d*\]$/, "");
  const isFile = files.includes(plain);
  if (isFile !== (values.type === "file")) {
    values.value = "";
    values.type = isFile ? "file" : "text";
  }
}

function requestOf(form) {
  const { method } = form.dataset;
  let path = form.dataset.path;
  const sent = [];
  for (const row of form.querySelectorAll(".row")) {
    const name = row.querySelector(".name").value.trim();
    const values = row.querySelector(".value");
    if (row.dataset.kind === "path") path = path.replace(`{${name}}`, encodeURIComponent(values.value));
    else if (name) for (const value of values.type === "file" ? values.files : [values.value]) sent.push([name, value]);
  }
  const headers = key && form.querySelector(".key") ? { "API-Key": key } : {};
  const request = { method, headers, credentials: "omit", cache: "no-store" };
  if (method === "POST") {
    const body = sent.some(([, value]) => value instanceof File) ? new FormData() : new URLSearchParams();
    for (const [name, value] of sent) body.append(name, value);
    request.body = body;
  } else if (sent.length) {
    path += `?${new URLSearchParams(sent)}`;
  }
  return { path, request };
}

function confirmed(request, path) {
  const dialog = element("dialog");
  const text = element("p", "This deletes or changes what cannot be brought back. Send it?");
  const form = Object.assign(element("form"), { method: "dialog" });
  const buttons = element("p", undefined, "buttons");
  const yes = Object.assign(element("button", "Send", "danger"), { type: "button" });
  const no = Object.assign(element("button", "Cancel"), { type: "button", autofocus: true });
  buttons.append(no, yes);
  form.append(element("code", `${request.method} ${path}`), text, buttons);
  dialog.append(form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    const end = (answer) => { dialog.remove(); resolve(answer); };
    yes.addEventListener("click", () => end(true));
    no.addEventListener("click", () => end(false));
    dialog.addEventListener("cancel", () => end(false));
    dialog.showModal();
  });
}

function readable(text, type) {
  if (type.startsWith("application/json")) {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  }
  return text;
}

async function shown(answer, started) {
  const type = answer.headers.get("content-type") ?? "";
  const text = readable(await answer.text(), type);
  const took = Math.round(performance.now() - started);
  const head = element("p", undefined, "status");
  const mark = element("b", `${answer.status} ${answer.statusText}`.trim(), answer.ok ? "good" : "bad");
  head.append(mark, ` in ${took} ms, ${text.length.toLocaleString("en")} characters of ${type.split(";")[0] || "no type"}`);
  const headers = element("details");
  headers.append(element("summary", "Headers"), element("pre", [...answer.headers].map((pair) => pair.join(": ")).join("\n")));
  const cut = text.length > MOST_SHOWN;
  const body = element("pre", cut ? `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more characters` : text);
  return [head, headers, body];
}

async function send(form, output) {
  const { path, request } = requestOf(form);
  const empty = [...form.querySelectorAll("[data-kind=path] .value")].find((each) => !each.value);
  if (empty) return empty.focus();
  if (form.dataset.asks === "true" && !(await confirmed(request, path))) return undefined;
  output.replaceChildren(element("p", "Waiting for the answer …", "faint"));
  const started = performance.now();
  try {
    output.replaceChildren(...await shown(await fetch(path, request), started));
  } catch (fault) {
    output.replaceChildren(element("p", `There was no answer: ${fault.message}`, "bad"));
  }
  return undefined;
}

export function prepareTrial(section) {
  const form = section.querySelector("form");
  const output = section.querySelector("output");
  const keys = form.querySelector(".key");
  if (keys) {
    keys.value = key;
    keys.addEventListener("input", () => { key = keys.value.trim(); });
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form, output); });
  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-add]")) addRow(form).querySelector(".name").focus();
    event.target.closest("[data-remove]")?.closest(".row").remove();
  });
  form.addEventListener("input", (event) => {
    if (event.target.matches(".name")) takeFile(form, event.target.closest(".row"));
  });
  for (const item of document.querySelectorAll("#parameters [data-name]")) {
    if (item.classList.contains("group") || item.dataset.name in pathNames(form)) continue;
    const add = Object.assign(element("button", "try", "small add"), { type: "button", title: "Add to the form" });
    add.addEventListener("click", () => {
      const row = addRow(form, item.dataset.name);
      takeFile(form, row);
      row.querySelector(".value").focus();
    });
    item.querySelector(".head").append(add);
  }
}

function pathNames(form) {
  const rows = form.querySelectorAll("[data-kind=path] .name");
  return Object.fromEntries([...rows].map((each) => [each.value, true]));
}
