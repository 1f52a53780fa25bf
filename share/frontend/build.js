// node build.js OUT: bundles JupyterLab, Jupyter Notebook 7 and the ipywidgets manager into the
// folder OUT: the applications, their themes and the schemas of their settings. package.json is the
// only list. Beside it the widgets for the classic Notebook.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2]);

const manifest = name =>
  JSON.parse(fs.readFileSync(path.join(here, 'node_modules', name, 'package.json')));

const installed = Object.keys(manifest('..').dependencies).map(manifest).filter(p => p.jupyterlab);
const having = (key, among = installed) => among.filter(p => p.jupyterlab[key]);

// An extension is named by its package or, where it is not the main module, by a file in it.
const entryOf = (p, key) =>
  p.jupyterlab[key] === true ? p.name : path.posix.join(p.name, p.jupyterlab[key]);

function listing(key, among) {
  const entries = having(key, among).map(p => entryOf(p, key));
  return entries.map((entry, i) => `import * as ${key}${i} from '${entry}';`).join('\n') +
    `\nexport const ${key}s = [${entries.map((_, i) => `${key}${i}`)}];\n`;
}

const styles = among => among.filter(p => p.styleModule)
  .map(p => `import '${p.name}/${p.styleModule}';`).join('\n');

const isNotebook7 = p => p.name.startsWith('@jupyter-notebook/');

/// Modules of extensions and their styles: those of any application, and Notebook 7's own.
function made(name) {
  const among = installed.filter(p => isNotebook7(p) === (name === 'installed-notebook'));
  return listing('extension', among) + listing('mimeExtension', among) + styles(among);
}

// What webpack does for JupyterLab's sources: '~' leads to a package, a picture is text for scripts
// and a URL for styles.
const jupyterlab = {
  name: 'jupyterlab',
  setup(bundle) {
    bundle.onResolve({ filter: /^installed(-notebook)?$/ }, ({ path: name }) =>
      ({ path: name, namespace: 'made' }));
    bundle.onLoad({ filter: /.*/, namespace: 'made' }, ({ path: name }) =>
      ({ contents: made(name), resolveDir: here }));
    bundle.onResolve({ filter: /^~/ }, ({ path: name, ...rest }) =>
      bundle.resolve(name.slice(1), { ...rest, resolveDir: here }));
    bundle.onResolve({ filter: /\.svg$/ }, ({ path: name, kind, importer, resolveDir }) =>
      kind === 'url-token' ? undefined : {
        path: name.startsWith('.') ? path.join(resolveDir, name)
          : path.join(here, 'node_modules', name),
        namespace: 'text'
      });
    bundle.onLoad({ filter: /.*/, namespace: 'text' }, ({ path: file }) =>
      ({ contents: fs.readFileSync(file, 'utf8'), loader: 'text' }));
  }
};

const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  assetNames: 'assets/[name]-[hash]',
  loader: {
    '.raw.css': 'text', '.svg': 'dataurl', '.png': 'dataurl', '.gif': 'dataurl',
    '.woff': 'file', '.woff2': 'file', '.ttf': 'file', '.eot': 'file'
  }
};

fs.rmSync(out, { recursive: true, force: true });
await build({
  ...options,
  entryPoints: ['lab.js', 'notebook.js'],
  outdir: path.join(out, 'static'),
  format: 'esm',
  alias: { path: 'path-browserify' },
  define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis', __dirname: '"/"' },
  plugins: [jupyterlab]
});
// For the classic Notebook: JUPYTER_PATH and JUPYTER_CONFIG_PATH lead to classic/share and /etc.
await build({
  ...options,
  entryPoints: [{ in: 'classic.js', out: 'extension' }],
  outdir: path.join(out, 'classic/share/nbextensions/popinjay-widgets'),
  format: 'iife',
  globalName: 'extension',
  banner: {
    js: "define(['base/js/namespace', 'base/js/events', 'notebook/js/outputarea', " +
      "'services/kernels/comm', 'notebook/js/codecell'], " +
      'function (Jupyter, events, outputArea, comms, codecell) {'
  },
  footer: { js: 'return extension; });' },
  // The page has RequireJS: packages for all kinds of loaders must not find it.
  define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis', define: 'undefined' },
  plugins: [jupyterlab]
});
const config = path.join(out, 'classic/etc/nbconfig');
fs.mkdirSync(config, { recursive: true });
fs.writeFileSync(path.join(config, 'notebook.json'),
  JSON.stringify({ load_extensions: { 'popinjay-widgets/extension': true } }));
for (const p of having('themePath')) {
  await build({
    ...options,
    entryPoints: [{ in: `./node_modules/${p.name}/${p.jupyterlab.themePath}`, out: 'index' }],
    outdir: path.join(out, 'themes', p.name)
  });
}
for (const p of having('schemaDir')) {
  const schemas = path.join(out, 'schemas', p.name);
  fs.cpSync(path.join(here, 'node_modules', p.name, p.jupyterlab.schemaDir), schemas,
    { recursive: true });
  // The server reads the version of an extension from this name.
  fs.writeFileSync(path.join(schemas, 'package.json.orig'), JSON.stringify(p));
}
