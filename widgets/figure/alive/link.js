// One choice drives all: a function that is clicked in a table, in a list of calls or in a pane is
// found by every picture of the page; a second click has those that zoom look at it. One that is
// clicked in a picture is marked in tables, lists and panes. And what is folded stays as it was left.
(function (page) {
  "use strict";
  if (page.pjLink) return;
  const MARKED_MOST = 200, FOLDS_MOST = 1000;
  let views = [], last = null, marked = [];

  /// "survey.py:31(xypix)", "{mpi4py.MPI.Comm.Barrier}", "solve".
  function call(text) {
    const at = /^(.+?:\d+)\((.+)\)$/.exec(text.trim());
    if (at) return { name: at[2], place: at[1] };
    return { name: text.trim().replace(/^\{(.*)\}$/, "$1"), place: "" };
  }

  /// Whether it is a function of these names; a place that one side does not know is any.
  function fits(one, short, full, place) {
    const named = one.name === short || one.name === full || one.name.endsWith(`.${short}`);
    return named && (!one.place || !place || one.place.endsWith(place) || place.endsWith(one.place));
  }

  /// What an element tells of.
  function told(at) {
    if (at.dataset.pjCall) return at.dataset.pjCall;
    if (at.matches(".pj-call"))
      return at.title.replace(/, ([^,]*:\d+)$/, "").replace(/^<method '(.*?)' of .*>$/, "$1");
    return at.cells && at.cells.length ? at.cells[0].textContent : "";
  }

  /// What is clicked, and the element that is marked for it.
  function asked(target) {
    if (!target.closest || target.closest(".pj-alive,.pj-find,.pj-spot,a,input,select,textarea")) return null;
    const at = target.closest("[data-pj-call]") || target.closest(".pj-call") ||
      (target.closest("button") ? null : target.closest("tbody tr"));
    return at && { text: told(at), at };
  }

  const mark = (at, colour) => { at.style.outline = colour ? `2px solid ${colour}` : ""; };

  function forget() {
    marked.forEach((at) => mark(at));
    if (last) mark(last.at);
    marked = [];
    last = null;
  }

  document.addEventListener("click", (event) => {
    const what = asked(event.target);
    if (!what || !what.text.trim()) return;
    views = views.filter((view) => view.at.isConnected);
    const again = !!last && last.at === what.at;
    if (!views.filter((view) => view.show(call(what.text), again)).length) return;
    if (what.at.dataset.pjCall) event.preventDefault(); // the rest of its row folds
    forget();
    mark(what.at, "#c2187a");
    last = what;
  });

  // ---- what a picture shows is marked

  /// A function of a picture: its rows are marked, the lists above them opened, and each list that
  /// scrolls is scrolled to its first one. The page itself stays where it is.
  function tell(short, full, place) {
    const scrolled = new Set();
    forget();
    marked = [...document.querySelectorAll("[data-pj-call],.pj-call,tbody tr")].filter((at) => {
      const text = at.closest(".pj-alive") ? "" : told(at);
      return text.trim() && fits(call(text), short, full, place);
    }).slice(0, MARKED_MOST);
    for (const at of marked) {
      mark(at, "#c2187a");
      for (let up = at.parentElement; up; up = up.parentElement) {
        if (up.tagName === "DETAILS" && !up.querySelector(":scope > summary").contains(at)) up.open = true;
        if (scrolled.has(up) || up.querySelector(".pj-alive,.pj-spot")) break;
        if (up.scrollHeight <= up.clientHeight + 1 || !/auto|scroll/.test(getComputedStyle(up).overflowY)) continue;
        scrolled.add(up);
        up.scrollTop += at.getBoundingClientRect().top - up.getBoundingClientRect().top - up.clientHeight / 3;
        break;
      }
    }
    return marked.length;
  }

  // ---- folds

  const store = () => { try { return page.localStorage; } catch { return null; } };
  const key = (tree) => `pj-folds ${tree.dataset.pjFolds}`;
  const kept = (tree) => { try { return JSON.parse(store().getItem(key(tree))) || {}; } catch { return {}; } };

  /// "run/meet/wait": the calls that lead to a row.
  function way(details) {
    const names = [];
    for (let at = details; at; at = at.parentElement.closest("details"))
      names.unshift(at.querySelector(":scope > summary [data-pj-call]")?.dataset.pjCall || "");
    return names.join("/");
  }

  document.addEventListener("toggle", (event) => {
    const tree = event.target.closest && event.target.closest("[data-pj-folds]");
    if (!tree || !tree.pjFolds) return; // the browser tells of those that are open at the begin, too
    const state = kept(tree), name = way(event.target);
    if (state[name] === event.target.open) return;
    delete state[name];
    state[name] = event.target.open;
    for (const old of Object.keys(state).slice(0, -FOLDS_MOST)) delete state[old];
    try { store().setItem(key(tree), JSON.stringify(state)); } catch { /* no room, or not allowed */ }
  }, true);

  /// Folds as they were left, when a tree is drawn anew and when the page is opened again.
  function restore(tree) {
    const state = kept(tree);
    if (Object.keys(state).length)
      for (const details of tree.querySelectorAll("details")) {
        const open = state[way(details)];
        if (open !== undefined && open !== details.open) details.open = open;
      }
    setTimeout(() => { tree.pjFolds = true; }, 0);
  }
  function look(root) {
    if (root.querySelectorAll)
      for (const tree of [root, ...root.querySelectorAll("[data-pj-folds]")])
        if (tree.dataset && tree.dataset.pjFolds !== undefined && !tree.pjFolds) restore(tree);
  }
  look(document.documentElement);
  if (page.MutationObserver)
    new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(look)))
      .observe(document.documentElement, { childList: true, subtree: true });

  /// `show(call, again)` says whether it has the function; `at` is the element that it lives in.
  /// `tell(short, full, place)` marks a function that a picture shows.
  page.pjLink = { fits, tell, add: (at, show) => views.push({ at, show }) };
})(window);
