// Jupyter Notebook 7, which is made of JupyterLab's parts, as a user sees it.
import { Lab } from './lab.js';

export class Notebook7 extends Lab {
  static address(notebook) {
    return `notebooks/${notebook}`;
  }

  async loaded() {
    await this.page.waitForSelector('body[data-ready]', { state: 'attached', timeout: 30000 });
    await this.page.waitForSelector('.jp-NotebookPanel .jp-Cell');
    await this.page.evaluate(async () => {
      const { sessionContext } = window.jupyterapp.shell.currentWidget;
      await sessionContext.ready;
      await sessionContext.session.kernel.info;
    });
  }
}
