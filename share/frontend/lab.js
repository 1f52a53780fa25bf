// The application: JupyterLab with the extensions that package.json lists.
import { JupyterLab } from '@jupyterlab/application';
import { IJupyterWidgetRegistry } from '@jupyter-widgets/base';
import * as controls from '@jupyter-widgets/controls';
import { extensions, mimeExtensions } from 'installed';

// What needs the internet or a part of the server that is not there, and the controls, which load
// themselves in a way that only webpack knows.
const without = [
  /:language-server/,
  /^@jupyterlab\/apputils-extension:announcements$/,
  /^@jupyter-widgets\/jupyterlab-manager:controls-/
];

const controlWidgets = {
  id: 'popinjay:controls',
  requires: [IJupyterWidgetRegistry],
  autoStart: true,
  activate: (app, registry) => registry.registerWidget({
    name: '@jupyter-widgets/controls',
    version: controls.JUPYTER_CONTROLS_VERSION,
    exports: controls
  })
};

// Arrow keys move a slider that has the focus; they would move the selection of cells.
document.addEventListener('focusin', ({ target }) => {
  if (target.role === 'slider') target.dataset.lmSuppressShortcuts = 'true';
});

const lab = new JupyterLab({ mimeExtensions: mimeExtensions.map(extension => extension.default) });
for (const { default: plugins } of extensions) {
  lab.registerPlugins([plugins].flat().filter(p => !without.some(name => name.test(p.id))));
}
lab.registerPlugin(controlWidgets);
await lab.start();
await lab.restored;
window.jupyterapp = lab;
document.body.dataset.ready = 'true';
