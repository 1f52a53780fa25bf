// What a scenario works with: a server, a browser, notebooks, and the pages that it opens.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Classic } from './classic.js';
import { Lab } from './lab.js';
import { Server, writeNotebook } from './server.js';

const frontEnds = { lab: Lab, classic: Classic };

export class Stage {
  /// folder: of its own, below the root of the server; the example runs are in it.
  constructor(parts) {
    Object.assign(this, parts);
    this.home = path.join(this.server.root, this.folder);
    this.opened = [];
    this.servers = [];
    fs.mkdirSync(this.home);
    for (const folder of ['traces', 'profiles', 'ai'])
      fs.symlinkSync(path.join(this.notebooks, folder), path.join(this.home, folder));
  }

  /// A copy of a notebook of the product's.
  bundled(name) {
    fs.copyFileSync(path.join(this.notebooks, name), path.join(this.home, name));
    return name;
  }

  notebook(name, sources) {
    return writeNotebook(this.server.kind, this.home, name, sources);
  }

  /// Opens a notebook in the front end of the server, or in another that it serves.
  async open(name, { server = this.server, front = frontEnds[server.kind], ...size } = {}) {
    const opened = await front.open(this.browser, server, `${this.folder}/${name}`, size);
    this.opened.push(opened);
    return opened;
  }

  /// Another server on the same notebooks that trusts nothing yet.
  async stranger() {
    const state = fs.mkdtempSync(path.join(this.scratch, 'stranger-'));
    const { kind, root } = this.server;
    this.servers.push(await Server.start(kind, { frontend: this.frontend, root, state }));
    return this.servers.at(-1);
  }

  /// What the shell says about the example runs: one object per run, texts by key.
  reference() {
    const csv = execFileSync('bash', ['-c', 'popinjay metrics traces/stencil_*.prv.gz --export -.csv'],
      { cwd: this.home, encoding: 'utf8' });
    const [keys, ...rows] = csv.trim().split('\n').map(line => line.split(','));
    return rows.map(row => Object.fromEntries(keys.map((key, i) => [key, row[i]])));
  }

  keep(name) {
    return path.join(this.log, `browser-${name}.png`);
  }

  complaints() {
    return this.opened.flatMap(front => front.page.complaints);
  }

  async picture(file) {
    await this.opened.at(-1)?.page.screenshot({ path: file }).catch(() => {});
  }

  /// Closes the pages and ends the kernels.
  async clear() {
    for (const front of this.opened) await front.close();
    for (const server of this.servers) await server.stop();
    await this.endKernels();
  }

  /// A notebook as it is on disk.
  saved(name) {
    return JSON.parse(fs.readFileSync(path.join(this.home, name)));
  }

  async endKernels() {
    const sessions = await (await fetch(this.server.address('api/sessions'))).json();
    for (const { id } of sessions.filter(session => session.path.startsWith(`${this.folder}/`))) {
      await fetch(this.server.address(`api/sessions/${id}`),
        { method: 'DELETE', headers: this.server.authorised });
    }
  }
}
