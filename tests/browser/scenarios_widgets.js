// Widgets of the command language in JupyterLab: what the user moves arrives in the kernel.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { button, choose, drag, press, readout, tab, tick, type, upload } from './widgets.js';

const slider = 'seen = {}\n' +
  's = widget.IntSlider{description = "Level", max = 2000}\n' +
  's:observe("value", function(c) seen[#seen + 1] = c.new end)\ns';
const report = 'inorder = true\n' +
  'for i = 2, #seen do inorder = inorder and seen[i] > seen[i - 1] end\n' +
  'print(s.value, #seen, seen[#seen], inorder)';

async function sliderByHand(stage) {
  const lab = await stage.open(stage.notebook('slider.ipynb', [slider, 'print(s.value)',
    's.value = 7']));
  await lab.run(0);
  const area = lab.output(0);
  await drag(area, 'Level', 0.5);
  const dragged = await readout(area, 'Level');
  assert.ok(dragged > 900 && dragged < 1100, `dragged to ${dragged}`);
  await press(area, 'Level', 'ArrowRight', 20);
  assert.equal(await readout(area, 'Level'), dragged + 20);
  await lab.runUntil(1, String(dragged + 20));
  await lab.run(2);
  await area.locator('.widget-readout').getByText('7', { exact: true }).waitFor();
}

async function thousandUpdates(stage) {
  const lab = await stage.open(stage.notebook('updates.ipynb', [slider, report]));
  await lab.run(0);
  await lab.sendUpdates(0, Array.from({ length: 1000 }, (_, i) => i + 1));
  await lab.runUntil(1, '1000\t1000\t1000\ttrue');
  assert.equal(await readout(lab.output(0), 'Level'), 1000);
}

async function printing(stage) {
  const lab = await stage.open(stage.notebook('button.ipynb', [
    'count = 0\nwidget.Button{description = "Go", on_click = function()\n' +
    'count = count + 1 print("clicked " .. count) end}']));
  await lab.run(0);
  for (let i = 1; i <= 3; i++) {
    await button(lab.output(0), 'Go').click();
    await lab.output(0).getByText(`clicked ${i}`).waitFor();
  }
  assert.equal((await lab.text(0)).match(/clicked/g).length, 3);
}

async function whileBusy(stage) {
  const lab = await stage.open(stage.notebook('busy.ipynb', [
    'stop, l = false, widget.Label{value = "none"}\n' +
    's = widget.IntSlider{description = "Level"}\n' +
    's:observe("value", function(c) l.value = "at " .. c.new end)\n' +
    'widget.VBox{s, l, widget.Button{description = "Stop", on_click = function() stop = true end}}',
    'print("begun") while not stop do end print("stopped")']));
  await lab.run(0);
  await lab.start(1);
  await lab.output(1).getByText('begun').waitFor();
  const began = Date.now();
  await press(lab.output(0), 'Level', 'ArrowRight', 5);
  await lab.output(0).getByText('at 5', { exact: true }).waitFor();
  console.error(`five steps of a slider while a cell runs: ${Date.now() - began} ms`);
  await button(lab.output(0), 'Stop').click();
  await lab.output(1).getByText('stopped').waitFor();
}

async function everyKind(stage) {
  fs.writeFileSync(path.join(stage.home, 'up.txt'), 'seven bytes'.slice(0, 7));
  const lab = await stage.open(stage.notebook('kinds.ipynb', [
    't = widget.Text{description = "Name"}\nc = widget.Checkbox{description = "Sure"}\n' +
    'd = widget.Dropdown{description = "Set", options = {"mpi", "hybrid"}}\n' +
    'u = widget.FileUpload{description = "Bring"}\n' +
    'b = widget.Tab{titles = {"One", "Two"}, children = {\n' +
    'widget.VBox{t, c}, widget.VBox{d, u}}}\nb',
    'print(t.value, c.value, d.value, b.selected_index, #u.value, u.value[1].size)']));
  await lab.run(0);
  const area = lab.output(0);
  await type(area, 'Name', 'epoch');
  await tick(area, 'Sure');
  await tab(area, 'Two').click();
  await choose(area, 'Set', 'hybrid');
  await upload(area, 'Bring (0)', path.join(stage.home, 'up.txt'));
  await area.getByText('Bring (1)').waitFor();
  await lab.run(1);
  assert.deepEqual((await lab.text(1)).trim().split(/\s+/),
    ['epoch', 'true', 'hybrid', '1', '1', '7']);
}

async function reloaded(stage) {
  const notebook = stage.notebook('alive.ipynb', [slider, 'print(s.value)']);
  const lab = await stage.open(notebook);
  await lab.run(0);
  await press(lab.output(0), 'Level', 'ArrowRight', 3);
  await lab.save();
  await lab.reload();
  await lab.output(0).locator('.widget-readout').getByText('3', { exact: true }).waitFor();
  const other = await stage.open(notebook);
  await other.output(0).locator('.widget-readout').getByText('3', { exact: true }).waitFor();
  await press(other.output(0), 'Level', 'ArrowRight', 2);
  await lab.output(0).locator('.widget-readout').getByText('5', { exact: true }).waitFor();
  await lab.run(1);
  assert.equal((await lab.text(1)).trim(), '5');
}

async function interact(stage) {
  const lab = await stage.open(stage.notebook('interact.ipynb', [
    'interact(function(a) return "square " .. a.n * a.n end, {n = {0, 10}})']));
  await lab.run(0);
  await lab.output(0).getByText('square 25').waitFor();
  await press(lab.output(0), 'n', 'ArrowRight', 2);
  await lab.output(0).getByText('square 49').waitFor();
  assert.equal((await lab.text(0)).match(/square/g).length, 1);
}

export const widgetScenarios = {
  'widgets: a slider by mouse and keys': sliderByHand,
  'widgets: 1,000 updates in order, none lost': thousandUpdates,
  'widgets: a button whose handler prints': printing,
  'widgets: alive while a cell runs': whileBusy,
  'widgets: text, choice, upload and tabs': everyKind,
  'widgets: alive after a reload and in a second tab': reloaded,
  'widgets: interact': interact
};
