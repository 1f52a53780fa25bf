// What has to hold of a table or plot of the example runs, in whichever front end.
import assert from 'node:assert/strict';
import { hoverTexts } from './page.js';

export const traces = 'traces/stencil_*.prv.gz';

const keyOf = title => title.toLowerCase().replace(/\W+/g, '_').replace(/_$/, '');

/// The first HTML table inside of `area`: cell texts by the title of their row.
export async function tableOf(area) {
  const rows = await area.locator('table').first().evaluate(table =>
    [...table.rows].map(row => [...row.cells].map(cell => cell.textContent)));
  return Object.fromEntries(rows.map(([title, ...cells]) => [keyOf(title), cells]));
}

/// Every number shown is the reference's, rounded to the digits shown.
export function assertTable(table, reference) {
  const keys = Object.keys(reference[0]).slice(6);
  assert.ok(keys.length >= 10);
  for (const key of keys) {
    const exact = reference.map(run => Number(run[key]));
    assert.equal(table[key]?.length, exact.length, `a row ${key}`);
    table[key].forEach((text, i) => {
      const digits = text.split('.')[1]?.length ?? 0;
      assert.ok(Math.abs(Number(text) - exact[i]) <= 0.51 * 10 ** -digits,
        `${key} shows ${text}, not ${exact[i]}`);
    });
  }
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
