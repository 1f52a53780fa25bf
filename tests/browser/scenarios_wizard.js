// The wizard in JupyterLab, from choosing traces to the causes, by mouse and by keys.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { assertRows, metricsOf, traces } from './assertions.js';
import { lowestContrast } from './page.js';
import { button, tab } from './widgets.js';

const call = `wizard "${traces}"`;

/// The last number of the table: the runtime of the largest run.
const last = stage => Number(stage.reference().at(-1).runtime_s).toFixed(4);

async function assertTable(stage, area) {
  await area.getByText(last(stage)).first().waitFor();
  const rows = await area.locator('table', { hasText: last(stage) }).first().evaluate(table =>
    [...table.rows].map(row => [...row.cells].map(cell => cell.textContent.trim())));
  assertRows(rows.slice(-metricsOf(stage.reference()).length), stage.reference());
}

async function byMouse(stage) {
  const lab = await stage.open(stage.notebook('mouse.ipynb', [call, '6 * 7']));
  await lab.run(0);
  const area = lab.output(0);
  const began = Date.now();
  await button(area, 'Analyse').click();
  await assertTable(stage, area);
  console.error(`from Analyse to the table: ${Date.now() - began} ms`);
  await area.getByText('MPI load balance').first().click();
  await area.getByText('the slowest rank sets the pace').first().waitFor();
  for (const page of ['Scaling', 'Inside a run']) {
    await tab(area, page).click();
    await area.locator('img').last().waitFor();
    for (const theme of ['Dark', 'Light']) {
      await lab.theme(theme);
      const { ratio, text } = await lowestContrast(area);
      assert.ok(ratio >= 4, `${page}, ${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    }
    await lab.picture(stage.keep(`wizard-${page.replace(/ /g, '-').toLowerCase()}`));
  }
  await lab.run(1);
  assert.match(await lab.text(1), /42/);
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
  await lab.page.keyboard.press('Enter');
  await assertTable(stage, area);
}

async function reloaded(stage) {
  const notebook = stage.notebook('reloaded.ipynb', [call]);
  const lab = await stage.open(notebook);
  await lab.run(0);
  await button(lab.output(0), 'Analyse').click();
  await assertTable(stage, lab.output(0));
  await lab.save();
  await lab.reload();
  await assertTable(stage, lab.output(0));
  await assertTable(stage, (await stage.open(notebook)).output(0));
}

async function broken(stage) {
  fs.writeFileSync(path.join(stage.home, 'broken.prv'), '#Paraver nonsense\n');
  const lab = await stage.open(stage.notebook('broken.ipynb', [
    'wizard{"traces/stencil_1x1.prv.gz", "traces/stencil_2x1.prv.gz", "broken.prv"}']));
  await lab.run(0);
  const area = lab.output(0);
  await button(area, 'Analyse').click();
  await area.getByText(Number(stage.reference()[1].runtime_s).toFixed(3)).first().waitFor();
  await tab(area, 'Traces').click();
  await area.getByText(/broken\.prv.*(:|cannot|not|failed)/i).last().waitFor();
}

export const wizardScenarios = {
  'wizard: from traces to causes by mouse': byMouse,
  'wizard: by keys alone': byKeys,
  'wizard: whole after a reload and in a second tab': reloaded,
  'wizard: a broken trace among good ones': broken
};
