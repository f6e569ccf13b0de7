# SPDX-License-Identifier: MIT
"""
Replaces a lab's power switch and console server with one machine. Its serial output is the file LOG, sent to the clients
connected when the machine is switched on. Prints the two ports, of HTTP (labgrid's power model `rest`) and of the console.

Usage: rack.py LOG
"""
import http.server
import socket
import sys
import threading

console = socket.create_server(("127.0.0.1", 0))
listeners = []
switched = []


def accept():
    while True:
        listeners.append(console.accept()[0])


class Switch(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        value = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        switched.append(value)
        if value == b"1":
            with open(sys.argv[1], "rb") as log:
                text = log.read()
            for listener in listeners:
                listener.sendall(text)

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"".join(switched))

    def log_message(self, *_):
        pass


power = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Switch)
threading.Thread(target=accept, daemon=True).start()
print(power.server_port, console.getsockname()[1], flush=True)
power.serve_forever()
