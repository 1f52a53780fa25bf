// The wizard in JupyterLab, from choosing traces to the causes, by mouse and by keys.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertHovers, assertNoErrors, assertReadable, assertShown, assertTable, metricsOf, tableOf,
  traces } from './assertions.js';
import { writeBigTraces } from './bigtrace.js';
import { lowestInPicture, openPage, stickingOut, until } from './page.js';
import { button, choose, field, press, tab, tick, type } from './widgets.js';

const call = `wizard "${traces}"`;

async function byMouse(stage) {
  const lab = await stage.open(stage.notebook('mouse.ipynb',
    [call, 'wizard{code = true}', '6 * 7']));
  await lab.run(0);
  const area = lab.output(0);
  const began = Date.now();
  await button(area, 'Analyse').click();
  await assertShown(stage, area);
  console.error(`from Analyse to the table: ${Date.now() - began} ms`);
  await area.getByText('MPI load balance').first().click();
  await area.getByText('the slowest rank sets the pace').first().waitFor();
  await lab.run(1);
  await lab.cell(2).getByText('load').waitFor(); // a new one
  await lab.run(2);
  assertTable(await tableOf(lab.output(2)), stage.reference());
  await tab(area, 'Inside a run').click();
  await button(area, /^Timeline$/).click();
  await button(area, 'Zoom in').click();
  await until(async () => /^\d.*ms\.\.\d.*ms$/.test(await field(area, 'Time').inputValue()));
  await button(area, 'Whole run').click();
  await until(async () => await field(area, 'Time').inputValue() === '');
  await lab.run(3);
  assert.match(await lab.text(3), /42/);
}

/// Every page fits and can be read, in both themes, on narrow and on wide screens.
async function looks(stage) {
  const lab = await stage.open(stage.notebook('looks.ipynb', [call]));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').click();
  await assertShown(stage, area);
  await area.getByText('MPI load balance').first().click();
  await area.getByText('the slowest rank sets the pace').first().waitFor();
  for (const page of ['Files', 'Efficiencies', 'Scaling', 'Inside a run', 'Report']) {
    await tab(area, page).click();
    if (page === 'Inside a run') {
      await button(area, /^Timeline$/).click();
      await area.locator('img[alt*="imeline"]').first().waitFor();
    }
    for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
      await lab.theme(theme);
      await lab.page.setViewportSize({ width, height: 1000 });
      await until(async () => (await stickingOut(area)).length === 0,
        async () => `${page}, ${width} px: ${await stickingOut(area)}`);
      await assertReadable(area, `${page}, ${theme}`);
      assert.deepEqual(await cutTitles(area), [], `${width} px`);
      if (page === 'Efficiencies') assert.equal(await shades(area), theme === 'Dark' ? 'all' : 'none');
      await lab.picture(stage.keep(`wizard-${page.replace(/ /g, '-').toLowerCase()}-${width}`));
    }
  }
}

/// Titles of tabs that end in dots.
const cutTitles = area => area.locator('.lm-TabBar-tabLabel').evaluateAll(labels => labels
  .filter(at => at.scrollWidth > at.clientWidth).map(at => at.textContent));

/// Which coloured cells and scales of the table are turned dark.
const shades = area => area.locator('td[style*="background-color"], div[style*="linear-gradient"]')
  .evaluateAll(cells => {
    const dark = cells.filter(at => getComputedStyle(at).filter !== 'none');
    return dark.length === 0 ? 'none' : dark.length === cells.length ? 'all' : 'some';
  });

/// Dark and narrow, light and wide: nothing sticks out and all can be read.
async function pageFits(stage, lab, area, page, picture) {
  for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
    await lab.theme(theme);
    await lab.page.setViewportSize({ width, height: 1000 });
    await until(async () => (await stickingOut(area)).length === 0,
      async () => `${page}, ${width} px: ${await stickingOut(area)}`);
    await assertReadable(area, `${page}, ${theme}`);
    await lab.picture(stage.keep(`wizard-${picture}-${width}`));
  }
}

