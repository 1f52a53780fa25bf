// What has to hold of a table or plot of the example runs, in whichever front end.
import assert from 'node:assert/strict';
import { hoverTexts, lowestContrast } from './page.js';

export const traces = 'traces/stencil_*.prv.gz';

const keyOf = title => title.toLowerCase().replace(/\W+/g, '_').replace(/_$/, '');

/// The first HTML table inside of `area`: cell texts by the title of their row.
export async function tableOf(area) {
  const rows = await area.locator('table').first().evaluate(table =>
    [...table.rows].map(row => [...row.cells].map(cell => cell.textContent)));
  return Object.fromEntries(rows.map(([title, ...cells]) => [keyOf(title), cells]));
}

function assertNumbers(key, texts, reference) {
  assert.equal(texts?.length, reference.length, `a row ${key}`);
  texts.forEach((text, i) => {
    const digits = text.split('.')[1]?.length ?? 0, exact = Number(reference[i][key]);
    assert.ok(Math.abs(Number(text) - exact) <= 0.51 * 10 ** -digits,
      `${key} shows ${text}, not ${exact}`);
  });
}

export const metricsOf = reference => Object.keys(reference[0]).slice(6);

/// Every number shown is the reference's, rounded to the digits shown.
export function assertTable(table, reference) {
  const keys = metricsOf(reference);
  assert.ok(keys.length >= 10);
  for (const key of keys) assertNumbers(key, table[key], reference);
}

/// The same of rows of numbers without titles, in the order of the metrics.
export function assertRows(rows, reference) {
  const keys = metricsOf(reference);
  assert.equal(rows.length, keys.length);
  rows.forEach((texts, i) => assertNumbers(keys[i], texts, reference));
}

/// Under the pointer is what each hot spot says, and the exact value of every run is among it.
export async function assertHovers(area, reference, keys) {
  const spots = await hoverTexts(area);
  assert.deepEqual(spots.filter(({ title, seen }) => title !== seen), []);
  for (const key of keys) {
    for (const run of reference) {
      const found = spots.some(({ title }) => keyOf(title.split(':')[0]) === key &&
        title.includes(run[key]) && title.includes(run.trace));
      assert.ok(found, `no hot spot says ${key} of ${run.trace}`);
    }
  }
}

/// Every text in `area` has the contrast of WCAG 2.1 AA; JupyterLab's own tabs and buttons have less
/// in its dark theme, 4.06.
export async function assertReadable(area, where) {
  for (const [theirs, least] of [[false, 4.5], [true, 4]]) {
    const { ratio, text } = await lowestContrast(area, theirs);
    assert.ok(ratio >= least, `${where}: contrast ${ratio.toFixed(2)} of "${text}"`);
  }
}

export async function assertNoErrors(front) {
  const errors = (await front.outputs()).filter(output => output.output_type === 'error');
  assert.deepEqual(errors.map(error => error.evalue), []);
}

/// The table of the wizard in `area`, whose names are buttons beside the numbers.
export async function assertShown(stage, area) {
  const last = Number(stage.reference().at(-1).runtime_s).toFixed(4);
  await area.getByText(last).first().waitFor();
  const rows = await area.locator('table', { hasText: last }).first().evaluate(table =>
    [...table.rows].map(row => [...row.cells].map(cell => cell.textContent.trim())));
  assertRows(rows.slice(-metricsOf(stage.reference()).length), stage.reference());
}
