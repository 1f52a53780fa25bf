// Servers of notebooks, each with a state folder of its own: nothing of the user's is read.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

const TOKEN = 'browser-tests';

function freePort() {
  return new Promise(found => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}

const command = {
  lab: (frontend, root, state, port) => ['python3', path.join(frontend, 'serve.py'),
    '--root', root, '--port', port, '--state', state],
  classic: (frontend, root, state, port) => ['jupyter-notebook', '--no-browser', '--allow-root',
    '--ip=127.0.0.1', `--port=${port}`, '--port-retries=0', `--notebook-dir=${root}`]
};

export class Server {
  /// kind: lab or classic. A state folder used before keeps what was trusted there.
  static async start(kind, { frontend, root, state }) {
    const port = String(await freePort());
    const [program, ...rest] = command[kind](frontend, root, state, port);
    const env = { ...process.env, JUPYTER_TOKEN: TOKEN, XDG_STATE_HOME: state };
    if (kind === 'classic') {
      env.JUPYTER_PATH = `${path.join(frontend, 'classic/share')}:${process.env.JUPYTER_PATH}`;
      env.JUPYTER_CONFIG_PATH = path.join(frontend, 'classic/etc');
    }
    for (const name of ['CONFIG', 'DATA', 'RUNTIME']) {
      env[`JUPYTER_${name}_DIR`] = path.join(state, name.toLowerCase());
      fs.mkdirSync(env[`JUPYTER_${name}_DIR`], { recursive: true });
    }
    const server = new Server();
    server.kind = kind;
    server.root = root;
    server.url = `http://127.0.0.1:${port}`;
    server.log = '';
    server.child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [server.child.stdout, server.child.stderr]) {
      stream.on('data', text => { server.log += text; });
    }
    await server.answers();
    return server;
  }

  address(page) {
    return `${this.url}/${page}${page.includes('?') ? '&' : '?'}token=${TOKEN}`;
  }

  get authorised() {
    return { Authorization: `token ${TOKEN}` };
  }

  async answers() {
    for (const end = Date.now() + 60000; Date.now() < end;) {
      if (this.child.exitCode !== null) break;
      const answer = await fetch(this.address('api/status')).catch(() => null);
      if (answer?.ok) return;
      await new Promise(later => setTimeout(later, 100));
    }
    throw new Error(`the ${this.kind} server does not answer:\n${this.log.slice(-2000)}`);
  }

  /// Ends the server and with it its kernels.
  async stop() {
    const ended = new Promise(done => this.child.once('exit', done));
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10000);
    await ended;
    clearTimeout(late);
  }
}

/// Writes a notebook of code cells below the server's root. The classic Notebook knows no ids of
/// cells: it would lose its signature over those that it is given.
export function writeNotebook(kind, root, name, sources) {
  const minor = kind === 'classic' ? 4 : 5;
  const cells = sources.map((source, i) => ({
    cell_type: 'code', ...(minor > 4 && { id: `cell${i}` }), metadata: {}, execution_count: null,
    outputs: [], source
  }));
  const kernelspec = { name: 'popinjay', display_name: 'popinjay', language: 'lua' };
  fs.writeFileSync(path.join(root, name), JSON.stringify(
    { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: minor }));
  return name;
}