/// Each finding leads to its view with one click; sliders answer in time.
async function findings(stage) {
  const lab = await stage.open(stage.notebook('findings.ipynb', ['wizard "traces/stencil_8x1.prv.gz"']));
  await lab.run(0);
  const area = lab.output(0);
  const fits = page => pageFits(stage, lab, area, page, page);
  await button(area, 'Analyse').click();
  await area.getByText('MPI load balance').first().waitFor();
  await tab(area, 'Findings').click();
  await area.getByText('1. Load imbalance').waitFor();
  await area.getByText('2. Late senders').waitFor();
  await button(area, 'Look').nth(1).click();
  await area.locator('img[alt*="Waits of each rank"]').first().waitFor();
  await fits('findings');
  await button(area, 'Longest in the timeline').click();
  await area.locator('img[alt*="imeline"]').first().waitFor();
  assert.match(await field(area, 'Time').inputValue(), /^\d.*ms\.\.\d.*ms$/);
  await tab(area, 'Findings').click();
  await button(area, 'Look').first().click();
  await area.locator('img[alt*="Useful time by rank"]').first().waitFor();
  await tab(area, 'Findings').click();
  await button(area, 'Replay').first().click();
  await area.getByText('saves 28.9 ms').waitFor();
  await tab(area, 'Findings').click();
  await button(area, 'Replay').nth(1).click();
  await area.getByText(/ms of that .* beyond: .*imbalance/i).waitFor();
  await button(area, 'As it was').click();
  await area.getByText('Nothing is changed').waitFor();
  const began = Date.now();
  await press(area, 'Computation %', 'ArrowLeft');
  await area.getByText('saves').waitFor();
  console.error(`a step of a slider: ${Date.now() - began} ms`);
  await fits('what-if');
  await field(area, 'Other change').fill('ranks:64');
  await field(area, 'Other change').press('Tab');
  await area.getByText('popinjay model').waitFor();
  await tab(area, 'Findings').click();
  await button(area, 'Steady iterations').click();
  await area.getByText('MPI load balance').first().waitFor();
  await tab(area, 'Files').click();
  await area.getByText('Advanced').click();
  assert.equal(await field(area, 'Region').inputValue(), 'iterations');
}

/// A mouse marks a time in the timeline: it is drawn anew, then analysed.
async function marked(stage) {
  const lab = await stage.open(stage.notebook('marked.ipynb', ['wizard "traces/stencil_8x1.prv.gz"']));
  await lab.run(0);
  await markTime(stage, lab, lab.output(0));
}

/// In any front end.
export async function markTime(stage, front, area) {
  await button(area, 'Analyse').first().click();
  await area.getByText('MPI load balance').first().waitFor();
  await tab(area, 'Inside a run').click();
  await button(area, /^Timeline$/).click();
  const picture = area.locator('img[alt*="imeline"]');
  await picture.first().waitFor();
  const drag = async (from, to) => {
    await picture.first().scrollIntoViewIfNeeded();
    const { x, y, width, height } = await picture.first().boundingBox();
    await front.page.mouse.move(x + width * from, y + height / 2);
    await front.page.mouse.down();
    await front.page.mouse.move(x + width * to, y + height / 2, { steps: 5 });
    await front.page.mouse.up();
  };
  const range = async () => (await field(area, 'Time').inputValue()).split('..').map(parseFloat);
  const length = () => picture.first().getAttribute('alt');
  const whole = await length();
  await drag(0.4, 0.6);
  await until(async () => (await range()).length === 2);
  const [from, to] = await range();
  await until(async () => await length() !== whole);
  await drag(0.6, 0.4); // the other way round, in what is shown now
  await until(async () => (await range())[0] > from);
  await front.page.screenshot({ path: stage.keep(`wizard-marked-${front.constructor.name}`) });
  const [first, last] = await range();
  assert.ok(from < first && first < last && last < to, `${first} to ${last} in ${from} to ${to}`);
  const part = (last - first) / (to - from); // the plot is a little narrower than its picture
  assert.ok(part > 0.18 && part < 0.3, `a fifth of the picture is ${part} of its time`);
  await button(area, 'Use as region').click();
  await area.getByText('MPI load balance').first().waitFor();
  await tab(area, 'Files').click();
  await area.getByText('Advanced').click();
  await until(async () => /^\d+ns\.\.\d+ns$/.test(await field(area, 'Region').inputValue()));
}

