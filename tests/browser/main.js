// node main.js FRONTEND LOG [WORD...]: runs the scenarios whose names hold one of the words, or all.
// A word that no name holds is an error.
// One result line each on standard output; why one failed, and a picture of it, in the folder LOG.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './page.js';
import { Server } from './server.js';
import { Stage } from './stage.js';
import { labScenarios } from './scenarios_lab.js';
import { wizardScenarios } from './scenarios_wizard.js';
import { profileScenarios } from './scenarios_profiles.js';
import { widgetScenarios } from './scenarios_widgets.js';
import { classicScenarios } from './scenarios_classic.js';
import { notebook7Scenarios } from './scenarios_notebook7.js';

const [frontend, log, ...words] = process.argv.slice(2);
const notebooks = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../notebooks');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-'));
const root = path.join(scratch, 'root');

const picked = scenarios => Object.entries(scenarios)
  .filter(([name]) => !words.length || words.some(word => name.includes(word)));
let failed = 0;
const unknown = words.filter(word => !Object.keys({
  ...labScenarios, ...widgetScenarios, ...wizardScenarios, ...profileScenarios,
  ...notebook7Scenarios, ...classicScenarios
}).some(name => name.includes(word)));
if (unknown.length) throw new Error(`no scenario is called ${unknown.join(', ')}`);

/// null, or why the scenario failed.
async function play(name, scenario, stage) {
  const began = Date.now();
  let why = null;
  try {
    await scenario(stage);
  } catch (error) {
    why = error;
  }
  const complaints = stage.complaints();
  if (!why && complaints.length) why = new Error(`the page complains: ${complaints.join('; ')}`);
  if (why) {
    console.error(`${name}: ${why.stack}\n${complaints.join('\n')}\n${stage.server.log.slice(-2000)}`);
    await stage.picture(path.join(log, `browser-${name.replace(/\W+/g, '-')}.png`));
  }
  await stage.clear();
  console.error(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return why;
}

/// A scenario that fails is played once more, since browsers are not always steady; what passes
/// only then is told.
async function judge(name, scenario, stageIn) {
  const first = await play(name, scenario, stageIn('a'));
  const last = first && await play(name, scenario, stageIn('b'));
  if (last) failed += 1;
  console.log(`${last ? 'fail' : 'pass'}\tbrowser\t${name}`);
  if (first && !last) console.log(`unsteady\tbrowser\t${name}\t${first.message.split('\n')[0]}`);
}

async function playAll(kind, scenarios) {
  if (!scenarios.length) return;
  const server = await Server.start(kind, { frontend, root, state: path.join(scratch, kind) });
  const browser = await launch();
  for (const [i, [name, scenario]] of scenarios.entries())
    await judge(name, scenario, turn => new Stage(
      { browser, server, frontend, notebooks, scratch, folder: `${kind}${i}${turn}`, log }));
  await browser.close();
  await server.stop();
}

fs.mkdirSync(root);
try {
  await playAll('lab', picked({ ...labScenarios, ...widgetScenarios, ...wizardScenarios,
    ...profileScenarios, ...notebook7Scenarios }));
  await playAll('classic', picked(classicScenarios));
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
