(function () {
  "use strict";
  var root = document.documentElement;
  root.className = "js";
  var verdicts = ["regressed", "improved", "unchanged", "undecided", "missing"];
  var slots = ["contents", "summary", "tables"];
  var rows = [];

  function each(selector, act, within) {
    Array.prototype.forEach.call((within || document).querySelectorAll(selector), act);
  }

  function byId(id) {
    return document.getElementById(id);
  }

  // What a reader sees in a cell, as something that can be sorted; null comes last.
  function keyOf(row, column) {
    var cell = row.cells[column];
    if (column === 0) return cell.textContent;
    var word = verdicts.find(function (one) { return cell.textContent.trim().slice(2) === one; });
    if (word) return verdicts.indexOf(word);
    var shown = { normalised: ".r", percent: ".p" }[root.dataset.values] || ".a";
    var number = /-?[\d.]+(e[+-]\d+)?/.exec((cell.querySelector(shown) || cell).textContent);
    return number && Number(number[0]);
  }

  function compare(one, other, direction) {
    if (one === null || other === null) return (one === null) - (other === null);
    var order = typeof one === "number" ? one - other
      : one.localeCompare(other, "en", { numeric: true });
    return direction * order;
  }

  // Up, then down, then as the benchmark has it.
  function sort(head) {
    var table = head.closest("table");
    var before = head.getAttribute("aria-sort");
    var next = before === "ascending" ? "descending" : before === "descending" ? "" : "ascending";
    each("[aria-sort]", function (other) { other.removeAttribute("aria-sort"); }, table);
    if (next) head.setAttribute("aria-sort", next);
    arrange(table);
  }

  function arrange(table) {
    var head = table.querySelector("[aria-sort]");
    var sorted = table.original.slice();
    if (head) {
      var direction = head.getAttribute("aria-sort") === "ascending" ? 1 : -1;
      var column = Number(head.dataset.sort);
      var keys = new Map(sorted.map(function (row) { return [row, keyOf(row, column)]; }));
      sorted.sort(function (one, other) { return compare(keys.get(one), keys.get(other), direction); });
    }
    table.tBodies[0].append.apply(table.tBodies[0], sorted);
  }

  function filter() {
    var terms = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    var wanted = byId("verdict").value.split(" ").filter(Boolean);
    var shown = 0;
    rows.forEach(function (one) {
      var fits = terms.every(function (term) { return one.text.indexOf(term) >= 0; });
      if (wanted.length) fits = fits && wanted.some(function (word) { return one.verdicts.indexOf(word) >= 0; });
      one.row.hidden = !fits;
      shown += fits;
    });
    [".result", ".benchmark"].forEach(function (part) {
      each(part, function (box) { box.hidden = !box.querySelector("tbody tr:not([hidden])"); });
    });
    byId("shown").textContent = shown + " of " + rows.length + " rows";
  }

  // What was swapped in has to be made ready: buttons that work, the order of rows, the texts to filter by.
  function prepare() {
    rows = [];
    each(".data", function (table) {
      var heading = table.caption.querySelector("strong").textContent.toLowerCase();
      if (!table.original) {
        table.original = Array.prototype.slice.call(table.tBodies[0].rows);
        each("th button", function (button) {
          button.disabled = false;
          button.title = "Sort";
        }, table);
      }
      table.original.forEach(function (row) {
        rows.push({
          row: row,
          text: heading + " " + row.cells[0].textContent.toLowerCase(),
          verdicts: row.dataset.v.split(" "),
        });
      });
    });
    filter();
  }

  // Each view is kept as the reader left it; drawings move along, they are the same in all views.
  var views = {};
  var current = "0";

  function choose(kernel) {
    var template = document.querySelector('template[data-baseline="' + kernel + '"]');
    var content = views[kernel] || (template ? template.content.cloneNode(true) : null);
    if (!content || kernel === current) return;
    var kept = document.createDocumentFragment();
    slots.forEach(function (name) {
      var old = document.querySelector('[data-slot="' + name + '"]');
      var fresh = content.querySelector('[data-slot="' + name + '"]');
      each("figure", function (figure) {
        var place = figure.closest("[data-plots]").dataset.plots;
        var target = fresh.querySelector('[data-plots="' + place + '"]');
        if (target) target.append(figure);
      }, old);
      old.replaceWith(fresh);
      kept.append(old);
    });
    views[current] = kept;
    current = kernel;
    prepare();
  }

  function copy(button) {
    var text = button.closest(".under").querySelector("pre");
    function done(words) {
      byId("shown").textContent = words;
      button.textContent = words;
      setTimeout(function () { button.textContent = "Copy as text"; }, 2000);
    }
    function select() {
      text.parentNode.open = true;
      getSelection().selectAllChildren(text);
      done(document.execCommand("copy") ? "Copied" : "Selected");
    }
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(text.textContent + "\n").then(function () { done("Copied"); }, select);
  }

  // A link to a row that a filter hides shows it.
  function follow() {
    var target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest("[hidden]")) return;
    byId("filter").value = byId("verdict").value = "";
    filter();
    target.scrollIntoView();
  }

  document.addEventListener("DOMContentLoaded", function () {
    prepare();
    byId("filter").addEventListener("input", filter);
    byId("verdict").addEventListener("change", filter);
    byId("values").addEventListener("change", function () {
      root.dataset.values = this.value;
      each(".data", function (table) { if (table.querySelector("[aria-sort]")) arrange(table); });
    });
    byId("theme").addEventListener("change", function () { root.dataset.theme = this.value; });
    if (byId("baseline")) byId("baseline").addEventListener("change", function () { choose(this.value); });
    document.querySelector(".tools").addEventListener("submit", function (event) { event.preventDefault(); });
    document.addEventListener("click", function (event) {
      var head = event.target.closest("th[data-sort]");
      if (head) sort(head);
      else if (event.target.closest(".copy")) copy(event.target.closest(".copy"));
    });
    addEventListener("hashchange", follow);
    follow();
  });
})();