async function openmp(stage) {
  const lab = await stage.open(stage.notebook('openmp.ipynb', ['wizard "traces/openmp_1x4.prv.gz"']));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').first().click();
  await area.getByText('Global efficiency').first().waitFor();
  await tab(area, 'Inside a run').click();
  await area.locator('img[alt*="by thread"]').first().waitFor();
  await choose(area, 'Show', 'Where the time goes');
  await area.locator('img[alt*="Time of each thread"]').first().waitFor();
  await lab.picture(stage.keep('wizard-openmp'));
}

/// Runs with devices have a page of their own: what each does, why it is idle.
async function devices(stage) {
  const lab = await stage.open(stage.notebook('devices.ipynb', ['wizard "traces/gpu_4x1.prv.gz"']));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').first().click();
  await area.getByText('Device load balance').first().waitFor();
  await tab(area, 'Devices').click();
  await area.locator('img[alt*="Time of each device"]').first().waitFor();
  for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
    await lab.theme(theme);
    await lab.page.setViewportSize({ width, height: 1000 });
    await until(async () => (await stickingOut(area)).length === 0,
      async () => `${width} px: ${await stickingOut(area)}`);
    await assertReadable(area, `Devices, ${theme}`);
    await lab.picture(stage.keep(`wizard-devices-${width}`));
  }
}

/// A folder of ranks is one run: its page of devices has the account, who makes others wait, steps.
async function ranks(stage) {
  const lab = await stage.open(stage.notebook('ranks.ipynb', ['wizard "ai"']));
  await lab.run(0);
  const area = lab.output(0);
  const files = area.locator('select[multiple]').first().locator('option');
  await until(async () => await files.count() >= 4);
  await lab.picture(stage.keep('wizard-ranks-files'));
  await area.locator('select[multiple]').first().selectOption(
    (await files.allTextContents()).filter(label => label.startsWith('rank')).map(label => ({ label })));
  await button(area, 'Add').first().click();
  await until(async () => await area.locator('select[multiple]').nth(1).locator('option').count() === 1);
  await lab.picture(stage.keep('wizard-ranks-added'));
  await button(area, 'Analyse').first().click();
  await area.getByText('rank 2 makes others wait 16.0 %').waitFor();
  const pages = {
    Devices: area.locator('img[alt*="Time of each device"]'),
    Findings: area.getByText('Waiting for a late rank'),
    'Inside a run': area.locator('img[alt*="imeline"]')
  };
  for (const [page, shown] of Object.entries(pages)) {
    await tab(area, page).click();
    if (page === 'Inside a run') await area.getByText('Timeline', { exact: true }).first().click();
    await shown.first().waitFor();
    await pageFits(stage, lab, area, page, `ranks-${page.replace(/ /g, '-').toLowerCase()}`);
  }
}

async function byKeys(stage) {
  const lab = await stage.open(stage.notebook('keys.ipynb', [call]));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').waitFor();
  await area.locator('input').first().focus();
  const focused = () => lab.page.evaluate(() => document.activeElement.textContent);
  for (let i = 0; i < 60 && await focused() !== 'Analyse'; i++) await lab.page.keyboard.press('Tab');
  assert.equal(await focused(), 'Analyse');
  await lab.page.keyboard.press('Shift+Tab'); // Cancel is off
  assert.equal(await focused(), 'Advanced');
  await lab.page.keyboard.press('Space');
  await field(area, 'Region').waitFor();
  await lab.page.keyboard.press('Tab');
  assert.ok(await field(area, 'Region').evaluate(at => at === document.activeElement));
  for (let i = 0; i < 20 && await focused() !== 'Analyse'; i++) await lab.page.keyboard.press('Tab');
  await lab.page.keyboard.press('Enter');
  await assertShown(stage, area);
  await area.locator('.lm-TabBar-tab.lm-mod-current').focus();
  await lab.page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'Scaling');
  await lab.page.keyboard.press('Enter');
  await area.locator('img[alt*="Speedup"]').first().waitFor();
}

async function reloaded(stage) {
  const notebook = stage.notebook('reloaded.ipynb', [call]);
  const lab = await stage.open(notebook);
  await lab.run(0);
  await button(lab.output(0), 'Analyse').click();
  await assertShown(stage, lab.output(0));
  await lab.save();
  await lab.reload();
  await assertShown(stage, lab.output(0));
  await assertShown(stage, (await stage.open(notebook)).output(0));
}

