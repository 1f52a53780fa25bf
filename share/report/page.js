// What a report's page does beyond being read: theme, sorted and filtered tables, and pictures that
// show each other's marks. The page is whole without it.
(function () {
  "use strict";
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

  function theme() {
    const root = document.documentElement, button = document.createElement("button");
    const dark = () => root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
    button.type = "button";
    button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
    name();
    document.querySelector(".brand").append(button);
  }

  // Numbers compare as numbers, whatever groups their digits; empty values come last.
  function order(a, b) {
    const x = parseFloat(a.replace(/,/g, "")), y = parseFloat(b.replace(/,/g, ""));
    if (!isNaN(x) && !isNaN(y)) return x - y;
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return a.localeCompare(b);
  }

  function sort(table, column, heads) {
    const rows = all("tbody tr", table), head = heads[column];
    const down = head.getAttribute("aria-sort") === "ascending";
    const text = (row) => row.cells[column] ? row.cells[column].textContent.trim() : "";
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.sort((a, b) => (down ? -1 : 1) * order(text(a), text(b)));
    rows.forEach((row) => table.tBodies[0].append(row));
  }

  function filter(table) {
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = "Filter rows";
    field.setAttribute("aria-label", "Filter rows");
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      all("tbody tr", table).forEach((row) => {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
    });
    table.before(field);
  }

  function tables() {
    all("table").forEach((table) => {
      const rows = all("tbody tr", table);
      // Rows with heads of their own, or set in, are a tree: their order means something.
      const tree = rows.some((row) => row.querySelector("th") || /^\s/.test(row.cells[0].textContent));
      if (rows.length < 2 || !table.tHead || tree) return;
      const heads = all("thead th", table);
      heads.forEach((head, column) => {
        head.classList.add("sorts");
        head.tabIndex = 0;
        head.addEventListener("click", () => sort(table, column, heads));
        head.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(table, column, heads); });
      });
      if (rows.length > 8) filter(table);
    });
  }

  // A mark is about a run, named or told by its number of threads, or about a rank; and about a metric.
  function about(text, runs) {
    const rank = /(?:^|\n)Rank: (\d+)/.exec(text), threads = /(?:^|\n)Threads: (\d+)/.exec(text);
    const words = text.split(/[\s:,]+/);
    const run = runs.find((r) => words.includes(r.name)) ||
      (threads && !rank && runs.find((r) => r.threads === threads[1]));
    return { run: run ? run.name : "", rank: rank ? rank[1] : "", text };
  }

  function listed() {
    const table = document.querySelector("[id='tab:runs'] table");
    if (!table) return [];
    const titles = all("thead th", table).map((th) => th.textContent.trim());
    return all("tbody tr", table).map((row) => ({
      row, name: row.cells[titles.indexOf("Trace")].textContent.trim(),
      threads: row.cells[titles.indexOf("Threads")].textContent.trim(),
    }));
  }

  function links() {
    const runs = listed();
    const marks = all(".picture svg rect > title").map((title) => ({
      rect: title.parentNode, svg: title.ownerSVGElement, ...about(title.textContent, runs),
    })).filter((mark) => mark.run || mark.rank);
    const clear = () => all(".linked").forEach((e) => e.classList.remove("linked"));
    const show = (of) => {
      clear();
      marks.forEach((m) => {
        const same = (of.run && m.run === of.run) || (of.rank && m.rank === of.rank && !of.run);
        m.rect.classList.toggle("linked", Boolean(same && m.svg !== of.svg) || m === of);
      });
      runs.forEach((r) => r.row.classList.toggle("linked", r.name === of.run));
    };
    const on = (element, of) => {
      element.addEventListener("mouseenter", () => show(of));
      element.addEventListener("mouseleave", clear);
    };
    marks.forEach((mark) => on(mark.rect, mark));
    runs.forEach((r) => on(r.row, { run: r.name }));
    // A sentence about a metric shows its cells.
    all(".prose li").forEach((item) => {
      const told = marks.filter((m) => m.run && item.textContent.startsWith(m.text.split(":")[0] + " "));
      if (!told.length) return;
      item.addEventListener("mouseenter", () => {
        clear();
        item.classList.add("linked");
        told.forEach((m) => m.rect.classList.add("linked"));
      });
      item.addEventListener("mouseleave", clear);
    });
  }

  theme();
  tables();
  links();
})();
