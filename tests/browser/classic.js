// Debian's classic Notebook as a user sees it.
import { openPage, settled } from './page.js';

export class Classic {
  static async open(browser, server, notebook, size) {
    const classic = new Classic();
    classic.page = await openPage(browser, size);
    await classic.page.goto(server.address(`notebooks/${notebook}`));
    await classic.idle();
    return classic;
  }

  /// Requests on their way when the page goes are no complaints.
  async reload() {
    const before = this.page.complaints.length;
    await this.page.reload();
    this.page.complaints.length = before;
    await this.idle();
  }

  async close() {
    await this.page.context().close();
  }

  output(index) {
    return this.page.locator('.cell').nth(index).locator('.output');
  }

  async text(index) {
    return this.output(index).innerText();
  }

  /// Shift-Enter in a cell, without waiting for it.
  async start(index) {
    await this.page.locator('.cell').nth(index).locator('.input_area').click();
    await this.page.keyboard.press('Shift+Enter');
  }

  async run(index) {
    await this.start(index);
    await this.idle();
  }

  async runAll() {
    await this.page.evaluate(() => window.Jupyter.notebook.execute_all_cells());
    await this.idle();
  }

  /// No request is open: a reply may come before the outputs, the front end waits for both.
  async idle(timeout = 30000) {
    await this.page.waitForFunction(() => {
      const notebook = window.Jupyter?.notebook;
      return notebook?._fully_loaded && notebook.kernel?.is_connected() && !notebook.kernel_busy &&
        Object.values(notebook.kernel._msg_callbacks)
          .every(request => request.shell_done && request.iopub_done);
    }, null, { timeout });
  }

  async interrupt() {
    await this.page.locator('button[title="interrupt the kernel"]').click();
  }

  async save() {
    await this.page.evaluate(() => window.Jupyter.notebook.save_notebook());
  }

  async outputs() {
    return this.page.evaluate(() => window.Jupyter.notebook.get_cells()
      .flatMap(cell => cell.output_area?.toJSON() ?? []));
  }

  /// How many widgets the kernel has.
  async widgets() {
    return this.page.evaluate(() => new Promise(done => window.Jupyter.notebook.kernel.comm_info(
      'jupyter.widget', ({ content }) => done(Object.keys(content.comms).length))));
  }

  /// A picture of the whole notebook, which makes the window as tall as it.
  async picture(file) {
    const { width } = this.page.viewportSize();
    const height = await this.page.evaluate(() =>
      document.querySelector('#notebook-container').offsetHeight + 200);
    await this.page.setViewportSize({ width, height: Math.min(height, 8000) });
    await settled(this.page);
    await this.page.screenshot({ path: file });
    await this.page.setViewportSize({ width, height: 1000 });
  }
}