/// Another day: the notebook is trusted, its kernel is gone.
async function reopened(stage) {
  const notebook = stage.notebook('reopened.ipynb', [call]);
  const lab = await stage.open(notebook);
  await lab.command('@jupyter-widgets/jupyterlab-manager:saveWidgetState'); // off, as it comes
  await lab.run(0);
  await button(lab.output(0), 'Analyse').click();
  await assertShown(stage, lab.output(0));
  const beside = lab.output(0).getByText('What the wizard showed last');
  await until(async () => await beside.count() === 1);
  assert.equal(await beside.isVisible(), false);
  await tab(lab.output(0), 'Scaling').click();
  await until(async () => (await lab.outputs()).at(-1).data['image/png']);
  await lab.save();
  assert.equal(stage.saved(notebook).metadata.widgets, undefined);
  await stage.endKernels();
  const again = await stage.open(notebook);
  const area = again.output(0);
  await area.getByText('What the wizard showed last').waitFor();
  await area.locator('img[alt]').nth(1).waitFor();
  for (const theme of ['Light', 'Dark']) {
    await again.theme(theme);
    await again.picture(stage.keep(`wizard-reopened-${theme.toLowerCase()}`));
  }
  assert.equal(await area.getByText(/Loading widget|model not found/).isVisible(), false);
  await area.getByText('Numbers').first().click();
  assertTable(await tableOf(area), stage.reference());
  await again.command('@jupyter-widgets/jupyterlab-manager:saveWidgetState');
  again.page.complaints = again.page.complaints.filter(text => !text.includes('model not found'));
}

async function broken(stage) {
  fs.writeFileSync(path.join(stage.home, 'broken.prv'), '#Paraver nonsense\n');
  const lab = await stage.open(stage.notebook('broken.ipynb', [
    'wizard{"traces/stencil_1x1.prv.gz", "traces/stencil_2x1.prv.gz", "broken.prv"}']));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').click();
  await area.getByText(Number(stage.reference()[1].runtime_s).toFixed(3)).first().waitFor();
  await tab(area, 'Files').click();
  await area.getByText(/broken\.prv.*(:|cannot|not|failed)/i).last().waitFor();
}

/// A pipe that nobody writes to is no run: neither its folder nor its name make the wizard wait.
async function pipes(stage) {
  const home = path.join(stage.home, 'mixed');
  fs.mkdirSync(home);
  execFileSync('mkfifo', [path.join(home, 'pipe.prv')]);
  for (const file of ['stencil_2x1.prv.gz', 'stencil_2x1.pcf', 'stencil_2x1.row'])
    fs.copyFileSync(path.join(stage.notebooks, 'traces', file), path.join(home, file));
  const lab = await stage.open(stage.notebook('pipes.ipynb', ['wizard{}', '6 * 7']));
  await lab.run(0);
  const area = lab.output(0);
  const add = async text => {
    await type(area, 'Path', text);
    await button(area, 'Add path').click();
  };
  await add('mixed/pipe.prv');
  await area.getByText(/pipe\.prv.*is a pipe or a device/).waitFor();
  await add('mixed');
  await button(area, 'Analyse').click();
  await area.getByText('MPI load balance').first().waitFor();
  await lab.run(1);
  assert.match(await lab.text(1), /42/);
}

/// The summary beside a trace is read in its place, unless the user wants the trace.
async function summaries(stage) {
  fs.copyFileSync(path.join(stage.notebooks, 'traces/stencil_2x1.prv.gz'),
    path.join(stage.home, 'run.prv.gz'));
  execFileSync('popinjay', ['preprocess', 'run.prv.gz'], { cwd: stage.home, stdio: 'ignore' });
  const lab = await stage.open(stage.notebook('summaries.ipynb', ['wizard "run.prv.gz"']));
  await lab.run(0);
  const area = lab.output(0);
  const analyse = async said => {
    await button(area, 'Analyse').click();
    await area.getByText('MPI load balance').first().waitFor();
    await tab(area, 'Files').click();
    await area.getByText(said).waitFor();
  };
  await analyse(/^summary read in/);
  await area.getByText('Advanced').click();
  await tick(area, 'Ignore summaries');
  await analyse(/^read in/);
  await lab.picture(stage.keep('wizard-advanced'));
}

