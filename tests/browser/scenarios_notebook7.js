// The same notebooks in Jupyter Notebook 7.
import assert from 'node:assert/strict';
import { assertHovers, assertNoErrors, assertShown, assertTable, metricsOf, tableOf, traces }
  from './assertions.js';
import { Notebook7 } from './notebook7.js';
import { lowestContrast, until } from './page.js';
import { handle } from './scenarios_profiles.js';
import { markTime } from './scenarios_wizard.js';
import { button, tab } from './widgets.js';

const first = '1_first_table.ipynb';
const front = Notebook7;

const tableIn = notebook =>
  notebook.page.locator('.jp-OutputArea-output', { hasText: 'MPI (additive)' }).first();

/// Also saved and reopened by somebody who does not trust it.
async function firstTable(stage) {
  const name = stage.bundled(first), reference = stage.reference();
  const notebook = await stage.open(name, { front });
  await notebook.runAll();
  await assertNoErrors(notebook);
  assertTable(await tableOf(tableIn(notebook)), reference);
  await assertHovers(tableIn(notebook), reference, metricsOf(reference));
  for (const theme of ['Dark', 'Light']) {
    await notebook.theme(theme);
    const { ratio, text } = await lowestContrast(tableIn(notebook));
    assert.ok(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of "${text}"`);
    await notebook.page.screenshot({ path: stage.keep(`notebook7-${theme.toLowerCase()}`) });
  }
  await notebook.save();
  const reader = await stage.open(name, { front, server: await stage.stranger() });
  assertTable(await tableOf(tableIn(reader)), reference);
}

async function wizard(stage) {
  const name = stage.notebook('wizard.ipynb', [`wizard "${traces}"`, 'wizard{code = true}']);
  const notebook = await stage.open(name, { front });
  await notebook.run(0);
  const area = notebook.output(0);
  await button(area, 'Analyse').click();
  await assertShown(stage, area);
  await notebook.run(1);
  await notebook.cell(2).getByText('load').waitFor();
  await notebook.run(2);
  assertTable(await tableOf(notebook.output(2)), stage.reference());
  await tab(area, 'Scaling').click();
  await area.locator('img').filter({ visible: true }).first().waitFor();
  await notebook.page.screenshot({ path: stage.keep('notebook7-wizard') });
  await tab(area, 'Efficiencies').click();
  await until(async () => (await notebook.outputs()).length > 1);
  await notebook.save();
  await notebook.reload();
  await assertShown(stage, notebook.output(0));
}

async function marked(stage) {
  const notebook = await stage.open(stage.notebook('marked.ipynb',
    ['wizard "traces/stencil_8x1.prv.gz"']), { front });
  await notebook.run(0);
  await markTime(stage, notebook, notebook.output(0));
}

/// Zoomed, gone back and searched, and again after a reload.
async function flame(stage) {
  const name = stage.notebook('flame.ipynb',
    ['p = profile "profiles/cpu_*.prof"', 'plot(p, "flame")']);
  const notebook = await stage.open(name, { front });
  await notebook.runAll();
  await assertNoErrors(notebook);
  await handle(notebook.output(1), notebook.page);
  await notebook.page.screenshot({ path: stage.keep('notebook7-flame') });
  await notebook.save();
  await notebook.reload();
  await handle(notebook.output(1), notebook.page);
}

export const notebook7Scenarios = {
  'Notebook 7: first table, its numbers and hover texts, reopened untrusted': firstTable,
  'Notebook 7: the wizard, and whole after a reload': wizard,
  'Notebook 7: a time is marked with the mouse and analysed': marked,
  'Notebook 7: a flame graph is zoomed, searched and whole after a reload': flame
};
