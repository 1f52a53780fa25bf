// The application: JupyterLab with the extensions that package.json lists.
import { JupyterLab } from '@jupyterlab/application';
import { extensions, mimeExtensions } from 'installed';
import { start } from './controls.js';

// What needs the internet or a part of the server that is not there.
const without = [
  /:language-server/,
  /^@jupyterlab\/apputils-extension:announcements$/
];

const lab = new JupyterLab({ mimeExtensions: mimeExtensions.map(extension => extension.default) });
await start(lab, extensions, id => !without.some(name => name.test(id)));