async function restarted(stage) {
  const lab = await stage.open(stage.notebook('restarted.ipynb', ['wizard()']));
  await lab.run(0);
  const area = lab.output(0);
  await type(area, 'Path or glob', traces);
  await area.getByText('stencil_8x1', { exact: false }).last().waitFor({ state: 'attached' });
  await area.getByText('Advanced').click();
  await type(area, 'Latency', '2us');
  await choose(area, 'Scaling', 'weak');
  const chosen = () => area.locator('select[multiple]').nth(1).locator('option').allInnerTexts();
  const before = await chosen();
  assert.equal(before.length, stage.reference().length);
  await lab.toolbar('notebook:restart-kernel');
  await lab.confirm();
  await lab.idle();
  await lab.run(0);
  await area.locator('select[multiple]').nth(1).locator('option').first()
    .waitFor({ state: 'attached' });
  assert.deepEqual(await chosen(), before);
  await area.getByText('Advanced').click();
  // Another network is a matter of one analysis: kept, it would change the numbers of the next.
  assert.equal(await field(area, 'Latency').inputValue(), '');
}

async function report(stage) {
  const lab = await stage.open(stage.notebook('assess.ipynb', [call]));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').click();
  await assertShown(stage, area);
  await tab(area, 'Report').click();
  await type(area, 'Application', 'STENCIL');
  await type(area, 'Author', 'A. Analyst');
  await type(area, 'File', 'assessed');
  await button(area, 'Generate').click();
  await area.getByText('Written: assessed.ipynb').waitFor();
  await button(area, 'Generate').click();
  await area.getByText('is there already').waitFor();
  await type(area, 'File', 'assessed.html');
  await button(area, 'Generate').click();
  await area.getByText('Written: assessed.html').waitFor({ timeout: 90000 });
  assert.match(fs.readFileSync(path.join(stage.home, 'assessed.html'), 'utf8'), /STENCIL/);
  await type(area, 'File', 'assessed');
  await area.getByTitle('Runs the notebook and sets it').click();
  await area.getByText('Written: assessed.pdf').waitFor({ timeout: 180000 });
  assert.match(fs.readFileSync(path.join(stage.home, 'assessed.pdf'), 'latin1'), /^%PDF-/);
  await lab.picture(stage.keep('wizard-report'));
  const written = await stage.open('assessed.ipynb');
  await written.runAll();
  await assertNoErrors(written);
  await written.cell(0).locator('h1').getByText('Performance of STENCIL').waitFor();
  const table = written.page.locator('.jp-OutputArea-output',
    { has: written.page.locator('table', { hasText: /^\s*Ranks/ }) });
  await table.first().waitFor();
  assertTable(await tableOf(table.first()), stage.reference());
  await written.picture(stage.keep('wizard-report-notebook'));
}

/// The report of the shell as a file: sorted, filtered, pictures that show each other's ranks, and
/// that are dark with the page but not on paper.
async function reportPage(stage) {
  execFileSync('bash', ['-c', 'popinjay report traces/stencil_*.prv.gz -o page.html'],
    { cwd: stage.home, stdio: 'pipe' });
  const page = await openPage(stage.browser);
  stage.opened.push({ page, close: () => page.context().close() });
  await page.goto(pathToFileURL(path.join(stage.home, 'page.html')).href);
  const runs = page.locator('table', { has: page.locator('th', { hasText: /^Runtime/ }) }).first();
  const first = () => runs.locator('tbody tr').first().innerText();
  assert.match(await first(), /stencil_1x1/);
  await runs.getByText('Runtime').click();
  assert.match(await first(), /stencil_64x1/);
  const numbers = page.locator('details', { has: page.locator('input[type=search]') }).first();
  await numbers.locator('summary').click();
  const shown = numbers.locator('tbody tr:visible');
  assert.ok(await shown.count() > 60);
  await numbers.locator('input').fill('63');
  assert.ok(await shown.count() < 10);
  const linked = await page.evaluate(() => {
    const title = [...document.querySelectorAll('.picture svg rect > title')]
      .find(e => /(^|\n)Rank: 3\b/.test(e.textContent));
    title.parentNode.dispatchEvent(new Event('mouseenter'));
    const marks = [...document.querySelectorAll('rect.linked')];
    return { pictures: new Set(marks.map(e => e.ownerSVGElement)).size,
      texts: marks.map(e => e.querySelector('title').textContent) };
  });
  assert.ok(linked.pictures > 1, `${linked.pictures} pictures show rank 3`);
  assert.ok(linked.texts.every(text => /Rank: 3\b/.test(text)));
  const pictures = page.locator('.picture > svg');
  const filter = () => pictures.first().evaluate(picture => getComputedStyle(picture).filter);
  const readable = async theme => {
    for (const picture of await pictures.all()) {
      const { count, ratio, text } = await lowestInPicture(picture);
      assert.ok(count && ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    }
  };
  assert.equal(await filter(), 'none');
  await readable('light');
  await page.getByRole('button', { name: 'Dark' }).click();
  assert.equal(await filter(), 'invert(0.91) hue-rotate(180deg)');
  await readable('dark');
  await page.screenshot({ path: stage.keep('report-dark') });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await filter(), 'none');
}

