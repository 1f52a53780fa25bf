// Makes any picture with hover texts one that is searched and walked by keys: what is found stands
// out, the one that is reached is told below. A picture is whole without it.
(function (page) {
  "use strict";
  if (page.pjSearch) return;
  const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg", ROOM = 34, SAID = 96;
  const light = "--ink:#1b1f24;--muted:#5b6470;--rule:#8b94a0;--paper:#fff;--mark:#b5005b",
    dark = "--ink:#e8ebef;--muted:#aab2bd;--rule:#6b7480;--paper:#16191d;--mark:#ff5cae";
  const css = `.pj-find{${light};color:var(--ink);font:12px Inter,'DejaVu Sans','Segoe UI',
Roboto,'Helvetica Neue',Arial,sans-serif;border-radius:6px;padding:4px 8px;box-sizing:border-box;line-height:1.4}
@media(prefers-color-scheme:dark){.pj-find{${dark}}}
[data-jp-theme-light=true] .pj-find,[data-theme=light] .pj-find,.vscode-light .pj-find{${light}}
[data-jp-theme-light=false] .pj-find,[data-theme=dark] .pj-find,.vscode-dark .pj-find{${dark}}
.pj-find input{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--rule);border-radius:4px;
padding:2px 8px;height:26px;margin:0 10px 0 0}.pj-find output{color:var(--muted)}
.pj-find pre{font:inherit;color:inherit;background:none;white-space:pre-wrap;overflow-wrap:anywhere;margin:2px 0;padding:0}
.pj-spot{outline:none;cursor:pointer}
div.pj-spot:focus-visible,div.pj-spot.pj-here{box-shadow:0 0 0 2px #1b1f24,0 0 0 3px #fff;z-index:3}
div.pj-spot.pj-found{box-shadow:0 0 0 2px #d0006f,0 0 0 3px #fff;z-index:2}
.pj-finding div.pj-spot:not(.pj-found){background:rgba(128,134,142,.38)}
rect.pj-spot:focus-visible,rect.pj-spot.pj-here{stroke:#1b1f24;stroke-width:2}
rect.pj-spot.pj-found{stroke:#d0006f;stroke-width:2}
.pj-finding rect.pj-spot:not(.pj-found){fill:#fff;fill-opacity:.6}`;

  const tag = (name, attributes, ...children) => {
    const element = document.createElementNS(HTML, name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  function style() {
    if (document.getElementById("pj-find-style")) return;
    const root = document.documentElement;
    const element = document.createElementNS(root.namespaceURI === SVG ? SVG : HTML, "style");
    element.id = "pj-find-style";
    element.textContent = css;
    (document.head || root).append(element);
  }

  /// `frame` holds the spots, each with its text; returns the bar above and what is told below.
  function make(frame, spots) {
    const search = tag("input", { type: "search", placeholder: "Search", "aria-label": "Search in the picture", size: 20,
      "data-lm-suppress-shortcuts": "true" });
    const found = tag("output"), told = tag("pre", { "aria-live": "polite" });
    let here = null, chosen = null; // elsewhere on the page
    for (const spot of spots) {
      spot.at.classList.add("pj-spot");
      for (const [key, value] of [["role", "img"], ["tabindex", spot === spots[0] ? "0" : "-1"], ["aria-label", spot.text],
        ["data-lm-suppress-shortcuts", "true"]]) spot.at.setAttribute(key, value);
    }
    const of = (element) => spots.find((spot) => spot.at === element);

    /// Whether the first line of a spot names what is chosen.
    const isOf = (spot) => spot.text.split("\n")[0].split(/, | calls |: /).some((word) =>
      page.pjLink.fits(chosen, word, word, ""));

    function seek() {
      const wanted = search.value.trim().toLowerCase();
      let count = 0;
      for (const spot of spots) {
        const hit = chosen ? isOf(spot) : !!wanted && spot.text.toLowerCase().includes(wanted);
        spot.at.classList.toggle("pj-found", hit);
        count += hit;
      }
      frame.classList.toggle("pj-finding", !!wanted);
      found.textContent = !wanted ? "" : count ? `${count.toLocaleString("en")} of ${spots.length.toLocaleString("en")}`
        : "nothing found";
    }

    function reach(spot, focus) {
      if (!spot) return;
      if (here) {
        here.at.setAttribute("tabindex", "-1");
        here.at.classList.remove("pj-here");
      }
      here = spot;
      here.at.setAttribute("tabindex", "0");
      here.at.classList.add("pj-here");
      told.textContent = here.text;
      if (focus) here.at.focus({ preventScroll: true });
    }

    /// The nearest one that way; what lies across counts twice.
    function beside(x, y) {
      const middle = (spot) => {
        const box = spot.at.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
      };
      const [cx, cy] = middle(here || spots[0]);
      let best = null, least = Infinity;
      for (const spot of spots) {
        if (spot === here) continue;
        const [sx, sy] = middle(spot), along = (sx - cx) * x + (sy - cy) * y, across = Math.abs((sx - cx) * y) + Math.abs((sy - cy) * x);
        if (along > 0.5 && along + 2 * across < least) {
          least = along + 2 * across;
          best = spot;
        }
      }
      return best;
    }
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

    /// What it is about: the first line up to a comma.
    const name = (spot) => spot.text.split("\n")[0].split(/, | calls /)[0];
    search.addEventListener("input", () => { chosen = null; seek(); });
    page.pjLink.add(frame, (call) => {
      const before = chosen;
      chosen = call;
      if (!spots.some(isOf)) {
        chosen = before;
        return false;
      }
      search.value = call.name;
      seek();
      return true;
    });
    frame.addEventListener("click", (event) => {
      const spot = of(event.target);
      reach(spot);
      if (spot) page.pjLink.tell(name(spot), name(spot), "");
    });
    frame.addEventListener("focusin", (event) => reach(of(event.target)));
    frame.addEventListener("keydown", (event) => {
      if (ways[event.key] && of(event.target)) reach(beside(...ways[event.key]), true);
      else if (event.key === "Enter" && here) search.value = search.value === name(here) ? "" : name(here);
      else if (event.key === "Escape") search.value = "";
      else return;
      chosen = ways[event.key] ? chosen : null;
      seek();
      event.preventDefault();
      event.stopPropagation();
    });
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      search.value = "";
      chosen = null;
      seek();
    });
    return [tag("div", { class: "pj-find" }, search, found), tag("div", { class: "pj-find" }, told)];
  }

  /// In a page: `box` holds elements with titles over a picture.
  function inPage(box) {
    if (!box || box.pjSearch) return;
    const spots = [...box.querySelectorAll("div[title]")].map((at) => ({ at, text: at.title }));
    box.pjSearch = true;
    if (!spots.length) return;
    style();
    const [bar, said] = make(box, spots);
    box.before(bar);
    box.after(said);
  }

  /// A file of its own: the picture makes room above and below.
  function inFile(root) {
    const spots = [...root.querySelectorAll("g[pointer-events=all] > rect")]
      .map((at) => ({ at, text: at.querySelector("title").textContent }));
    if (!spots.length) return;
    style();
    const [, , width, height] = root.getAttribute("viewBox").split(" ").map(Number);
    const parts = make(root, spots);
    [[-ROOM, ROOM], [height, SAID]].forEach(([y, tall], k) => {
      const room = document.createElementNS(SVG, "foreignObject");
      for (const [key, value] of Object.entries({ x: 0, y, width, height: tall })) room.setAttribute(key, value);
      room.append(parts[k]);
      root.append(room);
    });
    root.setAttribute("viewBox", `0 ${-ROOM} ${width} ${height + ROOM + SAID}`);
    root.setAttribute("height", `${height + ROOM + SAID}px`);
  }

  page.pjSearch = { inPage, inFile };
})(window);
