// ipywidgets 8 in the classic Notebook 6, whose own extension on Debian speaks an older dialect: a
// widget manager over the same packages. Jupyter, events, outputArea, comms and codecell are the
// page's modules, handed in by the frame that build.js puts around this.
import * as base from '@jupyter-widgets/base';
import { ManagerBase } from '@jupyter-widgets/base-manager';
import * as controls from '@jupyter-widgets/controls';
import * as output from '@jupyter-widgets/output';
import { Widget } from '@lumino/widgets';
import '@lumino/widgets/style/index.css';
import '@jupyter-widgets/base/css/index.css';
import '@jupyter-widgets/controls/css/widgets.css';

const { OutputArea } = outputArea, { CodeCell } = codecell, { notebook } = Jupyter;
const viewType = 'application/vnd.jupyter.widget-view+json';

class OutputView extends base.DOMWidgetView {
  render() {
    super.render();
    this.area = new OutputArea({
      selector: this.el, config: notebook.config, prompt_area: false, events,
      keyboard_manager: Jupyter.keyboard_manager
    });
    this.area.trusted = true;
    this.listenTo(this.model, 'change:outputs', this.show);
    this.show();
  }

  show() {
    this.area.clear_output();
    this.area.fromJSON(structuredClone(this.model.get('outputs') ?? []), {});
  }
}

const modules = {
  '@jupyter-widgets/base': base,
  '@jupyter-widgets/controls': controls,
  '@jupyter-widgets/output': { ...output, OutputView }
};

class Manager extends ManagerBase {
  constructor(kernel) {
    super();
    this.kernel = kernel;
    kernel.comm_manager.register_target(this.comm_target_name,
      (comm, message) => this.handle_comm_open(comm, message));
    this.ready = this._loadFromKernel();
  }

  async loadClass(name, module) {
    const found = modules[module]?.[name];
    if (!found) throw new Error(`no ${name} in ${module}`);
    return found;
  }

  /// Without data the kernel has the comm already: it is joined, not opened.
  async _create_comm(target, id, data, metadata, buffers) {
    const { comm_manager: manager } = this.kernel;
    if (data || metadata) return manager.new_comm(target, data ?? {}, undefined, metadata, id, buffers);
    const comm = new comms.Comm(target, id);
    manager.register_comm(comm);
    return comm;
  }

  _get_comm_info() {
    return new Promise(done => this.kernel.comm_info(this.comm_target_name,
      answer => done(answer.content.comms)));
  }
}

const managers = new WeakMap();

/// Where the kernel has no such widget, what else the output holds; a view of none stays empty
/// beside living ones.
async function fill(area, node, view) {
  const manager = managers.get(notebook.kernel);
  await manager?.ready;
  if (view.model_id && manager?.has_model(view.model_id)) {
    const shown = await manager.create_view(await manager.get_model(view.model_id));
    Widget.attach(shown.luminoWidget, node[0]);
    return;
  }
  const living = area.outputs.some(({ data }) => manager?.has_model(data?.[viewType]?.model_id));
  const held = area.outputs.find(({ data }) => data?.[viewType] === view)?.data;
  if (!living) node.html(held?.['text/html'] ?? '');
}

function append(view, metadata, element) {
  const node = this.create_output_subarea(metadata, 'jupyter-widgets-view', viewType);
  this.keyboard_manager.register_events(node);
  fill(this, node, view).catch(error => node.text(String(error)));
  element.append(node);
  return node;
}

function style() {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${notebook.base_url}nbextensions/popinjay-widgets/extension.css`;
  document.head.append(link);
}

/// Requests say which cell runs, as JupyterLab's do: a cell that runs again replaces its widgets,
/// and no others.
function nameCells() {
  const { get_callbacks: callbacksOf } = CodeCell.prototype;
  CodeCell.prototype.get_callbacks = function () {
    return { ...callbacksOf.call(this), cellId: this.cell_id };
  };
}

function sendNames(kernel) {
  const send = kernel.send_shell_message;
  kernel.send_shell_message = function (type, content, callbacks, metadata, buffers) {
    const { cellId } = callbacks ?? {};
    return send.call(this, type, content, callbacks, cellId ? { ...metadata, cellId } : metadata,
      buffers);
  };
}

function showAgain({ output_area: area }) {
  if (!area?.outputs.some(({ data }) => data?.[viewType])) return;
  const outputs = area.toJSON();
  area.clear_output();
  area.fromJSON(outputs, {});
}

/// What was shown before the kernel could be asked is shown again.
async function start() {
  const { kernel } = notebook;
  if (!kernel?.is_connected() || managers.has(kernel)) return;
  managers.set(kernel, new Manager(kernel));
  sendNames(kernel);
  await managers.get(kernel).ready;
  notebook.get_cells().forEach(showAgain);
}

export function load_ipython_extension() {
  style();
  nameCells();
  OutputArea.prototype.register_mime_type(viewType, append, { safe: false, index: 0 });
  events.on('kernel_ready.Kernel', start);
  return start();
}
