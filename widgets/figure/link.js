// One choice drives all: a function that is clicked in a table, in a list of calls or in a pane is
// found by every picture of the page; a second click has those that zoom look at it.
(function (page) {
  "use strict";
  if (page.pjLink) return;
  let views = [], last = null;

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

  /// What is clicked, and the element that is marked for it.
  function asked(target) {
    if (!target.closest || target.closest(".pj-alive,.pj-find,.pj-spot,a,input,select,textarea")) return null;
    const marked = target.closest("[data-pj-call]"), pane = target.closest(".pj-call");
    if (marked) return { text: marked.dataset.pjCall, at: marked };
    if (pane) return { text: pane.title.replace(/, ([^,]*:\d+)$/, "").replace(/^<method '(.*?)' of .*>$/, "$1"), at: pane };
    const row = target.closest("button") ? null : target.closest("tbody tr");
    return row && row.cells.length ? { text: row.cells[0].textContent, at: row } : null;
  }

  document.addEventListener("click", (event) => {
    const what = asked(event.target);
    if (!what || !what.text.trim()) return;
    views = views.filter((view) => view.at.isConnected);
    const again = !!last && last.at === what.at;
    if (!views.filter((view) => view.show(call(what.text), again)).length) return;
    if (what.at.dataset.pjCall) event.preventDefault(); // the rest of its row folds
    if (last) last.at.style.outline = "";
    what.at.style.outline = "2px solid #c2187a";
    last = what;
  });

  /// `show(call, again)` says whether it has the function; `at` is the element that it lives in.
  page.pjLink = { fits, add: (at, show) => views.push({ at, show }) };
})(window);
