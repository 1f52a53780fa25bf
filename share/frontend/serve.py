#!/usr/bin/python3
"""serve.py [--root DIR] [--port N] [--state DIR] [--open PATH]: the bundled JupyterLab on localhost.

Stands beside what build.js made; /notebooks/PATH is Jupyter Notebook 7. Debian's jupyter-server and jupyterlab-server do the serving; the
token is $JUPYTER_TOKEN, or a fresh one. Prints the address and ends with the command.
"""

import argparse
import json
import os
import secrets
import socket

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.base.zmqhandlers import WebSocketMixin
from jupyterlab_server import LabServerApp
from jupyterlab_server.handlers import LabHandler
import jupyterlab_server
from tornado import web, websocket

HERE = os.path.dirname(os.path.abspath(__file__))


def version():
    path = os.path.join(HERE, "schemas/@jupyterlab/application-extension/package.json.orig")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["version"]


class Me(APIHandler):
    """Who is asking; JupyterLab 4 wants to know, jupyter-server 1 has no answer of its own."""

    @web.authenticated
    def get(self):
        identity = {"username": "user", "name": "User", "display_name": "User", "initials": "U",
                    "avatar_url": None, "color": None}
        self.finish(json.dumps({"identity": identity, "permissions": {}}))


class Events(WebSocketMixin, websocket.WebSocketHandler, JupyterHandler):
    """The stream of events of jupyter-server 2; nothing happens on it."""

    async def get(self, *args, **kwargs):
        if not self.current_user:
            raise web.HTTPError(403)
        await super().get(*args, **kwargs)

    def on_message(self, message):
        pass


class Notebook(LabHandler):
    """The page of one notebook in Jupyter Notebook 7."""

    @web.authenticated
    def get(self, path):  # pylint: disable=arguments-differ
        own = {"entry": "notebook", "notebookPage": "notebooks", "notebookVersion": "[7, 6, 2]"}
        self.write(self.render_template("index.html", page_config=self.get_page_config() | own))


class Frontend(LabServerApp):
    """JupyterLab as build.js left it."""

    name = "popinjay_lab"
    app_name = "JupyterLab"
    app_version = version()
    default_url = "/lab"
    load_other_extensions = False
    static_dir = os.path.join(HERE, "static")
    schemas_dir = os.path.join(HERE, "schemas")
    themes_dir = os.path.join(HERE, "themes")
    templates_dir = os.path.join(HERE, "templates")
    app_settings_dir = os.path.join(HERE, "settings")

    def initialize_templates(self):
        super().initialize_templates()
        errors = os.path.join(os.path.dirname(jupyterlab_server.__file__), "templates")
        self.template_paths.append(errors)

    def initialize_settings(self):
        super().initialize_settings()
        self.serverapp.web_app.settings["terminals_available"] = False

    def initialize_handlers(self):
        super().initialize_handlers()
        self.handlers += [(r"/notebooks/(.*)", Notebook), (r"/api/me", Me),
                          (r"/api/events/subscribe", Events)]


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": Frontend}]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    parser = argparse.ArgumentParser(description="JupyterLab with ipywidgets 8, on localhost")
    parser.add_argument("--root", default=".", help="folder to serve")
    parser.add_argument("--port", type=int, default=0, help="a free one by default")
    parser.add_argument("--state", default=os.path.join(home, "popinjay/frontend"),
                        help="folder of settings and workspaces")
    parser.add_argument("--open", default="", metavar="PATH", help="notebook to begin with")
    args = parser.parse_args()
    port = args.port or free_port()
    token = os.environ.setdefault("JUPYTER_TOKEN", secrets.token_hex(24))
    Frontend.user_settings_dir = os.path.join(args.state, "settings")
    Frontend.workspaces_dir = os.path.join(args.state, "workspaces")
    page = "/lab/tree/" + args.open if args.open else "/lab"
    print(f"http://127.0.0.1:{port}{page}?token={token}", flush=True)
    Frontend.launch_instance(argv=[
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        "--ServerApp.open_browser=False", "--ServerApp.answer_yes=True", "--log-level=WARN",
        "--ServerApp.allow_root=True",
        "--ServerApp.root_dir=" + os.path.abspath(args.root)])


if __name__ == "__main__":
    main()
