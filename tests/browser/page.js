// Pages of a headless browser that note every complaint and every request that would leave.
import { createRequire } from 'node:module';

const { chromium } = createRequire(import.meta.url)('playwright-core');

// Heard with any kernel: Yjs warns at each start of JupyterLab, the classic Notebook looks for an
// extension that Debian has elsewhere, Notebook 7 for the settings of its shortcuts before they are
// loaded and for the folder that JupyterLab was in; and what answers of the server say by themselves.
const harmless = [/\[yjs#509\]/, /^Invalid access: Add Yjs type/, /nbextensions\/widgets\//,
  /reading 'schema'/, /^Error: Command 'filebrowser:open-path' not registered/,
  /^Failed to load resource/];

const isLocal = address => {
  const { protocol, hostname } = new URL(address);
  return ['data:', 'blob:', 'file:'].includes(protocol) || hostname === '127.0.0.1';
};

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync']
});

/// Ends when `holds` does; `why` says what was wrong for 20 s.
export async function until(holds, why = () => String(holds)) {
  for (const end = Date.now() + 20000; !await holds();) {
    if (Date.now() > end) throw new Error(`never so: ${await why()}`);
    await new Promise(later => setTimeout(later, 50));
  }
}

/// Ends when cells and pictures have kept their places for some frames; what always moves has 2 s.
export async function settled(page) {
  await page.evaluate(async () => {
    const places = () => [...document.querySelectorAll('.jp-Cell, .cell, img')].map(at => {
      const { top, right, bottom } = at.getBoundingClientRect();
      return [at.complete, top, right, bottom];
    }).join();
    let last = '', frames = 0;
    for (let i = 0; i < 120 && frames < 8; i++) {
      await new Promise(requestAnimationFrame);
      const now = places();
      frames = now === last ? frames + 1 : 0;
      last = now;
    }
  });
}

/// A page in a context of its own; page.complaints fills up with what goes wrong in it.
export async function openPage(browser, { width = 1200, height = 1000 } = {}) {
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.complaints = [];
  const complain = text => {
    if (!harmless.some(known => known.test(text))) page.complaints.push(text.slice(0, 500));
  };
  await context.route(address => !isLocal(address.href), route => {
    complain(`a request to ${route.request().url()}`);
    return route.abort();
  });
  page.on('console', message => message.type() === 'error' && complain(message.text()));
  page.on('pageerror', error => complain(error.stack ?? String(error)));
  page.on('response', answer =>
    answer.status() >= 400 && complain(`${answer.status()} for ${answer.url()}`));
  return page;
}

/// What hovers at every element with a title inside of `area`, found by looking at its middle:
/// a list of {title, seen}. Both are equal where nothing lies over it.
export async function hoverTexts(area) {
  return area.evaluate(node => {
    const found = [];
    for (const spot of node.querySelectorAll('[title]')) {
      if (spot.tagName === 'AREA' || !spot.checkVisibility()) continue;
      let { x, y, width, height } = spot.getBoundingClientRect();
      if (x < 60 || y < 120 || x + width > innerWidth - 60 || y + height > innerHeight - 60) {
        spot.scrollIntoView({ block: 'center', inline: 'center' });
        ({ x, y, width, height } = spot.getBoundingClientRect());
      }
      if (!width || !height) continue;
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      found.push({ title: spot.title, seen: top?.closest('[title]')?.title ?? '' });
    }
    return found;
  });
}

/// The lowest contrast of {ink, under, text} (WCAG 2.1), with the text.
function lowestOf(found) {
  const lit = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * lit(r) + 0.7152 * lit(g) + 0.0722 * lit(b);
  let lowest = { ratio: Infinity, text: '' };
  for (const { ink, under, text } of found) {
    const [light, dark] = [luminance(ink), luminance(under)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, text };
  }
  return lowest;
}

/// What JupyterLab colours: its tabs, and its buttons that are no flat ones.
const labs = '.lm-TabBar-tabLabel, .p-TabBar-tabLabel, .jupyter-button';

/// The lowest contrast between text and what lies under it, with the text: of texts in our colours,
/// or with `theirs` of those in JupyterLab's.
export async function lowestContrast(area, theirs = false) {
  return lowestOf(await area.evaluate((node, { labs, theirs }) => {
    const parse = colour => { // "rgb(1, 2, 3)", or of mixed ones "color(srgb 0.1 0.2 0.3)"
      const scale = colour.startsWith('color(srgb') ? 255 : 1;
      return (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map((c, i) => c * (i < 3 ? scale : 1));
    };
    const over = ([r, g, b, a = 1], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
    const chain = at => at ? [...chain(at.parentElement), at] : [];
    const found = [];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode());) {
      const holder = text.parentElement;
      if (!text.data.trim() || !holder.getClientRects().length || holder.closest('script')) continue;
      if (!!holder.closest(labs) !== theirs) continue;
      let under = [255, 255, 255], ink = parse(getComputedStyle(holder).color);
      for (const at of chain(holder)) {
        const style = getComputedStyle(at);
        under = over(parse(style.backgroundColor), under);
        ink = [...ink.slice(0, 3), (ink[3] ?? 1) * Number(style.opacity)];
      }
      found.push({ ink: over(ink, under), under, text: text.data.trim().slice(0, 60) });
    }
    return found;
  }, { labs, theirs }));
}

/// The same of the texts in one of our pictures, an <svg> or an <img> of one, in the colours that its
/// filter makes of them; with their number.
export async function lowestInPicture(picture) {
  const found = await picture.evaluate(node => {
    const source = () => decodeURIComponent(node.src.slice(node.src.indexOf(',') + 1));
    const svg = node.tagName === 'IMG'
      ? new DOMParser().parseFromString(source(), 'image/svg+xml').documentElement : node;
    const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    pixel.filter = getComputedStyle(node).filter;
    const shown = colour => {
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      return [...pixel.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const number = (at, name) => Number(at.getAttribute(name));
    const covers = (rect, x, y) => x >= number(rect, 'x') && y >= number(rect, 'y') &&
      x <= number(rect, 'x') + number(rect, 'width') &&
      y <= number(rect, 'y') + number(rect, 'height');
    const found = [], grounds = [];
    for (const at of svg.querySelectorAll('rect[fill], text')) {
      if (at.tagName === 'rect' && at.getAttribute('fill') !== 'none') grounds.push(at);
      if (at.tagName !== 'text') continue;
      const x = number(at, 'x'), y = number(at, 'y') - 4; // in its letters
      found.push({ ink: shown(at.closest('[fill]').getAttribute('fill')), text: at.textContent,
        under: shown(grounds.findLast(rect => covers(rect, x, y)).getAttribute('fill')) });
    }
    return found;
  });
  return { count: found.length, ...lowestOf(found) };
}

/// Controls that stick out of `area` to the right where nothing can be scrolled, and pictures that
/// have to be scrolled.
export async function stickingOut(area) {
  return area.evaluate(node => {
    const edge = node.getBoundingClientRect().right + 1;
    const scrolling = at => at === node || !at ? null
      : ['auto', 'scroll'].includes(getComputedStyle(at).overflowX) ? at
        : scrolling(at.parentElement);
    const fits = at => {
      const holder = scrolling(at.parentElement), { right } = at.getBoundingClientRect();
      if (!holder) return right <= edge;
      return at.tagName !== 'IMG' || holder.scrollWidth <= holder.clientWidth;
    };
    return [...node.querySelectorAll('button, input, select, textarea, img')]
      .filter(at => at.checkVisibility() && !fits(at))
      .map(at => at.outerHTML.slice(0, 120));
  });
}
