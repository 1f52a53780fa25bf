// What users do in JupyterLab. A scenario fails by throwing, or when its pages complain.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { hoverTexts, lowestContrast, lowestInPicture, stickingOut, until } from './page.js';
import { assertHovers, assertNoErrors, assertTable, metricsOf, tableOf, traces }
  from './assertions.js';

const first = '1_first_table.ipynb';
const shown = '.jp-OutputArea-output';
const forever = 'while true do end';

const tableIn = lab => lab.page.locator(shown, { hasText: 'MPI (additive)' }).first();

async function assertHoversIn(lab, reference) {
  await assertHovers(tableIn(lab), reference, metricsOf(reference));
  await assertHovers(lab.page.locator(shown, { hasText: 'Numbers' }).nth(1), reference, ['speedup']);
}

/// Also saved and reopened by somebody who does not trust it.
async function firstTable(stage) {
  const notebook = stage.bundled(first), reference = stage.reference();
  const lab = await stage.open(notebook);
  await lab.runAll();
  await assertNoErrors(lab);
  await tableIn(lab).getByText('Numbers').click();
  assertTable(await tableOf(tableIn(lab)), reference);
  await tableIn(lab).getByText('Numbers').click();
  await assertHoversIn(lab, reference);
  await lab.save();
  const reader = await stage.open(notebook, { server: await stage.stranger() });
  assertTable(await tableOf(tableIn(reader)), reference);
  await assertHoversIn(reader, reference);
  assert.equal(await reader.page.locator(`${shown} script`).count(), 0);
  await reader.picture(stage.keep('lab-untrusted'));
}

async function looks(stage) {
  const lab = await stage.open(stage.bundled(first));
  await lab.runAll();
  for (const details of await lab.page.locator(`${shown} summary`).all()) await details.click();
  for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
    await lab.theme(theme);
    await lab.page.setViewportSize({ width, height: 1000 });
    for (const output of await lab.page.locator(shown).all()) {
      await until(async () => (await stickingOut(output)).length === 0,
        async () => `${width} px: ${await stickingOut(output)}`);
      const { ratio, text } = await lowestContrast(output);
      assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    }
    const { ratio, text } = await lowestInPicture(tableIn(lab).locator('img').first());
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}" in the picture`);
    await lab.picture(stage.keep(`lab-${theme.toLowerCase()}-${width}`));
  }
}

async function manySpots(stage) {
  const lab = await stage.open(stage.notebook('many.ipynb', [
    `runs = load "${traces}"
     many, rows = {}, {}
     for i = 1, 64 do many[i] = runs[1 + i % #runs] end
     for i = 1, 30 do
         rows[i] = {key = "m" .. i, formula = "useful_sum / (runtime * threads) / " .. i}
     end
     define_metrics{name = "wide", title = "Wide", metrics = rows}`,
    'metrics(many, "wide")'
  ]));
  await lab.run(0);
  const began = Date.now();
  await lab.run(1);
  await lab.output(1).locator('summary').last().waitFor(); // behind the picture
  const waited = Date.now() - began;
  assert.ok(waited < 10000, `shown after ${waited} ms`);
  const size = JSON.stringify(await lab.outputs()).length;
  assert.ok(size < 2e6, `the bundle has ${size} bytes`);
  const spots = await hoverTexts(lab.output(1));
  assert.ok(spots.length >= 64 * 30, `${spots.length} hot spots`);
  const wrong = spots.filter(({ title, seen }) => title !== seen);
  assert.deepEqual(wrong, []);
  const frame = await lab.slowestFrame(() => lab.page.mouse.wheel(0, 300));
  assert.ok(frame < 2000, `a frame took ${frame} ms while scrolling`);
}

/// A table of so many cells that there is no picture of it: its cells follow the theme.
async function largeTable(stage) {
  const lab = await stage.open(stage.notebook('large.ipynb', [
    `runs = load "${traces}"
     many = {}
     for i = 1, 300 do many[i] = runs[1 + i % #runs] end`,
    'metrics(many)'
  ]));
  await lab.runAll();
  const cells = lab.output(1).locator('td[style*="background:"]');
  await cells.first().waitFor();
  assert.equal(await lab.output(1).locator('img').count(), 0);
  for (const theme of ['Dark', 'Light']) {
    await lab.theme(theme);
    const turned = await cells.evaluateAll(all => all.filter(at => getComputedStyle(at).filter !== 'none').length);
    assert.equal(turned, theme === 'Dark' ? await cells.count() : 0, theme);
    const { ratio, text } = await lowestContrast(lab.output(1).locator('.jp-RenderedHTMLCommon').first());
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    await lab.picture(stage.keep(`lab-large-${theme.toLowerCase()}`));
  }
}

