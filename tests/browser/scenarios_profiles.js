// Pictures of profiles as users handle them: zoom, back, search, keys, themes; saved, reopened,
// and as a page without a kernel.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lowestContrast, openPage, until } from './page.js';
import { assertNoErrors } from './assertions.js';

const cells = ['p = profile "profiles/cpu_*.prof"', 'plot(p, "flame")', 'plot(p, "sunburst")'];

const perf = path.join(path.dirname(fileURLToPath(import.meta.url)), '../perf');
const alive = area => area.locator('.pj-alive');
const box = (area, name) => alive(area).getByRole('treeitem', { name }).first();
const calls = area => alive(area).locator('.pj-calls').innerText();
const shape = (area, name) => box(area, name).locator('.pj-shape').first();

/// Hover tells, a click zooms, the call stack and Escape go back, search highlights.
export async function handle(area, page) {
  await alive(area).waitFor();
  await shape(area, /^_wait, /).hover();
  await until(async () => /threading\.py:\d+\non this path: [\d.]+ s \(\d+\s% of all/
    .test(await alive(area).locator('.pj-tip').innerText()));
  await shape(area, /^_wait, /).click();
  await until(async () => /run\s+›\s+meet\s+›\s+wait\s+›\s+_wait/.test(await calls(area)), () => calls(area));
  assert.equal(await box(area, /^meet, /).count(), 0);
  await alive(area).locator('.pj-calls button', { hasText: 'meet' }).click();
  await box(area, /^find_stars, /).waitFor({ state: 'detached' });
  await alive(area).getByRole('button', { name: 'Back' }).click();
  await alive(area).getByRole('button', { name: 'Back' }).click();
  await box(area, /^search, /).waitFor();
  await alive(area).getByRole('searchbox').fill('centroid');
  assert.match(await alive(area).locator('output').innerText(), /^1 call, \d.*% of run$/);
  assert.equal(await alive(area).locator('.pj-found').count(), 2); // with its own time
  await alive(area).getByRole('searchbox').fill('');
  await box(area, /^run, /).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await until(async () => /run\s+›\s+meet$/.test((await calls(area)).trim()), () => calls(area));
  await page.keyboard.press('Escape');
  await box(area, /^search, /).waitFor();
}

async function inLab(stage) {
  const notebook = stage.notebook('profiles.ipynb', cells);
  const lab = await stage.open(notebook);
  await lab.runAll();
  await assertNoErrors(lab);
  await handle(lab.output(1), lab.page);
  const rings = lab.output(2);
  await rings.locator('.pj-list button', { hasText: 'wait_for' }).click();
  await until(async () => (await calls(rings)).includes('wait_for'), () => calls(rings));
  for (const theme of ['Dark', 'Light']) {
    await lab.theme(theme);
    const { ratio, text } = await lowestContrast(alive(lab.output(1)).locator('.pj-bar'));
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    const paper = await alive(lab.output(1)).evaluate(at => getComputedStyle(at).backgroundColor);
    assert.equal(paper, theme === 'Dark' ? 'rgb(22, 25, 29)' : 'rgb(255, 255, 255)');
    const turned = await alive(lab.output(1)).locator('svg').first().evaluate(at => getComputedStyle(at).filter);
    assert.equal(turned, theme === 'Dark' ? 'invert(0.91) hue-rotate(180deg)' : 'none'); // as still pictures
    await lab.picture(stage.keep(`profiles-${theme.toLowerCase()}`));
  }
  await lab.save();
  await lab.reload();
  await handle(lab.output(1), lab.page);
  const reader = await stage.open(notebook, { server: await stage.stranger() });
  await reader.page.locator('.jp-OutputArea-output [title^="_wait"]').first().waitFor();
  assert.equal(await reader.page.locator('.pj-alive').count(), 0);
}

/// nbconvert's page in a browser that reaches nothing, and its document.
async function asPage(stage) {
  const notebook = stage.notebook('page.ipynb', cells);
  const run = (command, ...args) => execFileSync(command, args, { cwd: stage.home, stdio: 'pipe' });
  run('jupyter', 'nbconvert', '--execute', '--to', 'notebook', '--inplace', notebook);
  run('jupyter', 'nbconvert', '--to', 'html', notebook);
  const page = await openPage(stage.browser);
  stage.opened.push({ page, close: () => page.context().close() });
  await page.goto(pathToFileURL(path.join(stage.home, 'page.html')).href);
  page.complaints.length = 0; // scripts of the template that live elsewhere
  await handle(page.locator('.jp-OutputArea-output', { has: page.locator('.pj-alive') }).first(), page);
  page.complaints.length = 0;
  run('popinjay', 'report', notebook, '-o', 'page.pdf');
  assert.equal(fs.readFileSync(path.join(stage.home, 'page.pdf')).subarray(0, 5).toString(), '%PDF-');
}

/// Files of the shell: the same in an .html and in an .svg.
async function asFiles(stage) {
  for (const suffix of ['html', 'svg']) {
    const file = path.join(stage.home, `flame.${suffix}`);
    execFileSync('bash', ['-c', 'popinjay plot flame profiles/cpu_*.prof --export "$1"', '-', file],
      { cwd: stage.home, stdio: 'pipe' });
    const page = await openPage(stage.browser);
    stage.opened.push({ page, close: () => page.context().close() });
    await page.goto(pathToFileURL(file).href);
    await handle(page.locator(':root'), page);
  }
}

/// Where scripts are off the drawing is whole: names, amounts, notes, and what hover tells of each box.
async function unscripted(stage) {
  const context = await stage.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  page.complaints = [];
  stage.opened.push({ page, close: () => context.close() });
  const draw = name => {
    const file = path.join(stage.home, name);
    execFileSync('bash', ['-c', 'popinjay plot flame profiles/cpu_*.prof --export "$1"', '-', file],
      { cwd: stage.home, stdio: 'pipe' });
    return page.goto(pathToFileURL(file).href);
  };
  await draw('still.svg');
  const texts = await page.locator('svg text:visible').allTextContents();
  for (const whole of [/^Flame graph of cpu_\*\.prof \(32 files\)$/, /20 of 32 ranks work/,
    /^run\b/, /^meet\b/, /^search\b/, /^find_stars\b/, /17\.9 s, 100\s%/, /^Own time \(pale\)$/,
    /^Hatched: estimated\./])
    assert.ok(texts.some(text => whole.test(text.trim())), `${whole} is not among ${texts}`);
  const boxes = await page.locator('svg rect:has(> title)').all();
  assert.ok(boxes.length > 20, `${boxes.length} boxes tell of themselves`);
  for (const at of boxes)
    assert.match(await at.locator('title').textContent(), /^\S.*\n[^]*\d[\d.]* (s|ms|us)\b/);
  await draw('still.html');
  assert.match(await page.locator('img:visible').getAttribute('alt'), /^Flame graph.*20 of 32 ranks work/);
}

/// A comparison zooms and tells what each path took before.
async function compared(stage) {
  const file = path.join(stage.home, 'change.html');
  execFileSync('popinjay', ['plot', 'difference', 'profiles/cpu_0.prof', 'profiles/cpu_13.prof',
    '--export', file], { cwd: stage.home, stdio: 'pipe' });
  const page = await openPage(stage.browser), area = page.locator(':root');
  stage.opened.push({ page, close: () => page.context().close() });
  await page.goto(pathToFileURL(file).href);
  await box(area, /^search, \+\d+ ms, \+\d+/).waitFor();
  await shape(area, /^search, /).hover();
  await until(async () => /\d ms, before [\d.]+ ms: \+\d+ ms \(\+\d+/
    .test(await alive(area).locator('.pj-tip').innerText()));
  await shape(area, /^search, /).click();
  await until(async () => /run\s+›\s+search$/.test((await calls(area)).trim()), () => calls(area));
  await alive(area).getByRole('searchbox').fill('centroid');
  await alive(area).locator('.pj-found').first().waitFor();
}

/// Of 100,000 functions: what a click shows is drawn within 100 ms. The least of some clicks counts,
/// for others may have the machine.
async function large(stage) {
  const profile = path.join(stage.home, 'large.prof');
  execFileSync('python3', [path.join(perf, 'python_profiles.py'), profile, '100000']);
  for (const kind of ['sunburst', 'flame']) {
    const file = path.join(stage.home, `${kind}.html`);
    execFileSync('popinjay', ['plot', kind, profile, '--export', file], { stdio: 'pipe' });
    const page = await openPage(stage.browser);
    stage.opened.push({ page, close: () => page.context().close() });
    await page.goto(pathToFileURL(file).href);
    await alive(page).waitFor();
    const clicks = await alive(page).evaluate(async picture => {
      const drawn = () => new Promise(then => requestAnimationFrame(() => setTimeout(then)));
      const times = [];
      for (let i = 0; i < 6; i++) {
        const [all, before] = [picture.querySelectorAll('.pj-box'), picture.innerText];
        const began = performance.now();
        all[i % 2 ? 0 : Math.min(3, all.length - 1)]
          .dispatchEvent(new MouseEvent('click', { bubbles: true }));
        await drawn();
        if (picture.innerText !== before) times.push(performance.now() - began);
      }
      return times;
    });
    assert.ok(clicks.length > 3, `${clicks.length} clicks have changed the ${kind}`);
    console.error(`${kind} of 100,000 functions: clicks of ${clicks.map(Math.round).join(', ')} ms`);
    assert.ok(Math.min(...clicks) < 100, `a click takes ${clicks.join(', ')} ms`);
  }
}

/// Any other picture of a profile: searched, walked by keys, what is reached is told; as a page,
/// as a drawing and in a notebook.
async function searched(stage) {
  const find = async (area, page) => {
    await area.getByRole('searchbox').fill('centroid');
    await until(async () => /^\d+ of \d+$/.test(await area.locator('.pj-find output').innerText()));
    await area.locator('.pj-spot.pj-found').first().click();
    await until(async () => (await area.locator('.pj-find pre').innerText()).includes('centroid'));
    await page.keyboard.press('Escape');
    assert.equal(await area.locator('.pj-found').count(), 0);
    const told = await area.locator('.pj-find pre').innerText();
    await page.keyboard.press('ArrowDown');
    await until(async () => await area.locator('.pj-find pre').innerText() !== told);
    await page.keyboard.press('Enter');
    await area.locator('.pj-found').first().waitFor();
  };
  for (const kind of ['callgraph', 'heat'])
    for (const suffix of ['html', 'svg']) {
      const file = path.join(stage.home, `${kind}.${suffix}`);
      execFileSync('bash', ['-c', 'popinjay plot $1 profiles/cpu_*.prof --export "$2"', '-', kind, file],
        { cwd: stage.home, stdio: 'pipe' });
      const page = await openPage(stage.browser);
      stage.opened.push({ page, close: () => page.context().close() });
      await page.goto(pathToFileURL(file).href);
      await find(page.locator(':root'), page);
    }
  const lab = await stage.open(stage.notebook('search.ipynb', [cells[0], 'plot(p, "heat")']));
  await lab.runAll();
  await assertNoErrors(lab);
  await find(lab.output(1), lab.page);
  for (const theme of ['Dark', 'Light']) {
    await lab.theme(theme);
    const { ratio, text } = await lowestContrast(lab.output(1).locator('.pj-find').first());
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
  }
  await lab.picture(stage.keep('profiles-searched'));
}

/// A function that is clicked in a table, or in a list of calls, is found by all pictures of the
/// page; a second click looks at it.
async function linked(stage) {
  const lab = await stage.open(stage.notebook('linked.ipynb',
    [cells[0], 'p.functions:head(12)', 'p:tree "top-down"', cells[1], 'plot(p, "callgraph")']));
  await lab.runAll();
  await assertNoErrors(lab);
  const [table, tree, flame, graph] = [1, 2, 3, 4].map(at => lab.output(at));
  const said = () => alive(flame).locator('output').innerText();
  await alive(flame).waitFor();
  const row = table.locator('td', { hasText: 'centroid' });
  await row.click();
  await until(async () => /^1 call, \d.*% of run$/.test(await said()), said);
  await until(async () => /^\d+ of \d+$/.test(await graph.locator('.pj-find output').innerText()));
  await row.click();
  await until(async () => /centroid$/.test((await calls(flame)).trim()), () => calls(flame));
  await tree.locator('[data-pj-call]', { hasText: 'meet' }).first().click();
  await until(async () => /^1 call, \d.*% of run$/.test(await said()), said);
  const marked = area => area.evaluate(at => [...at.querySelectorAll('[data-pj-call],tbody tr')]
    .filter(row => row.style.outline).map(row => row.textContent).join('|'));
  await shape(flame, /^search, /).click();
  await until(async () => /search/.test(await marked(table)) && (await marked(tree)) === 'search', () => marked(tree));
  await lab.picture(stage.keep('profiles-linked'));
  const folded = tree.locator('details', { has: lab.page.locator(':scope > summary [data-pj-call*="meet"]') }).first();
  const open = () => folded.evaluate(at => at.open);
  const before = await open();
  await folded.locator(':scope > summary').click({ position: { x: 4, y: 8 } });
  await until(async () => (await open()) !== before);
  await lab.save();
  await lab.reload();
  await until(async () => (await open()) !== before, open);
}

/// Through the kernel: a click is told to it, its controls lead on, and its buttons back.
async function viewed(stage) {
  const lab = await stage.open(stage.notebook('view.ipynb', [cells[0], 'view(p, "flame")']));
  await lab.runAll();
  await assertNoErrors(lab);
  const area = lab.output(1);
  const links = () => area.locator('.jupyter-button').allInnerTexts();
  await alive(area).waitFor();
  await shape(area, /^_wait, /).click();
  await until(async () => (await links()).join().endsWith('run,meet,wait,_wait'), links);
  await box(area, /^meet, /).waitFor({ state: 'detached' });
  await area.getByRole('button', { name: 'meet' }).click();
  await box(area, /^_enter, /).waitFor();
  await area.getByRole('button', { name: 'Back' }).click();
  await box(area, /^_enter, /).waitFor({ state: 'detached' });
  await area.getByRole('button', { name: 'Whole' }).click();
  await box(area, /^search, /).waitFor();
  await area.getByRole('textbox', { name: 'Search' }).fill('centroid');
  await area.getByRole('textbox', { name: 'Search' }).press('Tab');
  await alive(area).locator('.pj-found').first().waitFor();
  await area.getByLabel('Depth').selectOption('3');
  await box(area, /^wait_for, /).waitFor({ state: 'detached' });
  await lab.picture(stage.keep('profiles-view'));
  await lab.save();
  await lab.reload();
  await alive(area).waitFor();
  await shape(area, /^meet, /).click();
  await until(async () => (await links()).join().endsWith('run,meet'), links);
}

/// Linked panes, without a script: what is chosen is what the ranks show; open rows their own.
async function panes(stage) {
  const lab = await stage.open(stage.notebook('panes.ipynb', [cells[0],
    'view(p)', 'q = profile "traces/ring_4x2.otf2"', 'view(q)']));
  await lab.runAll();
  await assertNoErrors(lab);
  const area = lab.output(1);
  const row = name => area.locator('.jupyter-button', { hasText: name });
  await row(/rank 31/).waitFor();
  const whole = await row(/rank 31/).innerText();
  await row(/centroid/).click();
  await until(async () => await row(/rank 31/).innerText() !== whole);
  await lab.picture(stage.keep('profiles-panes'));
  await area.getByLabel('Values').selectOption('% of the choice');
  await until(async () => /100\.0/.test(await row(/all functions/).innerText()));
  const tree = lab.output(3), path = name => tree.locator('.jupyter-button', { hasText: name });
  await tree.getByRole('button', { name: 'Largest path' }).click();
  await path(/implicit barrier/).waitFor();
  await path(/OpenMP For/).click();
  await path(/OpenMP For/).click(); // shut again
  await path(/implicit barrier/).waitFor({ state: 'detached' });
  await path(/rank 3/).click();
  await path(/rank 3/).click();
  await path(/thread 1/).first().waitFor();
  await tree.getByLabel('Choose several').check();
  await path(/MPI_Allreduce/).first().click();
  await path(/MPI_Wait/).first().click();
  await until(async () => /\d call paths together over 4 ranks/.test(await tree.innerText()), () => tree.innerText());
  await tree.getByRole('button', { name: 'Save' }).click();
  await until(async () => (await tree.innerText()).includes('Written: view.html'), () => tree.innerText());
  assert.match(fs.readFileSync(`${stage.home}/view.html`, 'utf8'), /rank 3/);
  await lab.picture(stage.keep('profiles-panes-tree'));
}

export const profileScenarios = {
  'profiles: pictures are zoomed, searched, saved, reloaded, reopened untrusted': inLab,
  'profiles: nbconvert\'s page is alive without a kernel': asPage,
  'profiles: files of pictures are alive': asFiles,
  'profiles: a flame graph is read where scripts are off': unscripted,
  'profiles: comparisons are alive': compared,
  'profiles: 100,000 functions are clicked through': large,
  'profiles: graphs and heat maps are searched and walked by keys': searched,
  'profiles: a row of a table has the pictures show it': linked,
  'profiles: linked panes': panes,
  'profiles: a view asks the kernel for each zoom': viewed
};
