// What users do in Debian's classic Notebook, with the widgets of share/frontend.
import assert from 'node:assert/strict';
import { assertHovers, assertNoErrors, assertShown, assertTable, metricsOf, tableOf, traces }
  from './assertions.js';
import { handle } from './scenarios_profiles.js';
import { markTime } from './scenarios_wizard.js';
import { button, tab } from './widgets.js';

const first = '1_first_table.ipynb';
const shown = '.output_subarea';

const tableIn = classic => classic.page.locator(shown, { hasText: 'MPI (additive)' }).first();

/// Also saved and reopened by somebody who does not trust it.
async function firstTable(stage) {
  const notebook = stage.bundled(first), reference = stage.reference();
  const classic = await stage.open(notebook);
  await classic.runAll();
  await assertNoErrors(classic);
  assertTable(await tableOf(tableIn(classic)), reference);
  await assertHovers(tableIn(classic), reference, metricsOf(reference));
  await assertHovers(classic.page.locator(shown, { hasText: 'Numbers' }).nth(1), reference,
    ['speedup']);
  await classic.picture(stage.keep('classic'));
  await classic.save();
  const reader = await stage.open(notebook, { server: await stage.stranger() });
  assertTable(await tableOf(tableIn(reader)), reference);
  await reader.picture(stage.keep('classic-untrusted'));
}

async function interrupt(stage) {
  const classic = await stage.open(stage.notebook('interrupt.ipynb',
    ['print("begun")\nwhile true do end', '6 * 7']));
  await classic.start(0);
  await classic.output(0).getByText('begun').waitFor();
  await classic.interrupt();
  await classic.output(0).getByText(/interrupted/i).first().waitFor();
  await classic.run(1);
  assert.match(await classic.text(1), /42/);
}

async function wizard(stage) {
  const classic = await stage.open(stage.notebook('wizard.ipynb', [`wizard "${traces}"`,
    'wizard{code = true}']));
  await classic.run(0);
  const area = classic.output(0);
  await button(area, 'Analyse').click();
  await assertShown(stage, area);
  await area.getByText('MPI load balance').first().click();
  await area.getByText('the slowest rank sets the pace').first().waitFor();
  await classic.run(1);
  await classic.run(2); // a new one
  assertTable(await tableOf(classic.output(2)), stage.reference());
  await tab(area, 'Scaling').click();
  await area.locator('img').filter({ visible: true }).first().waitFor();
  await classic.picture(stage.keep('classic-wizard'));
  await tab(area, 'Efficiencies').click();
  await classic.save();
  await classic.reload();
  await assertShown(stage, classic.output(0));
}

async function marked(stage) {
  const classic = await stage.open(stage.notebook('marked.ipynb',
    ['wizard "traces/stencil_8x1.prv.gz"']));
  await classic.run(0);
  await markTime(stage, classic, classic.output(0));
}

/// Pictures of profiles zoom, search and go back, also when the notebook is opened again.
async function profiles(stage) {
  const notebook = stage.notebook('profiles.ipynb',
    ['p = profile "profiles/cpu_*.prof"', 'plot(p, "flame")', 'view(p, "icicle")']);
  const classic = await stage.open(notebook);
  await classic.runAll();
  await assertNoErrors(classic);
  await handle(classic.output(1), classic.page);
  const view = classic.output(2); // its outputs run no scripts: the list of calls leads down
  await view.getByLabel('Look at').selectOption({ index: 1 });
  await view.getByRole('button', { name: 'meet' }).waitFor();
  await view.getByRole('button', { name: 'Back' }).click();
  await view.getByRole('button', { name: 'meet' }).waitFor({ state: 'detached' });
  await classic.picture(stage.keep('classic-profiles'));
  await classic.save();
  await classic.reload();
  await handle(classic.output(1), classic.page);
}

async function equalCells(stage) {
  const cell = 'n = (n or 0) + 1\nwidget.Label{value = "made " .. n}';
  const classic = await stage.open(stage.notebook('equal.ipynb', [cell, cell]));
  const says = (index, text) => classic.output(index).getByText(text, { exact: true }).waitFor();
  await classic.run(0);
  await classic.run(1);
  await says(1, 'made 2');
  await says(0, 'made 1');
  await classic.run(0);
  await says(0, 'made 3');
  await says(1, 'made 2');
  assert.equal(await classic.widgets(), 2 * 3); // a label has a layout and a style
}

export const classicScenarios = {
  'classic Notebook: first table, its numbers and hover texts, reopened untrusted': firstTable,
  'classic Notebook: the wizard, and whole after a reload': wizard,
  'classic Notebook: a time is marked with the mouse and analysed': marked,
  'classic Notebook: equal cells have widgets of their own': equalCells,
  'classic Notebook: pictures of profiles are zoomed, searched, reloaded': profiles,
  'classic Notebook: interrupting from the toolbar': interrupt
};
