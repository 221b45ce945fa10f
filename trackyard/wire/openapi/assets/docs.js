// The pages of /docs work as plain pages. This adds search, copy buttons, tabs, a form that sends requests, and moves
// between pages without a new load, so that a key that was typed in stays in memory.
import { startSearch } from "./search.js";
import { prepareTrial } from "./trial.js";

const main = document.getElementById("main");
const menu = document.getElementById("menu");
const menuButton = document.getElementById("menu-button");

const setMenu = (open) => {
  document.body.classList.toggle("menu-open", open);
  menuButton.setAttribute("aria-expanded", String(open));
};

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // browsers keep the clipboard for https and localhost
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function addCopyButton(block) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", () => copy(block.querySelector("code").textContent, button));
  const frame = document.createElement("div");
  frame.className = "block";
  frame.dataset.language = block.dataset.language ?? "";
  block.replaceWith(frame);
  frame.append(block, button);
}

function showLanguage(name) {
  for (const tab of main.querySelectorAll(".tabs [role=tab]")) {
    tab.setAttribute("aria-selected", String(tab.dataset.language === name));
  }
  for (const block of main.querySelectorAll("section.code .block")) {
    block.hidden = block.dataset.language !== name;
  }
}

let language = "curl";

function prepare() {
  for (const place of main.querySelectorAll(".origin")) place.textContent = location.origin;
  main.querySelectorAll("pre").forEach(addCopyButton);
  for (const tab of main.querySelectorAll(".tabs [role=tab]")) {
    tab.addEventListener("click", () => { language = tab.dataset.language; showLanguage(language); });
  }
  showLanguage(language);
  for (const button of main.querySelectorAll("[data-open-all]")) {
    const groups = [...button.closest("section").querySelectorAll("details")];
    button.hidden = groups.length === 0;
    button.addEventListener("click", () => {
      const open = button.textContent === "Open all";
      for (const group of groups) group.open = open;
      button.textContent = open ? "Close all" : "Open all";
    });
  }
  main.querySelectorAll("section.trial").forEach(prepareTrial);
}

// An error may name an item or a key that has no place of its own: then its parameter is shown.
function placeOf(hash) {
  for (let name = decodeURIComponent(hash.slice(1)); name; name = name.replace(/[[.]?[^[.]*$/, "")) {
    const place = document.getElementById(name);
    if (place) return place;
  }
  return null;
}

function showPlace(hash) {
  const place = placeOf(hash);
  document.querySelectorAll(".target").forEach((each) => each.classList.remove("target"));
  if (!place) return window.scrollTo(0, 0);
  for (let group = place.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
  (place.closest("li") ?? place).classList.add("target");
  return place.scrollIntoView({ block: "start" });
}

function markCurrent(found) {
  if (document.body.dataset.version === found.body.dataset.version) {
    for (const link of menu.querySelectorAll("a[aria-current]")) link.removeAttribute("aria-current");
    const link = menu.querySelector(`a[href="${CSS.escape(location.pathname)}"]`);
    link?.setAttribute("aria-current", "page");
    link?.closest("details")?.setAttribute("open", "");
  } else {
    menu.innerHTML = found.getElementById("menu").innerHTML;
    document.body.dataset.version = found.body.dataset.version;
  }
  document.querySelector(".versions").innerHTML = found.querySelector(".versions").innerHTML;
  document.querySelector(".brand").href = found.querySelector(".brand").href;
}

let shown = location.pathname;

async function show() {
  const { pathname, hash } = location;
  if (pathname !== shown) {
    const answer = await fetch(pathname);
    if (!answer.ok) return location.reload();
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (location.pathname !== pathname) return undefined; // another link was followed meanwhile
    main.innerHTML = found.getElementById("main").innerHTML;
    document.title = found.title;
    shown = pathname;
    markCurrent(found);
    prepare();
  }
  return showPlace(hash);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.origin !== location.origin || !link.pathname.startsWith("/docs")) return;
  event.preventDefault();
  setMenu(false);
  history.pushState(null, "", link.href);
  search.close();
  show();
});
addEventListener("popstate", () => { search.close(); show(); });
menuButton.addEventListener("click", () => setMenu(!document.body.classList.contains("menu-open")));

const THEMES = ["", "light", "dark"]; // "" follows the system
const setTheme = (name) => {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("docs-theme", name); } catch { /* storage is off: the choice ends with the page */ }
};
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
});
try { setTheme(THEMES.find((name) => name === localStorage.getItem("docs-theme")) ?? ""); } catch { setTheme(""); }

document.body.classList.add("scripted");
const search = startSearch();
prepare();
menu.querySelector("a[aria-current]")?.scrollIntoView({ block: "center" });
if (location.hash) showPlace(location.hash);