async function interrupt(stage) {
  const lab = await stage.open(stage.notebook('interrupt.ipynb', ['print("begun")\n' + forever,
    '6 * 7']));
  await lab.start(0);
  await lab.output(0).getByText('begun').waitFor();
  await lab.toolbar('notebook:interrupt-kernel');
  await lab.output(0).getByText(/interrupted/i).first().waitFor();
  await lab.run(1);
  assert.match(await lab.text(1), /42/);
}

async function restart(stage) {
  const lab = await stage.open(stage.notebook('restart.ipynb', ['kept = 42', 'print(kept)']));
  await lab.run(0);
  await lab.run(1);
  assert.match(await lab.text(1), /42/);
  await lab.toolbar('notebook:restart-kernel');
  await lab.confirm();
  await lab.idle();
  await lab.run(1);
  assert.match(await lab.text(1), /nil/);
}

async function reload(stage) {
  const lab = await stage.open(stage.notebook('reload.ipynb', [
    `for i = 1, 30 do
         print("line " .. i)
         local till = os.clock() + 0.1
         while os.clock() < till do end
     end
     done = true`,
    'print(done)'
  ]));
  await lab.save();
  await lab.start(0);
  await lab.output(0).getByText('line 3').first().waitFor();
  await lab.reload();
  await lab.idle();
  await lab.run(1);
  assert.match(await lab.text(1), /true/);
}

async function twoTabs(stage) {
  const notebook = stage.notebook('tabs.ipynb', ['shared = 42\nprint("one")', 'print(shared)']);
  const one = await stage.open(notebook), two = await stage.open(notebook);
  await one.run(0);
  await two.run(1);
  assert.match(await one.text(0), /one/);
  assert.match(await two.text(1), /42/);
  await one.run(1);
  assert.match(await one.text(1), /42/);
}

/// A script in a cell, recorded in two sizes, and one run by a call.
async function recordedCell(stage) {
  const lab = await stage.open(stage.notebook('record.ipynb', [
    '%record --threads 1,2 -o study as runs\ndef part(n):\n    return n and part(n - 1)\npart(20)',
    'metrics(runs)',
    'run = record{"python3 study/cell.py", out = "one"}\n' +
    'run[1].profile:match("__main__:part")[1].calls']));
  await lab.runAll();
  await assertNoErrors(lab);
  await lab.output(0).getByText('cell_x2.1').first().waitFor();
  await lab.output(1).getByText('Numbers').first().click();
  await lab.output(1).locator('td, th').getByText('Parallel efficiency').first().waitFor();
  assert.match(await lab.text(2), /21/);
  for (const [theme, width] of [['Dark', 800], ['Light', 1600]]) {
    await lab.theme(theme);
    await lab.page.setViewportSize({ width, height: 1000 });
    const { ratio, text } = await lowestContrast(lab.output(0).locator(shown).first());
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    await lab.picture(stage.keep(`lab-record-${theme.toLowerCase()}`));
  }
}

/// What "Save and Export Notebook As" fetches: a saved notebook as a PDF in which every picture and
/// table is drawn, none made of pixels.
async function exported(stage) {
  const notebook = stage.bundled(first);
  const lab = await stage.open(notebook);
  await lab.runAll();
  await lab.save();
  const stored = JSON.stringify(stage.saved(notebook));
  assert.doesNotMatch(stored, /"(application\/pdf|text\/latex|image\/svg\+xml)"/);
  const answer = await fetch(stage.server.address(`nbconvert/pdf/${stage.folder}/${notebook}?download=true`));
  assert.equal(answer.status, 200);
  const file = path.join(stage.home, 'exported.pdf');
  fs.writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  const pixels = execFileSync('pdfimages', ['-list', file], { encoding: 'utf8' });
  assert.equal(pixels.trim().split('\n').length, 2, pixels); // a header of two lines
  const text = execFileSync('pdftotext', [file, '-'], { encoding: 'utf8' });
  assert.match(text, /MPI transfer efficiency/);
  assert.match(text, /80 % of ideal/);
}

export const labScenarios = {
  'JupyterLab: first table, its numbers and hover texts, reopened untrusted': firstTable,
  'JupyterLab: readable dark and light, at 800 and 1600 px': looks,
  'JupyterLab: 2,000 hot spots stay quick': manySpots,
  'JupyterLab: a table without a picture, dark and light': largeTable,
  'JupyterLab: interrupting from the toolbar': interrupt,
  'JupyterLab: restarting from the toolbar': restart,
  'JupyterLab: reloading in the middle of output': reload,
  'JupyterLab: two tabs on one notebook': twoTabs,
  'JupyterLab: a saved notebook is exported as a PDF of vectors': exported,
  'JupyterLab: programs are recorded from cells': recordedCell
};
