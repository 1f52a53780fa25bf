"""Long output through the code with which a Jupyter server limits it: nothing is thrown away."""
import logging
import time
import unittest

import zmq
from jupyter_client.manager import start_new_kernel

try:
    from jupyter_server.services.kernels.handlers import ZMQChannelsHandler as Handler
except ImportError:  # newer servers have it elsewhere
    Handler = None

BYTES = 6_000_000


class Server:
    """What the limiting function of a server needs, with the defaults of its options."""

    limit_rate = True
    iopub_msg_rate_limit = 1000
    iopub_data_rate_limit = 1000000
    rate_limit_window = 3
    log = logging.getLogger("limits")

    def __init__(self, session):
        self.session = session
        self._iopub_window_msg_count = self._iopub_window_byte_count = 0
        self._iopub_msgs_exceeded = self._iopub_data_exceeded = False
        self._iopub_window_byte_queue = []
        self.complaints = []

    def get_part(self, field, value, parts):
        return Handler.get_part(self, field, value, parts)

    def write_stderr(self, message, _parent):
        self.complaints.append(message)

    def passes(self, parts):
        message = {"header": None, "parent_header": None, "content": None}
        return not Handler._limit_rate(self, "iopub", message, parts)


@unittest.skipIf(Handler is None, "python3-jupyter-server is not installed")
class LimitsTest(unittest.TestCase):
    def test_nothing_is_discarded(self):
        manager, client = start_new_kernel(kernel_name="popinjay")
        try:
            self.read_all(client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)

    def read_all(self, client):
        server, seen, until = Server(client.session), 0, time.monotonic() + 100
        socket = zmq.Socket.shadow(client.iopub_channel.socket.underlying)
        request = client.execute(
            f"local s = ('x'):rep(99) .. '\\n' for i = 1, {BYTES // 100} do io.write(s) end")
        idle = False
        while not idle:
            self.assertTrue(socket.poll(10000) and time.monotonic() < until, "output stopped")
            _, frames = client.session.feed_identities(socket.recv_multipart())
            parts = frames[1:]
            header, parent, content = (client.session.unpack(parts[i]) for i in (0, 1, 3))
            if header["msg_type"] == "stream":
                seen += len(content["text"])
            self.assertTrue(server.passes(parts), server.complaints)
            idle = content.get("execution_state") == "idle" and parent.get("msg_id") == request
        self.assertEqual(seen, BYTES)
        self.assertEqual(server.complaints, [])


if __name__ == "__main__":
    unittest.main()
