// Search over methods, parameters, answer fields and guides. The index is loaded when the field is used first.
const MOST_METHODS = 40;
const MOST_FIELDS = 4;
const field = document.getElementById("search");
const results = document.getElementById("results");
const indexes = new Map();

async function indexOf(version) {
  if (!indexes.has(version)) {
    const loading = fetch(`/docs/${version}/search.json`).then((answer) => answer.json()).then(prepared);
    loading.catch(() => indexes.delete(version));
    indexes.set(version, loading);
  }
  return indexes.get(version);
}

function prepared(index) {
  const texts = index.texts.map((text) => text.toLowerCase());
  const fields = (flat) => {
    const found = [];
    for (let at = 0; at < flat.length; at += 2) {
      found.push({ path: flat[at], name: flat[at].toLowerCase(), text: index.texts[flat[at + 1]], low: texts[flat[at + 1]] });
    }
    return found;
  };
  const methods = index.methods.map(([id, method, path, summary, topic, description, sent, answered]) => ({
    id, method, path, summary, topic, head: `${method} ${path} ${id} ${summary} ${index.topics[topic]}`.toLowerCase(),
    description: description.toLowerCase(), sent: fields(sent), answered: fields(answered),
  }));
  const guides = index.guides.map(([place, title, above, text]) => ({
    place, title, above, text, head: `${title} ${above}`.toLowerCase(), low: text.toLowerCase(),
  }));
  return { topics: index.topics, methods, guides };
}

// A field counts by its last name: "value" finds caps[0][value] before value_of_something.
function fieldRank(each, words) {
  if (!words.every((word) => each.name.includes(word) || each.low.includes(word))) return 0;
  const last = each.name.replace(/\]$/, "").split(/[[.]/).pop();
  if (words.length === 1 && (last === words[0] || each.name === words[0])) return 6;
  if (words.every((word) => each.name.includes(word))) return 4;
  return words.some((word) => each.name.includes(word)) ? 2 : 1;
}

const best = (fields, words) => fields
  .map((each) => ({ each, rank: fieldRank(each, words) }))
  .filter(({ rank }) => rank > 0)
  .sort((one, other) => other.rank - one.rank);

function methodHit(method, words) {
  const sent = best(method.sent, words);
  const answered = best(method.answered, words);
  let rank = 0;
  if (words.every((word) => method.head.includes(word))) rank = 10;
  else if (words.every((word) => `${method.head} ${method.description}`.includes(word))) rank = 3;
  rank = Math.max(rank, (sent[0]?.rank ?? 0) + (sent.length ? 1 : 0), answered[0]?.rank ?? 0);
  return { method, rank, sent, answered };
}

function guideHit(guide, words) {
  if (words.every((word) => guide.head.includes(word))) return { guide, rank: 12 };
  return { guide, rank: words.every((word) => `${guide.head} ${guide.low}`.includes(word)) ? 8 : 0 };
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const link = (href, ...parts) => {
  const made = element("a");
  made.href = href;
  made.append(...parts);
  return made;
};

function around(text, words) {
  const low = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((place) => place >= 0)) - 40);
  const cut = text.slice(at, at + 160).replace(/[`|]/g, " ").replace(/\s+/g, " ").trim();
  return (at > 0 ? "… " : "") + cut + (at + 160 < text.length ? " …" : "");
}

function fieldLinks(version, method, hits, kind, label) {
  return hits.slice(0, MOST_FIELDS).map(({ each }) => {
    const item = element("li");
    const place = `/docs/${version}/${method.id}#${encodeURIComponent(`${kind}-${each.path}`)}`;
    item.append(link(place, element("code", each.path), element("small", label), element("span", each.text.replaceAll("`", ""))));
    return item;
  });
}

function shownMethod(version, { method, sent, answered }) {
  const item = element("li");
  item.append(link(`/docs/${version}/${method.id}`, element("span", method.method, `method ${method.method.toLowerCase()}`),
    element("code", method.path), element("span", method.summary)));
  const fields = [...fieldLinks(version, method, sent, "p", "parameter"), ...fieldLinks(version, method, answered, "a", "answer")];
  if (fields.length) {
    const list = element("ul");
    list.append(...fields.slice(0, MOST_FIELDS));
    item.append(list);
  }
  return item;
}

function section(title, items) {
  const made = element("section");
  const list = element("ul");
  list.append(...items);
  made.append(element("h2", title), list);
  return made;
}

function shownResults(index, version, words) {
  const guides = index.guides.map((guide) => guideHit(guide, words)).filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank).slice(0, 8);
  const all = index.methods.map((method) => methodHit(method, words)).filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  const methods = all.slice(0, MOST_METHODS);
  const sections = [];
  if (guides.length) {
    sections.push(section("Guides", guides.map(({ guide }) => {
      const item = element("li");
      item.append(link(`/docs/${version}/guides/${guide.place}`, element("b", guide.title), element("small", guide.above),
        element("span", around(guide.text, words))));
      return item;
    })));
  }
  for (const topic of new Set(methods.map(({ method }) => method.topic))) { // in the order of their best method
    const own = methods.filter(({ method }) => method.topic === topic);
    sections.push(section(index.topics[topic], own.map((hit) => shownMethod(version, hit))));
  }
  if (all.length > methods.length) {
    sections.push(element("p", `${all.length - methods.length} more methods: add a word to narrow the search.`, "faint"));
  }
  return sections;
}

export function startSearch() {
  const close = () => { results.hidden = true; document.body.classList.remove("searching"); };
  const say = (text) => results.replaceChildren(element("p", text, "nothing"));
  const run = async () => {
    const typed = field.value;
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return close();
    results.hidden = false;
    document.body.classList.add("searching");
    const { version } = document.body.dataset;
    if (!results.childElementCount) say("Searching …");
    try {
      const index = await indexOf(version);
      if (field.value !== typed) return undefined;
      const sections = shownResults(index, version, words);
      if (sections.length) results.replaceChildren(...sections);
      else say(`Nothing found for “${typed.trim()}”. Try a part of a word, or fewer words.`);
    } catch {
      say("The search is not available: the server did not answer.");
    }
    return undefined;
  };
  field.addEventListener("focus", () => { indexOf(document.body.dataset.version).catch(() => {}); });
  field.addEventListener("input", run);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { field.value = ""; close(); field.blur(); }
    if (event.key === "Enter") results.querySelector("a")?.click();
    if (event.key === "ArrowDown") { event.preventDefault(); results.querySelector("a")?.focus(); }
  });
  results.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const links = [...results.querySelectorAll("a")];
    (links[links.indexOf(document.activeElement) + step] ?? field).focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  });
  return { close };
}
