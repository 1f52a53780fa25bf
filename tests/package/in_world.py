"""in_world.py ROOT: the program under ROOT/app, with nothing but ROOT to see, is a kernel that
answers and draws."""

import os
import subprocess
import sys

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.connect import write_connection_file

root = sys.argv[1]
SHELL = 'mount -t proc proc "$0/proc" && exec /usr/sbin/chroot "$0" "$@"'
SPACE = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--"]
CODE = """
runs = load("/app/share/popinjay/traces/stencil_2x1.prv.gz")
metrics(runs)
"""

write_connection_file(f"{root}/tmp/connection.json")
kernel = subprocess.Popen(
    [*SPACE, "/bin/sh", "-c", SHELL, root, "/app/bin/popinjay", "kernel", "-f",
     "/tmp/connection.json"],
    env={**os.environ, "TMPDIR": "/tmp"},
)
client = BlockingKernelClient(connection_file=f"{root}/tmp/connection.json")
client.load_connection_file()
client.start_channels()
shown = []


def keep(message):
    if message["msg_type"] in ("display_data", "execute_result"):
        shown.append(message["content"]["data"])


try:
    client.wait_for_ready(timeout=30)
    reply = client.execute_interactive(CODE, timeout=30, output_hook=keep)
    if reply["content"]["status"] != "ok":
        sys.exit(f"the kernel answers {reply['content']}")
    if not any("Parallel efficiency" in data.get("text/html", "") for data in shown):
        sys.exit(f"no table is shown: {shown}")
finally:
    client.stop_channels()
    kernel.kill()
    kernel.wait()