async function untrusted(stage) {
  const notebook = stage.notebook('kept.ipynb', [call]);
  const lab = await stage.open(notebook);
  await lab.run(0);
  await button(lab.output(0), 'Analyse').click();
  await assertShown(stage, lab.output(0));
  await assertHovers(lab.output(0), stage.reference(), metricsOf(stage.reference()));
  await tab(lab.output(0), 'Scaling').click();
  await until(async () => (await lab.outputs()).at(-1).data['image/png']);
  await lab.save();
  const reader = await stage.open(notebook, { server: await stage.stranger() });
  await reader.output(0).locator('img').nth(1).waitFor();
  await reader.output(0).getByText('Numbers').first().click();
  assertTable(await tableOf(reader.output(0)), stage.reference());
  await reader.output(0).getByText('Numbers').first().click();
  await assertHovers(reader.output(0), stage.reference(), metricsOf(stage.reference()));
  await reader.picture(stage.keep('wizard-untrusted'));
}

/// How long the kernel took from hearing of a click to the state that the click asked for, in ms.
async function pause(lab, isState) {
  let heard = [];
  for (let state; !(state = heard.findLast(isState)); heard.push(...await lab.published())) {
    await lab.page.waitForTimeout(20);
  }
  const done = heard.findLast(isState);
  const began = heard.findLast(({ type, content, at }) =>
    type === 'status' && content.execution_state === 'busy' && at <= done.at);
  return done.at - began.at;
}

/// From whatever page: a file that was whole before Cancel has results.
async function again(area) {
  await until(async () => {
    await tab(area, 'Files').click();
    return button(area, 'Analyse').isVisible();
  });
  await button(area, 'Analyse').click();
}

const enables = ({ content }) => content.data?.state?.disabled === false;

async function large(stage) {
  writeBigTraces(path.join(stage.home, 'big'), 16); // read for longer than all this takes
  const lab = await stage.open(stage.notebook('large.ipynb', [
    'wizard "big/*.prv"',
    's, l = widget.IntSlider{description = "Level"}, widget.Label{value = "none"}\n' +
    's:observe("value", function(c) l.value = "at " .. c.new end)\nwidget.VBox{s, l}',
    '6 * 7']));
  await lab.run(0);
  await lab.run(1);
  const area = lab.output(0);
  await lab.listen();
  await button(area, 'Analyse').click();
  await area.getByText('% of').first().waitFor();
  for (let i = 1; i <= 5; i++) {
    await press(lab.output(1), 'Level', 'ArrowRight');
    await lab.output(1).getByText(`at ${i}`, { exact: true }).waitFor();
  }
  const heard = await lab.published();
  const answers = heard.filter(({ content }) => /^at \d$/.test(content.data?.state?.value))
    .map(({ at, asked }) => at - asked);
  const parts = heard.map(({ content }) => content.data?.state?.value)
    .filter(value => typeof value === 'number' && value > 0 && value < 1);
  assert.ok(parts.length >= 3, `progress was shown ${parts.length} times`);
  assert.deepEqual(parts, [...parts].sort((a, b) => a - b));
  const pauses = [];
  for (let i = 0; i < 3; i++) {
    await area.getByText('cancelled').first().waitFor({ state: 'detached' }); // of the last round
    await area.getByText('% of').first().waitFor();
    await lab.published();
    await button(area, 'Cancel').click();
    await area.getByText('cancelled').first().waitFor({ state: 'attached' });
    pauses.push(await pause(lab, enables));
    if (i < 2) await again(area);
  }
  console.error(`while 8 GB are read: a slider answers after ${answers.join(', ')} ms; ` +
    `cancelled after ${pauses.join(', ')} ms`);
  assert.ok(Math.min(...answers) < 100, `a slider answers after ${answers.join(', ')} ms`);
  assert.ok(Math.min(...pauses) < 50, `cancelled after ${pauses.join(', ')} ms`);
  await lab.run(2);
  await lab.output(2).getByText('42').waitFor();
  fs.rmSync(path.join(stage.home, 'big'), { recursive: true });
}

