// Put into a report's page behind its own script: what users do, and what they must then see. The
// page's title tells the result.
(function () {
  "use strict";
  const wrong = [];
  const want = (holds, what) => { if (!holds) wrong.push(what); };
  const first = (table) => table.tBodies[0].rows[0].cells;
  const enter = (element) => element.dispatchEvent(new MouseEvent("mouseenter"));
  const linked = (within) => within.querySelectorAll(".linked").length;

  const runs = document.querySelector("[id='tab:runs'] table"), head = runs.tHead.rows[0].cells;
  const column = Array.from(head).findIndex((th) => th.textContent.startsWith("Runtime"));
  head[column].click();
  const least = parseFloat(first(runs)[column].textContent);
  head[column].click();
  want(least < parseFloat(first(runs)[column].textContent), "a second click does not turn the order");

  enter(runs.tBodies[0].rows[0]);
  want(linked(runs) === 1, "a run's row does not show itself");
  want(linked(document.querySelector("[id='fig:speedup']")) > 0, "a run is not shown in the speedup");
  want(linked(document.querySelector("[id='tab:efficiencies']")) > 0, "a run is not shown in the table");

  const spot = document.querySelector("[id='fig:load-balance'] svg rect > title").parentNode;
  enter(spot);
  want(linked(document.querySelector("[id='fig:structure']")) > 0, "a rank is not shown in the other picture");

  const told = Array.from(document.querySelectorAll(".prose li"))
    .find((li) => li.textContent.startsWith("MPI load balance"));
  enter(told);
  want(linked(document.querySelector("[id='tab:efficiencies']")) > 0, "words do not show their row");

  const filter = document.querySelector(".filter");
  want(filter, "no long table can be filtered");
  if (filter) {
    const table = filter.nextElementSibling, rows = Array.from(table.tBodies[0].rows);
    filter.value = "no such text";
    filter.dispatchEvent(new Event("input"));
    want(rows.every((row) => row.hidden), "a filter leaves rows");
  }

  const paper = () => getComputedStyle(document.body).backgroundColor, before = paper();
  document.querySelector(".brand button").click();
  want(paper() !== before, "the theme does not change");
  want(Array.from(document.querySelectorAll("a[href^='#']"))
    .every((a) => document.getElementById(a.getAttribute("href").slice(1))), "a link leads nowhere");
  document.title = wrong.length ? wrong.join("; ") : "all as wanted";
})();
