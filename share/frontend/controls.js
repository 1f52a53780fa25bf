// The controls of ipywidgets, which load themselves in a way that only webpack knows, for any
// application.
import { IJupyterWidgetRegistry } from '@jupyter-widgets/base';
import * as controls from '@jupyter-widgets/controls';

export const controlWidgets = {
  id: 'popinjay:controls',
  requires: [IJupyterWidgetRegistry],
  autoStart: true,
  activate: (app, registry) => registry.registerWidget({
    name: '@jupyter-widgets/controls',
    version: controls.JUPYTER_CONTROLS_VERSION,
    exports: controls
  })
};

// Arrow keys move a slider or a tab that has the focus; they would move the selection of cells.
document.addEventListener('focusin', ({ target }) => {
  if (['slider', 'tab'].includes(target.role)) target.dataset.lmSuppressShortcuts = 'true';
});

/// Starts an application with the plugins of `extensions` that it takes.
export async function start(app, extensions, takes) {
  for (const { default: plugins } of extensions) {
    app.registerPlugins([plugins].flat().filter(({ id }) =>
      takes(id) && !id.startsWith('@jupyter-widgets/jupyterlab-manager:controls-')));
  }
  app.registerPlugin(controlWidgets);
  await app.start();
  await app.restored;
  window.jupyterapp = app;
  document.body.dataset.ready = 'true';
}
