// Niceties of the pages. Everything works without them.
(function () {
  "use strict";
  var find = document.getElementById("find");
  var keys = document.getElementById("keys");
  function keysAreOn() { return !("noKeys" in document.body.dataset) && !/(?:^|; )trackyard-keys=off(?:;|$)/.test(document.cookie); }
  document.querySelectorAll("[data-keys]").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () { closeMenus(null); keys.showModal(); });
  });
  document.querySelectorAll("[data-keys-on]").forEach(function (box) {
    box.checked = keysAreOn();
    box.addEventListener("change", function () {
      document.cookie = "trackyard-keys=" + (box.checked ? "on" : "off") + "; path=/; max-age=31536000; samesite=lax";
    });
  });
  document.addEventListener("keydown", function (event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
    if (event.key === "Escape") closeMenus(null);
    if (typing || !keysAreOn()) return;
    if (event.key === "/" && find) { event.preventDefault(); find.focus(); find.select(); }
    if (event.key === "?" && keys && !keys.open) { event.preventDefault(); keys.showModal(); }
  });
  function closeMenus(kept) {
    document.querySelectorAll("details.menu[open]").forEach(function (menu) {
      if (menu !== kept && !menu.contains(kept)) menu.open = false;
    });
  }
  document.addEventListener("click", function (event) { closeMenus(event.target.closest("details.menu")); });
  var late = document.querySelector(".columns > .late"), slot = document.querySelector(".columns .waiting");
  if (late && slot) slot.replaceWith.apply(slot, late.childNodes); // a part that came after its page goes to its place
  document.querySelectorAll("[data-submit]").forEach(function (control) {
    control.addEventListener("change", function () { control.form.requestSubmit(); });
  });
  document.querySelectorAll("[data-check-all]").forEach(function (all) {
    all.hidden = false;
    all.addEventListener("change", function () {
      Array.from(all.form.elements).forEach(function (box) { if (box.name === all.dataset.checkAll) { box.checked = all.checked; } });
    });
  });
  document.querySelectorAll("[data-copy]").forEach(function (button) {
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(button.dataset.copy).then(function () { button.textContent = button.dataset.done; });
    });
  });
})();
