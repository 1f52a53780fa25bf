// Makes pictures of boxes within boxes alive: click zooms, the list of calls leads back, hover and
// keys tell what a box is, search highlights. A picture is whole without it.
(function (page) {
  "use strict";
  if (page.pjAlive) return;
  const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";
  const SELF = 1, ESTIMATED = 2, MORE = 4, CALLS = 8, NOISE = 16, REST = "#eceff2";
  const ROW = 21, RANKED_ROW = 25, LEAST_ROWS = 6, LISTED = 150, LETTERS = 5, NARROW = 0.012, LEAST_PX = 0.5, LEAST_ARC = 0.005;
  const FONT = "Inter,'DejaVu Sans','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

  // Colours follow the front end's theme, else the browser's. Dark turns what is drawn as it turns
  // pictures that stand still (PJ_DARK_FILTER): a function has one colour in both.
  const light = "--ink:#1b1f24;--muted:#5b6470;--rule:#8b94a0;--paper:#fff;--rest:#eceff2;" +
    "--mark:#b5005b", dark = "--ink:#e8ebef;--muted:#aab2bd;--rule:#6b7480;--paper:#16191d;" +
    "--rest:#343b44;--mark:#ff5cae", still = "--turn:none",
    turned = "--turn:invert(.91) hue-rotate(180deg)";
  const css = `.pj-alive{${light};${still};color:var(--ink);background:var(--paper);border-radius:6px;
padding:12px 16px;position:relative;font:12px ${FONT};box-sizing:border-box;max-width:940px;line-height:1.4}
@media(prefers-color-scheme:dark){.pj-alive{${dark};${turned}}}
[data-jp-theme-light=true] .pj-alive,[data-theme=light] .pj-alive,.vscode-light .pj-alive{${light};${still}}
[data-jp-theme-light=false] .pj-alive,[data-theme=dark] .pj-alive,.vscode-dark .pj-alive{${dark};${turned}}
.pj-alive svg,.pj-alive i{${light};filter:var(--turn)}
.pj-alive *{box-sizing:border-box}
.pj-alive .pj-title{font-size:15px;font-weight:600}.pj-alive .pj-muted{color:var(--muted)}
.pj-alive .pj-bar{display:flex;flex-wrap:wrap;gap:6px 12px;align-items:center;margin:8px 0 4px}
.pj-alive button,.pj-alive select,.pj-alive input{font:inherit;color:var(--ink);background:var(--paper);
border:1px solid var(--rule);border-radius:4px;padding:2px 8px;height:26px;margin:0}
.pj-alive button{cursor:pointer}.pj-alive button:disabled{opacity:.7;cursor:default}
.pj-alive .pj-calls{display:flex;flex-wrap:wrap;gap:2px 4px;align-items:center;margin:2px 0 6px}
.pj-alive .pj-calls button{border-color:transparent;padding:0 4px;height:22px;text-decoration:underline;
max-width:22em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.pj-alive .pj-calls [aria-current]{text-decoration:none;font-weight:600;opacity:1}
.pj-alive svg{display:block;overflow:visible}.pj-alive .pj-box{cursor:pointer;outline:none}
.pj-alive .pj-box text{pointer-events:none}
.pj-alive .pj-box:focus-visible .pj-shape,.pj-alive .pj-box.pj-here .pj-shape{stroke:var(--ink);stroke-width:2}
.pj-alive .pj-same .pj-shape{stroke:#c000c0;stroke-width:1.5}
.pj-alive .pj-found .pj-shape{stroke:var(--mark);stroke-width:2}
.pj-alive .pj-searched .pj-box:not(.pj-found){opacity:.45}
.pj-alive .pj-tip{position:absolute;z-index:9;pointer-events:none;background:var(--paper);color:var(--ink);
border:1px solid var(--rule);border-radius:4px;padding:6px 9px;white-space:pre-wrap;max-width:min(460px,90%);
overflow-wrap:anywhere;box-shadow:0 2px 8px rgba(0,0,0,.3)}
.pj-alive .pj-tip:empty{display:none}
.pj-alive .pj-keys{display:flex;flex-wrap:wrap;gap:2px 14px;margin-top:6px}
.pj-alive .pj-keys i{display:inline-block;width:11px;height:11px;border-radius:2.5px;margin-right:5px;
vertical-align:-1px}
.pj-alive .pj-list{border-collapse:collapse;margin:0;font-size:11.5px;color:var(--ink)}
.pj-alive .pj-list tr{background:none!important}.pj-alive .pj-list td{padding:0 4px;border:0;text-align:right;white-space:nowrap;background:none}
.pj-alive .pj-list td:first-child{text-align:left}
.pj-alive .pj-list i{display:inline-block;width:10px;height:10px;border-radius:2.5px;margin-right:4px}
.pj-alive .pj-list button{border:0;padding:0 2px;height:19px;background:none}
.pj-alive .pj-stage{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start}`;

  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  /// Words that are written from right to left stand apart: numbers beside them stay on their side.
  const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  const apart = (text) => LEFTWARD.test(text)
    ? text.replace(/\S+/g, (word) => LEFTWARD.test(word) ? `\u2066${word}\u2069` : word) : text;
  const round = (x) => Math.round(x * 100) / 100;

  function digits(x, whole) {
    return x.toFixed(whole && x === Math.floor(x) ? 0 : x < 9.995 ? 2 : x < 99.95 ? 1 : 0);
  }

  /// As the picture itself writes them: three digits in the largest unit that leaves at least 1.
  function scaled(value, units) {
    let i = 0;
    while (i + 1 < units.length && value >= 999.5 * units[i][1]) i++;
    return `${digits(value / units[i][1], i === 0)} ${units[i][0]}`;
  }

  function amount(data, value) {
    if (value === null) return "not told";
    if (data.ns) return scaled(value * data.ns, TIMES);
    if (data.unit === "B") return scaled(value, SIZES);
    const text = value === Math.floor(value) ? value.toLocaleString("en") : +value.toPrecision(4);
    return data.unit ? `${text} ${data.unit}` : `${text}`;
  }

  const TIMES = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
  const SIZES = [["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9], ["TB", 1e12]];

  /// A column of amounts: one unit, one number of decimals, four digits of the largest.
  function column(data, most) {
    const units = data.ns ? TIMES : data.unit === "B" ? SIZES : [[data.unit, 1]], scale = data.ns || 1;
    const [unit, factor] = units.filter((one) => most * scale >= one[1]).pop() || units[0];
    const before = Math.max(0, Math.floor(Math.log10(most * scale / factor || 1))) + 1;
    const decimals = factor === 1 ? 0 : Math.max(0, 4 - before), least = 10 ** -decimals;
    return { head: unit ? `[${unit}]` : "", text: (value) => {
      const shown = value * scale / factor, slight = shown > 0 && shown < least / 2;
      return (slight ? "<" : "") + (slight ? least : shown).toLocaleString("en",
        { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    } };
  }

  /// The same of shares: "100.0", "0.4", "<0.1".
  function percent(part, whole) {
    const of = whole > 0 ? 100 * part / whole : 0;
    return of > 0 && of < 0.05 ? "<0.1" : of.toFixed(1);
  }

  function share(part, whole) {
    const percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.05) return "<0.1\u00a0%";
    return `${percent.toFixed(percent < 9.95 ? 1 : 0)}\u00a0%`;
  }

  // ---- changes since another profile, told as the picture itself tells them

  function signed(data, box) {
    const by = box.value - box.before, sign = by < 0 ? "\u2212" : "+", part = 100 * Math.abs(by) / box.before;
    return [`${sign}${amount(data, Math.abs(by))}`, !(box.before > 0) ? "was 0"
      : by > 10 * box.before ? `${Math.round(box.value / box.before).toLocaleString("en")} times`
        : `${sign}${part.toFixed(part < 9.95 ? 1 : 0)}\u00a0%`];
  }

  function told(data, box) {
    if (data.change === null) return `${amount(data, box.value)}, ${share(box.value, data.total)}`;
    if (box.before === null) return `new, ${amount(data, box.value)}`;
    return Math.abs(box.value - box.before) > 0.005 * data.change ? signed(data, box).join(", ") : "as before";
  }

  function changed(data, box) {
    if (box.before === null) return `new: ${amount(data, box.value)}`;
    const [by, part] = signed(data, box);
    return `${amount(data, box.value)}, before ${amount(data, box.before)}: ${by} (${part})` +
      (box.flags & NOISE ? ", within the noise of sampling" : "");
  }

  // ---- colours

  const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.substr(at, 2), 16));
  const lit = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const mixed = (a, b, part) => "#" + parts(a).map((c, k) =>
    Math.round(c + (parts(b)[k] - c) * part).toString(16).padStart(2, "0")).join("");
  const pale = (colour) => mixed(colour, "#ffffff", 0.62);
  const lightOf = (rgb) => rgb.map(lit).reduce((sum, c, k) => sum + [0.2126, 0.7152, 0.0722][k] * c, 0.05);
  /// As pj_palette_dark: what is turned round, its hue kept.
  function turn(rgb) {
    const away = rgb.map((c) => 0.91 * 255 - 0.82 * c), grey = 0.213 * away[0] + 0.715 * away[1] + 0.072 * away[2];
    return away.map((c) => Math.min(Math.max(2 * grey - c, 0), 255));
  }
  function contrast(a, b) {
    const lights = [lightOf(a), lightOf(b)];
    return Math.max(...lights) / Math.min(...lights);
  }
  /// As pj_palette_ink: the first that can be read in light and in dark.
  const inks = {};
  function ink(colour) {
    if (inks[colour]) return inks[colour];
    const on = parts(colour), reads = (text) => contrast(on, parts(text)) >= 4.5;
    inks[colour] = ["#1b1f24", "#ffffff", "#000000"].find((text) =>
      reads(text) && contrast(turn(on), turn(parts(text))) >= 4.5) || (reads("#ffffff") ? "#ffffff" : "#000000");
    return inks[colour];
  }

  const brush = document.createElementNS(HTML, "canvas").getContext("2d");
  const fits = (text, size, room) => {
    brush.font = `${size}px ${FONT}`;
    return brush.measureText(text).width <= room;
  };
  /// What does not fit gives up its middle: names that begin alike differ at their ends.
  function fitting(text, size, room) {
    if (fits(text, size, room)) return text;
    const letters = [...text], cut = (kept) => letters.slice(0, kept + 1 >> 1).join("") + "\u2026" +
      (kept > 1 ? letters.slice(-(kept >> 1)).join("") : "");
    let few = 0, many = letters.length;
    while (few + 1 < many) {
      const middle = few + many >> 1;
      if (fits(cut(middle), size, room)) few = middle;
      else many = middle;
    }
    return few >= LETTERS ? cut(few) : "";
  }

  // ---- the boxes that the page holds, each behind the one that it lies in

  function boxesOf(data) {
    const { depth, of, gap, size, value, flags, before, fill } = data.boxes, above = [], all = [];
    for (let i = 0; i < depth.length; i++) {
      const up = depth[i] ? above[depth[i] - 1] : null;
      const box = { i, up, depth: depth[i], f: of[i], size: size[i] / data.scale, flags: flags[i],
        start: up ? up.next + gap[i] / data.scale : 0, last: i + 1, held: 0, before: before && before[i],
        fill: fill && `#${fill[i].toString(16).padStart(6, "0")}` };
      box.next = box.start;
      box.value = value[i] || box.size * data.per;
      if (up) {
        up.next = box.start + box.size;
        up.held++;
      }
      above[box.depth] = box;
      all.push(box);
    }
    for (let i = all.length; i-- > 1;) all[i].up.last = Math.max(all[i].up.last, all[i].last);
    return all;
  }

  // ---- shapes: how boxes of a kind of picture are laid out and drawn

  const shapes = {
    rows: {
      lay(view) {
        view.width = Math.max(view.room, 300);
        view.least = LEAST_PX / view.width;
        view.row = view.data.strips ? RANKED_ROW : ROW;
      },
      height: (view) => view.rows * view.row + 24,
      place(view, box) {
        const row = box.depth - view.root.depth;
        return { x: (box.start - view.root.start) / view.root.size * view.width,
          y: (view.data.up ? view.rows - 1 - row : row) * view.row,
          w: box.size / view.root.size * view.width };
      },
      draw(view, box) {
        const { x, y, w } = this.place(view, box), seam = Math.min(1, w / 3);
        const colour = view.colour(box), inside = w - seam - 8;
        const frame = `x="${round(x)}" y="${y}" width="${round(w - seam)}" height="${view.row - 1}"`;
        let text = `<rect class="pj-shape" ${frame} fill="${colour}"/>`;
        if (box.flags & ESTIMATED && w > 3) text += `<rect ${frame} fill="url(#${view.hatch})"/>`;
        text += this.strip(view, box, x + 2, y + view.row - 6.5, w - seam - 4, colour);
        if (inside < 16) return text;
        const about = told(view.data, box), name = view.name(box);
        const both = `${name}\u00a0 ${about}`;
        const label = fits(both, 11, inside) ? both : fitting(name, 11, inside);
        return label ? `${text}<text x="${round(x + 4)}" y="${y + 14}" font-size="11" ` +
          `fill="${ink(colour)}"${box.flags & SELF ? ' font-style="italic"' : ""}>` +
          `${escape(apart(label))}</text>` : text;
      },
      /// A cell for each rank, darker where it takes more.
      strip(view, box, x, y, w, colour, tall = 4, none = "#fff") {
        const [, levels] = view.data.ranks[box.i] || [], cells = {};
        if (!levels || w < 32) return "";
        const step = Math.min(w, 160) / levels.length;
        [...levels].forEach((level, k) => {
          cells[level] = (cells[level] || "") + `M${round(x + k * step)} ${round(y)}h${round(step)}v${tall}h-${round(step)}z`;
        });
        const few = mixed(colour, "#ffffff", 0.55), many = mixed(colour, "#1b1f24", 0.8);
        return Object.keys(cells).map((level) => `<path d="${cells[level]}" fill="${level === "0" ? none
          : mixed(few, many, parseInt(level, 16) / 15)}"/>`).join("");
      },
      rest(view, box, from, to) {
        const row = box.depth - view.root.depth + 1;
        const x = (from - view.root.start) / view.root.size * view.width;
        const w = (to - from) / view.root.size * view.width;
        if (row >= view.rows || w < LEAST_PX) return "";
        return `<rect x="${round(x)}" y="${(view.data.up ? view.rows - 1 - row : row) * view.row}" ` +
          `width="${round(w)}" height="${view.row - 1}" fill="var(--rest)"/>`;
      },
      scale(view) {
        const whole = view.root.value, y = view.rows * view.row + 4;
        let step = 10 ** Math.floor(Math.log10(whole / 4)), text = "";
        step *= whole / step >= 16 ? 4 : whole / step >= 8 ? 2 : 1;
        for (let at = 0; at <= whole * 1.000001; at += step) {
          const x = round(at / whole * view.width);
          text += `<path d="M${x} ${y}v4" stroke="var(--rule)"/><text x="${x}" y="${y + 15}" ` +
            `font-size="10.5" fill="var(--muted)" text-anchor="${at ? x > view.width - 20 ? "end"
              : "middle" : "start"}">${at ? escape(amount(view.data, at)) : "0"}</text>`;
        }
        return `<path d="M0 ${y}H${view.width}" stroke="var(--rule)"/>${text}`;
      }
    },
    rings: {
      lay(view) {
        view.width = Math.min(Math.max(view.room > 640 ? view.room - (view.data.strips ? 364 : 320) : view.room, 260), 620);
        view.least = LEAST_ARC / (2 * Math.PI);
        view.listed = true;
      },
      ring: (view) => Math.min(view.width / 2 / Math.max(view.rows, 3), 62),
      height: (view) => 2 * shapes.rings.ring(view) * view.rows + 4,
      arc(view, box) {
        const ring = this.ring(view);
        const row = box.depth - view.root.depth, turn = 2 * Math.PI / view.root.size;
        return { from: (box.start - view.root.start) * turn, inner: row * ring, outer: (row + 1) * ring,
          to: (box.start + box.size - view.root.start) * turn, ring };
      },
      path(view, a) {
        const c = view.width / 2, y = this.height(view) / 2;
        const at = (r, t) => `${round(c + r * Math.sin(t))} ${round(y - r * Math.cos(t))}`;
        const to = Math.min(a.to, a.from + 2 * Math.PI - 1e-4), large = to - a.from > Math.PI ? 1 : 0;
        return `M${at(a.outer, a.from)}A${round(a.outer)} ${round(a.outer)} 0 ${large} 1 ${at(a.outer, to)}` +
          `L${at(a.inner, to)}A${round(a.inner)} ${round(a.inner)} 0 ${large} 0 ${at(a.inner, a.from)}Z`;
      },
      draw(view, box) {
        const a = this.arc(view, box), c = view.width / 2, y = this.height(view) / 2, colour = view.colour(box);
        if (box === view.root)
          return `<circle class="pj-shape" cx="${c}" cy="${y}" r="${round(a.ring)}" fill="${colour}"/>` +
            this.words(c, y - 2, 0, fitting(view.name(box), 12, 2 * a.ring - 14), colour, 12) +
            this.words(c, y + 14, 0, amount(view.data, box.value), colour, 12);
        const d = this.path(view, a), wide = a.to - a.from > 0.02 ? 1 : 0.4;
        let text = `<path class="pj-shape" d="${d}" fill="${colour}" stroke="var(--paper)" stroke-width="${wide}"/>`;
        if (box.flags & ESTIMATED) text += `<path d="${d}" fill="url(#${view.hatch})"/>`;
        return text + this.label(view, box, a, colour);
      },
      words: (x, y, turn, text, colour, size) => text && `<text x="${round(x)}" y="${round(y)}" ` +
        `font-size="${size}" text-anchor="middle" fill="${ink(colour)}"` +
        `${turn ? ` transform="rotate(${round(turn)} ${round(x)} ${round(y)})"` : ""}>${escape(text)}</text>`,
      label(view, box, a, colour) {
        const middle = (a.from + a.to) / 2, radius = (a.inner + a.outer) / 2;
        const c = view.width / 2, y = this.height(view) / 2;
        if ((a.to - a.from) * a.inner < 13 || a.ring < 13) return "";
        const along = Math.min(2 * a.inner * Math.sin(Math.min((a.to - a.from) / 2, Math.PI / 2)) - 8,
          Math.sqrt(8 * radius * Math.max(a.ring - 17, 0))), across = a.ring - 8;
        brush.font = `11px ${FONT}`;
        const name = view.name(box), need = brush.measureText(name).width;
        const tangent = along >= Math.min(need, across), room = tangent ? along : across;
        const text = room < 20 ? "" : fitting(name, 11, room);
        const degrees = middle * 180 / Math.PI, below = middle > Math.PI / 2 && middle < 3 * Math.PI / 2;
        const turn = tangent ? degrees + (below ? 180 : 0) : degrees + (middle > Math.PI ? 90 : -90);
        const bend = turn * Math.PI / 180;
        return this.words(c + radius * Math.sin(middle) - 4 * Math.sin(bend),
          y - radius * Math.cos(middle) + 4 * Math.cos(bend), turn, text, colour, 11);
      },
      rest: () => "",
      scale: () => ""
    }
  };

  // ---- a picture

  function make(host, data) {
    const boxes = boxesOf(data), shape = shapes[data.shape], hatch = `pj-hatch-${++page.pjAlive.count}`;
    const state = { at: boxes[data.first || 0], back: [], depth: 0, cutoff: 0, wanted: data.wanted, here: null };
    let view, drawn, tipped;

    const tag = (name, attributes, ...children) => {
      const element = document.createElementNS(HTML, name);
      for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
      element.append(...children);
      return element;
    };
    const button = (label, act, attributes) => {
      const made = tag("button", { type: "button", ...attributes }, label);
      made.addEventListener("click", act);
      return made;
    };
    const choice = (label, options, act) => {
      const made = tag("select", { "aria-label": label });
      for (const [text, value] of options) made.append(tag("option", { value }, text));
      made.addEventListener("change", () => { act(+made.value); draw(); });
      return tag("label", {}, `${label} `, made);
    };

    const of = (box) => data.functions[box.f] || ["all", "", "", "#dfe3e8", data.total, null, null];
    const name = (box) => box.flags & SELF ? data.reversed ? "called from outside" : "own" : of(box)[0];
    const colour = (box) => box.fill || (box.flags & SELF ? pale(of(box)[3]) : of(box)[3]);

    function tell(box) {
      const [short, full, place, , whole, own, calls] = of(box);
      const lines = [full || short];
      if (place) lines.push(place);
      const about = box.flags & ESTIMATED ? "about " : "";
      let path = `${box.flags & SELF ? name(box) : data.reversed ? "for this callee" : "on this path"}: ` +
        `${about}${amount(data, box.value)} (${share(box.value, data.total)} of all`;
      if (box.up && box.up.f >= 0) path += `, ${share(box.value, box.up.value)} of ${name(box.up)}`;
      if (view.root !== boxes[0] && box !== view.root && box.up !== view.root)
        path += `, ${share(box.value, view.root.value)} of ${name(view.root)}`;
      lines.push(path + (about ? "), estimated" : ")"));
      if (data.change !== null) lines.push(changed(data, box));
      if (data.functions[box.f])
        lines.push(`function: with callees ${amount(data, whole)} (${share(whole, data.total)})` +
          (own === null ? "" : `, own ${amount(data, own)} (${share(own, data.total)})`) +
          (calls === null ? "" : `, ${calls.toLocaleString("en")} call${calls === 1 ? "" : "s"}`));
      if (data.ranks[box.i]) lines.push(data.ranks[box.i][0]);
      if (box.flags & CALLS && !box.held) lines.push(data.beyond);
      else if (box.flags & MORE) lines.push("its callees lie below the last row");
      return lines.join("\n");
    }

    const title = tag("div", { class: "pj-title" }, apart(data.title));
    const subtitle = tag("div", { class: "pj-muted" }, apart(data.subtitle));
    const back = button("Back", () => go(state.back.pop(), true), { title: "Escape" });
    const whole = button("Whole", () => go(boxes[data.first || 0]), { title: "Home" });
    const search = tag("input", { type: "search", placeholder: "Search", "aria-label": "Search functions",
      size: 18 });
    const found = tag("output", { class: "pj-muted" });
    const bar = tag("div", { class: "pj-bar", role: "toolbar", "aria-label": "Zoom, rows and search" },
      back, whole,
      choice("Depth", [["auto", 0], [3, 3], [5, 5], [10, 10], [15, 15], [20, 20], ["all", 999]],
        (value) => { state.depth = value; }),
      choice("Cut-off", [["as drawn", 0], ["1/1000", 0.001], ["1/100", 0.01], ["1/20", 0.05]],
        (value) => { state.cutoff = value; }),
      search, found);
    const calls = tag("nav", { class: "pj-calls", "aria-label": "Call stack" });
    const canvas = document.createElementNS(SVG, "svg"), list = tag("div"), tip = tag("div",
      { class: "pj-tip", role: "tooltip" }), said = tag("div", { "aria-live": "polite", style:
      "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)" });
    const keys = tag("div", { class: "pj-keys pj-muted" });
    for (const [text, fill] of data.keys)
      keys.append(tag("span", {}, tag("i", { style: fill === REST
        ? "background:var(--rest);box-shadow:inset 0 0 0 1px var(--rule)" : `background:${fill}` }), text));
    const note = tag("div", { class: "pj-muted", style: "margin-top:6px;font-size:11px" });
    canvas.setAttribute("role", "tree");
    canvas.setAttribute("aria-label", `${data.title}. ${data.summary} Arrows move, Enter zooms, Escape goes back.`);
    host.append(title, subtitle, ...(data.asks ? [found] : [bar, calls]),
      tag("div", { class: "pj-stage" }, canvas, list), keys, note, tip, said);

    /// Where there is a kernel, it draws what is asked for: through a field that it listens to.
    function ask(what) {
      const field = document.querySelector(`.pj-asks-${data.asks} input`);
      if (!field) return;
      canvas.setAttribute("aria-busy", "true");
      field.value = `${Date.now()} ${what}`;
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    }

    function go(box, returning) {
      if (data.asks && box) {
        if (box === view.root) box = box.up;
        return ask(box ? pathOf(box.flags & SELF ? box.up : box).join("/") : "whole");
      }
      if (!box) return;
      if (box === view.root) box = box.up || box;
      if (box === view.root) return;
      if (!returning) state.back.push(view.root);
      const inside = canvas.contains(document.activeElement);
      state.at = box.flags & SELF ? box.up : box;
      state.here = null;
      draw();
      if (inside) focus(state.at);
      said.textContent = apart(`Shows ${name(state.at)}, ${amount(data, state.at.value)}`);
    }

    const region = (box) => box.f < 0 ? -1 : data.functions[box.f][7];
    const pathOf = (box) => box.up ? [...pathOf(box.up), region(box)] : [region(box)];
    const chain = (box) => box.up ? [...chain(box.up), box] : [box];

    function stack() {
      calls.replaceChildren();
      chain(view.root).forEach((box, at, all) => {
        const last = at + 1 === all.length;
        if (at) calls.append("\u203a");
        const link = button(name(box), () => go(box), { title: of(box)[1] || of(box)[0] });
        if (last) link.setAttribute("aria-current", "true");
        link.disabled = last;
        calls.append(link);
      });
      back.disabled = !state.back.length;
      whole.disabled = view.root === boxes[data.first || 0];
    }

    /// Which boxes are seen, in the order of the page; the rows that they need.
    function choose() {
      const root = view.root, seen = [], least = view.least * root.size;
      let last = root.depth + LEAST_ROWS - 1, deepest = root.depth;
      view.small = 0;
      for (let i = root.i; i < root.last;) {
        const box = boxes[i], below = box.depth - root.depth;
        const cut = state.cutoff && box !== root && !(box.flags & SELF) &&
          !(box.value > state.cutoff * box.up.value);
        if (box !== root && (box.size < least || cut || (state.depth && below > state.depth))) {
          view.small += box.last - i;
          i = box.last;
          continue;
        }
        seen.push(box);
        deepest = Math.max(deepest, box.depth);
        if (box.size >= NARROW * root.size && !(box.flags & SELF)) last = Math.max(last, box.depth);
        i++;
      }
      last = state.depth || last > deepest ? deepest : last;
      view.rows = last - root.depth + 1;
      view.cut = last < deepest;
      return seen.filter((box) => box.depth <= last);
    }

    function rests(seen) {
      const ends = new Map();
      for (const box of seen)
        if (box !== view.root) ends.set(box.up, Math.max(ends.get(box.up) || 0, box.start + box.size));
      return seen.map((box) => {
        const from = ends.get(box) || box.start, to = box.start + box.size;
        return box.flags & CALLS && to > from ? shape.rest(view, box, from, to) : "";
      }).join("");
    }

    const mine = 'data-lm-suppress-shortcuts="true"'; // JupyterLab keeps off its keys

    function draw() {
      const inner = host.clientWidth - 32;
      view = { data, root: state.at, room: inner > 0 ? Math.min(inner, 908) : 868, name, colour, hatch };
      shape.lay(view);
      const seen = choose(), height = shape.height(view);
      const label = (box) => escape(`${name(box)}, ${told(data, box)}`);
      canvas.setAttribute("width", view.width);
      canvas.setAttribute("height", height);
      canvas.setAttribute("viewBox", `0 0 ${view.width} ${height}`);
      canvas.innerHTML = `<defs xmlns="${SVG}"><pattern id="${hatch}" width="6" height="6" ` +
        'patternUnits="userSpaceOnUse"><path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" stroke="#fff" stroke-opacity=".5"/>' +
        `</pattern></defs><g xmlns="${SVG}" role="none">${rests(seen)}${shape.scale(view)}${seen.map((box) =>
          `<g class="pj-box" data-i="${box.i}" role="treeitem" tabindex="-1" ${mine} aria-level="${box.depth + 1}" ` +
          `aria-label="${label(box)}">${shape.draw(view, box)}</g>`).join("")}</g>`;
      drawn = new Map();
      for (const element of canvas.querySelectorAll(".pj-box")) drawn.set(+element.dataset.i, element);
      reach(state.here && drawn.has(state.here.i) ? state.here : view.root);
      stack();
      highlight();
      if (view.listed) functions(seen);
      tip.textContent = "";
      note.textContent = [data.note, view.cut ? "Below the last row all calls are narrow (Depth: all)." : "",
        view.small ? `${view.small.toLocaleString("en")} call${view.small === 1 ? " is" : "s are"} too small ` +
        "to be seen here: zoom." : "", data.left].filter(Boolean).join(" ");
    }

    /// Its ranks as a strip, for lists.
    function ranks(box) {
      const strip = document.createElementNS(SVG, "svg");
      strip.setAttribute("width", data.strips ? 64 : 0);
      strip.setAttribute("height", 8);
      strip.innerHTML = shapes.rows.strip(view, box, 0, 0, 64, colour(box), 8, "none");
      return strip;
    }

    function functions(seen) {
      const largest = new Map();
      for (const box of seen) {
        if (box.f < 0 || box.flags & SELF) continue;
        const known = largest.get(box.f);
        if (!known || box.value > known.value) largest.set(box.f, box);
      }
      const rows = [...largest.values()].sort((a, b) => b.value - a.value).slice(0, 18);
      const told = column(data, rows.length ? rows[0].value : 0), times = {};
      for (const box of rows) times[name(box)] = (times[name(box)] || 0) + 1;
      const label = (box) => fitting(apart(times[name(box)] > 1 && of(box)[2] ? `${name(box)} (${of(box)[2]})` : name(box)),
        11.5, LISTED);
      list.replaceChildren(tag("div", { class: "pj-muted", style: "font-weight:600" }, "Largest boxes"),
        tag("table", { class: "pj-list" }, tag("thead", { class: "pj-muted" }, tag("tr", {}, tag("td"), tag("td"),
          tag("td", {}, told.head), tag("td", {}, "%"))), tag("tbody", {}, ...rows.map((box) => tag("tr", {},
          tag("td", {}, tag("i", { style: `background:${colour(box)}` }),
            button(label(box), () => go(box), { title: tell(box) })),
          tag("td", {}, ranks(box)), tag("td", {}, told.text(box.value)),
          tag("td", {}, percent(box.value, data.total)))))));
    }

    // ---- search

    function highlight() {
      const wanted = state.chosen || state.wanted.toLowerCase();
      const fits = state.chosen || wanted &&
        data.functions.map((of) => `${of[0]}\n${of[1]}\n${of[2]}`.toLowerCase().includes(wanted));
      let sum = 0, count = 0, under = 0;
      canvas.classList.toggle("pj-searched", !!wanted);
      for (let i = view.root.i; wanted && i < view.root.last; i++) {
        const box = boxes[i], hit = box.f >= 0 && fits[box.f];
        if (hit && !(box.flags & SELF)) count++;
        if (hit && i >= under) {
          sum += box.value;
          under = box.last;
        }
      }
      for (const [i, element] of drawn)
        element.classList.toggle("pj-found", !!wanted && boxes[i].f >= 0 && fits[boxes[i].f]);
      found.textContent = !wanted ? "" : count ? apart(`${count.toLocaleString("en")} call${count === 1 ? "" : "s"}, ` +
        `${share(sum, view.root.value)} of ${name(view.root)}`) : "nothing found";
    }
    search.addEventListener("input", () => { state.wanted = search.value; state.chosen = null; highlight(); });

    /// A function that is chosen elsewhere: found, and asked for again looked at where it takes most.
    page.pjLink.add(host, (call, again) => {
      const fits = data.functions.map((of) => page.pjLink.fits(call, of[0], of[1], of[2]));
      let most = null;
      for (const box of boxes)
        if (box.f >= 0 && fits[box.f] && !(box.flags & SELF) && (!most || box.value > most.value)) most = box;
      if (!most) return false;
      state.chosen = fits;
      state.wanted = "";
      search.value = name(most);
      const seen = most.i >= view.root.i && most.i < view.root.last;
      if (again && most !== view.root) go(most);
      else if (!seen) go(boxes[data.first || 0]);
      highlight();
      return true;
    });

    // ---- pointer

    function point(box, x, y) {
      if (tipped !== box) {
        for (const [i, element] of drawn)
          element.classList.toggle("pj-same", !!box && boxes[i].f === box.f && box.f >= 0);
        tip.textContent = box ? apart(tell(box)) : "";
        tipped = box;
      }
      if (!box) return;
      const room = host.getBoundingClientRect(), width = tip.offsetWidth, height = tip.offsetHeight;
      tip.style.left = `${Math.max(4, Math.min(x - room.left + 14, room.width - width - 6))}px`;
      const below = y - room.top + 18;
      tip.style.top = `${below + height > room.height && y - room.top > height + 12
        ? y - room.top - height - 10 : below}px`;
    }
    const boxAt = (event) => {
      const element = event.target.closest && event.target.closest(".pj-box");
      return element ? boxes[+element.dataset.i] : null;
    };
    canvas.addEventListener("mousemove", (event) => point(boxAt(event), event.clientX, event.clientY));
    canvas.addEventListener("mouseleave", () => point(null));
    canvas.addEventListener("focusout", () => point(null));
    canvas.addEventListener("click", (event) => {
      const box = boxAt(event);
      if (!box) return;
      go(box);
      if (box.f >= 0) page.pjLink.tell(...of(box).slice(0, 3));
    });

    // ---- keys

    function reach(box) {
      for (const [i, element] of drawn) element.setAttribute("tabindex", i === box.i ? "0" : "-1");
      state.here = box;
    }
    function focus(box) {
      if (!box || !drawn.has(box.i)) return;
      reach(box);
      const element = drawn.get(box.i);
      element.focus({ preventScroll: true });
      const at = element.querySelector(".pj-shape").getBoundingClientRect();
      point(box, at.left, at.bottom - 12);
    }
    function beside(box, step) {
      const row = [...drawn.keys()].map((i) => boxes[i]).filter((other) => other.depth === box.depth)
        .sort((a, b) => a.start - b.start);
      return row[row.indexOf(box) + step];
    }
    const child = (box) => [...drawn.keys()].map((i) => boxes[i]).find((other) => other.up === box);
    const moves = { ArrowLeft: (box) => beside(box, -1), ArrowRight: (box) => beside(box, 1),
      ArrowUp: (box) => data.up ? child(box) : box.up, ArrowDown: (box) => data.up ? box.up : child(box) };
    host.addEventListener("keydown", (event) => {
      const here = state.here, on = canvas.contains(event.target);
      if (event.key === "Escape" && data.asks) ask("back");
      else if (event.key === "Escape" && state.back.length && event.target !== search) go(state.back.pop(), true);
      else if (event.key === "Home" && data.asks) ask("whole");
      else if (event.key === "Home" && on) go(boxes[data.first || 0]);
      else if ((event.key === "Enter" || event.key === " ") && on) go(here);
      else if (moves[event.key] && on) focus(moves[event.key](here));
      else return;
      event.preventDefault();
      event.stopPropagation();
    });

    draw();
    let width = host.clientWidth;
    if (page.ResizeObserver) new ResizeObserver(() => {
      if (!host.clientWidth || host.clientWidth === width) return;
      width = host.clientWidth;
      draw();
    }).observe(host);
  }

  function style() {
    if (document.getElementById("pj-alive-style")) return;
    const element = document.createElementNS(document.documentElement.namespaceURI === SVG ? SVG : HTML, "style");
    element.id = "pj-alive-style";
    element.textContent = css;
    (document.head || document.documentElement).append(element);
  }

  /// In a page: `still` is the element that holds the picture as it is without a script.
  function inPage(still, data) {
    style();
    if (!still || still.pjAlive) return;
    still.pjAlive = true;
    const host = document.createElementNS(HTML, "div");
    host.className = "pj-alive";
    still.before(host);
    try {
      make(host, data);
      still.style.display = "none";
    } catch (problem) {
      host.remove();
      throw problem;
    }
  }

  /// A file of its own: the picture makes room for a page within.
  function inFile(root, data) {
    style();
    const room = document.createElementNS(SVG, "foreignObject"), host = document.createElementNS(HTML, "div");
    host.className = "pj-alive";
    host.style.margin = "0 auto";
    room.setAttribute("width", "100%");
    room.setAttribute("height", "100%");
    room.append(host);
    const still = [...root.children].filter((child) => /^(g|rect)$/.test(child.tagName));
    for (const name of ["viewBox", "width", "height"]) root.removeAttribute(name);
    root.style.cssText = "width:100%;height:100%;min-height:100vh;background:var(--paper)";
    root.classList.add("pj-alive-file");
    root.append(room);
    make(host, data);
    still.forEach((child) => child.remove());
    const grow = () => { root.style.height = `${Math.max(host.offsetHeight + 8, page.innerHeight)}px`; };
    grow();
    new ResizeObserver(grow).observe(host);
  }

  page.pjAlive = { count: 0, inPage, inFile };
})(window);