/// Profiles of many ranks, then the trace of a run beside them; every page fits, in both themes.
async function profiles(stage) {
  const lab = await stage.open(stage.notebook('profiles.ipynb',
    ['wizard{"profiles/cpu_*.prof", "traces/ring_4x2.otf2"}', 'wizard{code = true}']));
  await lab.run(0);
  const area = lab.output(0);
  await area.getByText('cpu_31.prof').first().waitFor({ state: 'attached' });
  await button(area, 'Analyse').click();
  await area.getByText('parallel efficiency', { exact: false }).first().waitFor();
  await tab(area, 'Functions').click();
  await area.getByText('20 of 32 ranks work; the others, 20 to 31').first().waitFor();
  await area.locator('img[alt*="cpu_*.prof"]').first().waitFor({ state: 'attached' });
  await field(area, 'Search').fill('centroid');
  await area.getByText('(centroid)').first().waitFor();
  await area.getByText('(pixel)').first().waitFor({ state: 'detached' });
  await area.locator('td', { hasText: '(centroid)' }).filter({ visible: true }).first().click();
  await until(async () => (await area.locator('.pj-alive output').allInnerTexts()).some(text => /^\d+ call/.test(text)));
  await choose(area, 'Table', 'calls, bottom-up');
  await area.getByText('Bottom-up: functions').first().waitFor();
  await area.locator('summary').filter({ hasText: 'centroid', visible: true }).first().click();
  await choose(area, 'Table', 'functions');
  await choose(area, 'Beside it', 'ring_4x2');
  await area.locator('img[alt*="ring_4x2"]').first().waitFor({ state: 'attached' });
  for (const page of ['Functions', 'Graph', 'Ranks', 'Changes']) {
    await tab(area, page).click();
    for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
      await lab.theme(theme);
      await lab.page.setViewportSize({ width, height: 1200 });
      await until(async () => (await stickingOut(area)).length === 0,
        async () => `${page}, ${width} px: ${await stickingOut(area)}`);
      await assertReadable(area, `${page}, ${theme}`);
      await lab.picture(stage.keep(`wizard-profiles-${page.toLowerCase()}-${width}`));
    }
  }
  await tab(area, 'Functions').click();
  await button(area, 'Save').filter({ visible: true }).first().click();
  await area.getByText('functions.png').filter({ visible: true }).first().waitFor();
  assert.ok(fs.statSync(path.join(stage.home, 'functions.png')).size > 5000);
  await lab.run(1);
  await lab.cell(2).getByText('profile').first().waitFor();
  await lab.run(2);
  await lab.output(2).getByText('(centroid)').filter({ visible: true }).first().waitFor();
}

/// What each page of profiles shows is saved, and made again by its code in a cell.
async function savedPages(stage) {
  fs.copyFileSync(new URL('../samples/mprofile/plain.dat', import.meta.url), path.join(stage.home, 'plain.dat'));
  const lab = await stage.open(stage.notebook('pages.ipynb',
    ['wizard{"profiles/cpu_*.prof", "profiles/image_13.lprof", "plain.dat"}', 'wizard{code = true}']));
  await lab.run(0);
  const area = lab.output(0);
  await area.getByText('plain.dat').first().waitFor({ state: 'attached' });
  await button(area, 'Analyse').click();
  for (const page of ['Functions', 'Graph', 'Ranks', 'Lines', 'Memory']) {
    const file = page === 'Ranks' ? 'profile-ranks.png' : `${page.toLowerCase()}.png`, cell = lab.output(2);
    await tab(area, page).click();
    await button(area, 'Save').filter({ visible: true }).first().click();
    await area.getByText(file).filter({ visible: true }).first().waitFor();
    assert.ok(fs.statSync(path.join(stage.home, file)).size > 3000, file);
    await lab.run(1); // makes a cell below
    await lab.cell(2).getByText('profile').first().waitFor();
    await lab.run(2);
    await cell.locator('img, table, .pj-alive').first().waitFor({ state: 'attached' });
    assert.equal(await cell.locator('.jp-RenderedText[data-mime-type*="error"]').count(), 0, page);
  }
  await tab(area, 'Changes').click(); // from times to memory: a table alone
  await button(area, 'Save').filter({ visible: true }).first().click();
  await area.getByText('only a table').filter({ visible: true }).first().waitFor();
  await type(area, 'Save as', 'changes.csv');
  await button(area, 'Save').filter({ visible: true }).first().click();
  await area.getByText('changes.csv').filter({ visible: true }).first().waitFor();
  assert.ok(fs.statSync(path.join(stage.home, 'changes.csv')).size > 500);
}

