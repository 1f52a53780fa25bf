// JupyterLab as a user sees it; what a mouse can do is done with the mouse.
import { openPage, settled } from './page.js';

const panel = '.jp-NotebookPanel:not(.lm-mod-hidden)';

export class Lab {
  static address(notebook) {
    return `lab/tree/${notebook}?reset`;
  }

  static async open(browser, server, notebook, size) {
    const lab = new this();
    lab.page = await openPage(browser, size);
    await lab.page.goto(server.address(this.address(notebook)));
    await lab.loaded();
    return lab;
  }

  async loaded() {
    await this.page.waitForSelector('body[data-ready]', { state: 'attached', timeout: 30000 });
    await this.page.waitForSelector(`${panel} .jp-Cell`);
    await this.page.evaluate(async () => {
      const { shell, commands } = window.jupyterapp;
      if (!shell.leftCollapsed) await commands.execute('application:toggle-left-area');
      await shell.currentWidget.sessionContext.ready;
      await shell.currentWidget.sessionContext.session.kernel.info;
    });
  }

  /// Requests on their way when the page goes are no complaints.
  async reload() {
    const before = this.page.complaints.length;
    await this.page.reload();
    this.page.complaints.length = before;
    await this.loaded();
  }

  async close() {
    await this.page.context().close();
  }

  async command(name) {
    await this.page.evaluate(id => window.jupyterapp.commands.execute(id), name);
  }

  /// Ends when the splash screen is gone: a second change before that makes the page complain.
  async theme(name) {
    await this.page.evaluate(theme =>
      window.jupyterapp.commands.execute('apputils:change-theme', { theme }), `JupyterLab ${name}`);
    await this.page.waitForSelector(`body[data-jp-theme-name="JupyterLab ${name}"]`,
      { state: 'attached' });
    await this.page.waitForSelector('#jupyterlab-splash', { state: 'detached' });
  }

  /// The button of the notebook's toolbar that runs a command.
  async toolbar(command) {
    await this.page.locator(`${panel} .jp-NotebookPanel-toolbar [data-command="${command}"]`).click();
  }

  async confirm() {
    await this.page.locator('.jp-Dialog .jp-mod-accept').click();
  }

  cell(index) {
    return this.page.locator(`${panel} .jp-Notebook .jp-Cell`).nth(index);
  }

  async codeCells() {
    return this.page.locator(`${panel} .jp-Notebook .jp-CodeCell`).all();
  }

  output(index) {
    return this.cell(index).locator('.jp-Cell-outputArea');
  }

  async text(index) {
    return this.output(index).innerText();
  }

  /// Shift-Enter in a cell, without waiting for it.
  async start(index) {
    await this.cell(index).locator('.jp-InputArea-editor').click();
    await this.page.keyboard.press('Shift+Enter');
  }

  async run(index) {
    await this.start(index);
    await this.idle();
  }

  async runAll() {
    await this.command('notebook:run-all-cells');
    await this.idle();
  }

  /// No cell runs or waits, and the kernel says that it is idle.
  async idle(timeout = 60000) {
    await this.page.waitForFunction(() => {
      const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
      const busy = content.widgets.some(cell => cell.model.executionState === 'running');
      return !busy && sessionContext.session?.kernel?.status === 'idle';
    }, null, { timeout });
  }

  async save() {
    await this.command('docmanager:save');
  }

  /// The outputs as they will be saved, of all cells in one list.
  async outputs() {
    return this.page.evaluate(() => window.jupyterapp.shell.currentWidget.content.widgets
      .flatMap(cell => cell.model.type === 'code' ? cell.model.outputs.toJSON() : []));
  }

  /// Sends values to the widget of an output as its view does, without waiting for the kernel.
  async sendUpdates(index, values) {
    const outputs = await this.page.evaluate(cell => window.jupyterapp.shell.currentWidget.content
      .widgets[cell].model.outputs.toJSON(), index);
    const id = outputs[0].data['application/vnd.jupyter.widget-view+json'].model_id;
    await this.page.evaluate(([comm, all]) => {
      const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
      const view = kernel._comms.get(comm);
      for (const value of all) view.send({ method: 'update', state: { value }, buffer_paths: [] });
    }, [id, values]);
  }

  /// From now on, what the kernel publishes: {type, content} with its time and the time of the
  /// request that it answers, both in ms.
  async listen() {
    await this.page.evaluate(() => {
      const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
      window.published = [];
      kernel.iopubMessage.connect((_, { header, parent_header: parent, content }) =>
        window.published.push({ type: header.msg_type, content, at: Date.parse(header.date),
          asked: Date.parse(parent.date) }));
    });
  }

  /// What was published since the last call.
  async published() {
    return this.page.evaluate(() => window.published.splice(0));
  }

  /// The longest time between two frames, in ms, while `act` goes on.
  async slowestFrame(act) {
    await this.page.evaluate(() => {
      window.slowest = 0;
      let last = performance.now();
      const next = now => {
        window.slowest = Math.max(window.slowest, now - last);
        last = now;
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    });
    await act();
    await this.page.waitForTimeout(300);
    return this.page.evaluate(() => window.slowest);
  }

  /// Runs a cell until it says `text`: what a front end sent before may still be on its way.
  async runUntil(index, text, patience = 20000) {
    for (const end = Date.now() + patience; Date.now() < end;) {
      await this.run(index);
      if ((await this.text(index)).includes(text)) return;
    }
    throw new Error(`cell ${index} says ${await this.text(index)} and never ${text}`);
  }

  /// A picture of the whole notebook, which makes the window as tall as it.
  async picture(file) {
    const height = await this.page.evaluate(of => {
      document.querySelector(`${of} .jp-WindowedPanel-outer`).scrollTop = 0;
      const last = [...document.querySelectorAll(`${of} .jp-Notebook .jp-Cell`)].pop();
      return Math.ceil(last.getBoundingClientRect().bottom + 60);
    }, panel);
    const { width } = this.page.viewportSize();
    await this.page.setViewportSize({ width, height: Math.min(height, 8000) });
    await settled(this.page);
    await this.page.screenshot({ path: file });
    await this.page.setViewportSize({ width, height: 1000 });
  }
}
