"""A kernel of the kernelspec "popinjay", started as Jupyter does it, answers."""

import sys

from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(kernel_name="popinjay")
try:
    reply = client.execute("print(1 + 1)", store_history=False, reply=True, timeout=30)
    if reply["content"]["status"] != "ok":
        sys.exit(f"the kernel answers {reply['content']}")
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