/// A program, recorded in two sizes by mouse; its runs are analysed.
async function recorded(stage) {
  fs.writeFileSync(path.join(stage.home, 'app.py'), 'import os\ndef part(n):\n' +
    '    return n and part(n - 1)\npart(20)\nwhile os.environ["OMP_NUM_THREADS"] == "2" and ' +
    'not os.path.exists("go"): pass\n');
  const lab = await stage.open(stage.notebook('recorded.ipynb', ['wizard()', 'wizard{code = true}']));
  await lab.run(0);
  const area = lab.output(0);
  await tab(area, 'Record').click();
  assert.ok(await button(area, 'Record').isDisabled());
  await field(area, 'Command').fill('python3 app.py');
  await field(area, 'Threads').fill('1,2');
  await field(area, 'Into').fill('runs');
  await tick(area, 'More threads than cores');
  for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
    await lab.theme(theme);
    await lab.page.setViewportSize({ width, height: 1000 });
    await until(async () => (await stickingOut(area)).length === 0,
      async () => `${width} px: ${await stickingOut(area)}`);
    await assertReadable(area, theme);
    await lab.picture(stage.keep(`wizard-recorded-${width}`));
  }
  await button(area, 'Record').click();
  await area.getByText('1 of 2: app_x1.1').waitFor({ timeout: 60000 });
  await lab.picture(stage.keep('wizard-recorded-busy'));
  await button(area, 'Interrupt').click();
  await area.getByText('Cancelled; 1 run of runs').waitFor({ timeout: 60000 });
  fs.writeFileSync(path.join(stage.home, 'go'), '');
  await tick(area, 'Go on with the study');
  await button(area, 'Record').click();
  const files = area.locator('select[multiple]').nth(1).locator('option');
  await until(async () => await files.count() === 2);
  await lab.run(1); // the code of the page in front
  await lab.cell(2).getByText('app_x2.1').waitFor();
  await button(area, 'Analyse').click();
  await area.getByText('Global efficiency').first().waitFor();
  await lab.picture(stage.keep('wizard-recorded-table'));
}

export const wizardScenarios = {
  'wizard: a program is recorded, interrupted, gone on with, analysed': recorded,
  'wizard: profiles of ranks, and a trace beside them': profiles,
  'wizard: each page of profiles is saved and shown as code': savedPages,
  'wizard: from traces to causes by mouse': byMouse,
  'wizard: every page at 800 and 1600 px, dark and light': looks,
  'wizard: findings lead to views, sliders to replays': findings,
  'wizard: a time is marked with the mouse and analysed': marked,
  'wizard: threads are the bars of an OpenMP run': openmp,
  'wizard: devices of a run, dark and light': devices,
  'wizard: a folder of ranks, dark and light': ranks,
  'wizard: by keys alone': byKeys,
  'wizard: whole after a reload and in a second tab': reloaded,
  'wizard: saved and reopened without its kernel': reopened,
  'wizard: a broken trace among good ones': broken,
  'wizard: a pipe among the files': pipes,
  'wizard: summaries are read, and ignored when asked': summaries,
  'wizard: a restarted kernel knows the choices': restarted,
  'wizard: the report notebook is written and runs': report,
  'wizard: saved and reopened untrusted': untrusted,
  'report: a page that is sorted, filtered, dark and printed': reportPage,
  'wizard: progress, a slider and Cancel while 500 MB are read': large
};
