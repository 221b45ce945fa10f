// Charts: values at the pointer and with arrow keys, and days that are selected. Their tables have the same without it.
(function () {
  "use strict";
  var note = null;
  function text(name, words, parent) {
    if (!words) return;
    var line = document.createElement("span");
    line.className = name;
    line.textContent = words;
    parent.appendChild(line);
  }
  function show(chart, point) {
    hide(chart);
    chart.current = point;
    var data = point.dataset, cross = chart.querySelector(".chart-cross"), dot = chart.querySelector(".chart-cross-dot");
    if (cross && data.x) {
      cross.setAttribute("x1", data.x); cross.setAttribute("x2", data.x); cross.setAttribute("visibility", "visible");
      if (data.y) { dot.setAttribute("cx", data.x); dot.setAttribute("cy", data.y); dot.setAttribute("visibility", "visible"); }
    }
    note = note || document.createElement("div");
    note.className = "chart-note";
    note.setAttribute("role", "status");
    note.textContent = "";
    text("", data.label, note);
    text("chart-note-value", data.value, note);
    text(data.tone || "", data.change, note);
    var named = chart.closest("[data-before-name]");
    text("third", data.before && named ? data.before + " · " + named.dataset.beforeName : data.before, note);
    text("third", data.detail, note);
    var span = chart.closest("[data-span]");
    if (span) text("third", span.dataset.span, note);
    var box = chart.closest(".chart-box") || chart.parentNode;
    box.appendChild(note);
    var all = box.getBoundingClientRect(), at = point.getBoundingClientRect();
    var middle = at.left + at.width / 2 - all.left, most = Math.max(0, all.width - note.offsetWidth);
    var left = middle > all.width / 2 ? middle - note.offsetWidth - 12 : middle + 12;
    note.style.left = Math.min(most, Math.max(0, left)) + "px";
  }
  function hide(chart) {
    chart.querySelectorAll(".chart-cross, .chart-cross-dot").forEach(function (each) { each.setAttribute("visibility", "hidden"); });
    if (note) note.remove();
  }
  function days(chart) { return Array.from(chart.querySelectorAll(".chart-point[data-day]")); }
  function mark(chart, from, to) {
    var points = days(chart), ends = [points.indexOf(from), points.indexOf(to)].sort(function (one, other) { return one - other; });
    points.forEach(function (point, index) { point.classList.toggle("chosen", from !== null && index >= ends[0] && index <= ends[1]); });
  }
  function choose(chart) {
    var chosen = days(chart).filter(function (point) { return point.classList.contains("chosen"); });
    if (!chosen.length) return;
    var address = new URL(location.href);
    ["period", "page"].forEach(function (name) { address.searchParams.delete(name); });
    address.searchParams.set("from", chosen[0].dataset.day);
    address.searchParams.set("to", chosen[chosen.length - 1].dataset.day);
    location.assign(address);
  }
  document.querySelectorAll("svg.chart").forEach(function (chart) {
    var points = Array.from(chart.querySelectorAll(".chart-point")), start = null;
    if (!points.length) return;
    function can(point) { return point.dataset.day && chart.closest("[data-span]"); }
    chart.addEventListener("pointermove", function (event) {
      var point = event.target.closest(".chart-point");
      if (!point) return;
      show(chart, point);
      if (start && can(point)) mark(chart, start, point);
    });
    chart.addEventListener("pointerleave", function () { start = null; mark(chart, null, null); hide(chart); });
    chart.addEventListener("pointerdown", function (event) {
      var point = event.target.closest(".chart-point");
      if (!point || event.button !== 0 || event.pointerType === "touch" || !can(point)) return;
      event.preventDefault();
      start = point;
    });
    chart.addEventListener("pointerup", function (event) {
      var point = event.target.closest(".chart-point");
      if (start && point && point !== start && can(point)) { mark(chart, start, point); choose(chart); }
      start = null;
    });
    chart.addEventListener("focus", function () { if (chart.matches(":focus-visible")) show(chart, chart.current || points[0]); });
    chart.addEventListener("blur", function () { start = null; mark(chart, null, null); hide(chart); });
    chart.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowLeft: -1, Home: -points.length, End: points.length }[event.key];
      if (event.key === "Enter") choose(chart);
      if (event.key === "Escape") { start = null; mark(chart, null, null); hide(chart); }
      if (!step) return;
      event.preventDefault();
      var now = chart.current || points[0], next = points[Math.min(points.length - 1, Math.max(0, points.indexOf(now) + step))];
      if (event.shiftKey && can(now)) { start = start || now; mark(chart, start, next); } else { start = null; mark(chart, null, null); }
      show(chart, next);
    });
  });
})();
