// Jupyter Notebook 7: its own extensions and those parts of JupyterLab's that it is made of.
import { NotebookApp } from '@jupyter-notebook/application';
import { extensions, mimeExtensions } from 'installed';
import { extensions as own } from 'installed-notebook';
import { start } from './controls.js';

// Of other packages it takes every plugin.
const parts = {
  'application-extension': ['commands', 'context-menu', 'faviconbusy', 'router', 'top-bar',
    'top-spacer'],
  'apputils-extension': ['kernels-settings', 'notification', 'palette', 'sanitizer',
    'sessionDialogs', 'settings', 'state', 'subshell-settings', 'themes', 'themes-palette-menu',
    'toolbar-registry', 'utility-commands'],
  'console-extension': [],
  'docmanager-extension': ['contexts', 'download', 'manager', 'plugin'],
  'documentsearch-extension': ['plugin'],
  'filebrowser-extension': ['default-file-browser', 'factory'],
  'fileeditor-extension': ['content-factory', 'plugin', 'widget-factory'],
  'help-extension': ['resources'],
  'inspector-extension': [],
  'launcher-extension': [],
  'logconsole-extension': [],
  'mainmenu-extension': ['plugin'],
  'notebook-extension': ['active-cell-tool', 'cell-executor', 'code-console', 'completer', 'export',
    'factory', 'search', 'tools', 'tracker', 'widget-factory'],
  'running-extension': [],
  'settingeditor-extension': [],
  'statusbar-extension': [],
  'toc-extension': ['registry', 'tracker'],
  'tooltip-extension': ['manager', 'notebooks']
};

function takes(id) {
  const [, name, plugin] = id.match(/^@jupyterlab\/([^:]*):(.*)/) ?? [];
  return plugin !== 'language-server' && (parts[name]?.includes(plugin) ?? true);
}

const app = new NotebookApp({ mimeExtensions: mimeExtensions.map(extension => extension.default) });
await start(app, [...own, ...extensions], takes);
