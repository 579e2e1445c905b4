# SPDX-License-Identifier: Apache-2.0
"""Stands between a scraper and an exporter on loopback, and keeps what was asked and answered.

    with ScrapeProxy(exporter.port) as proxy:
        with Prometheus(proxy.port): ...
        proxy.scrapes[-1].body

It hands on the scraper's headers and the exporter's answer as they are. `accept` takes the place of
the scraper's Accept header: so a Prometheus that knows no scrape_protocols asks for what we want.
"""
import collections
import gzip
import http.client
import http.server
import threading

from exporter import free_port

HANDED_ON = ("Accept", "Accept-Encoding", "User-Agent")

Scrape = collections.namedtuple("Scrape", "accept encoding content_type body")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        proxy = self.server.proxy
        headers = {name: self.headers[name] for name in HANDED_ON if name in self.headers}
        if proxy.accept:
            headers["Accept"] = proxy.accept
        connection = http.client.HTTPConnection("127.0.0.1", proxy.exporter_port, timeout=30)
        try:
            connection.request("GET", self.path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        encoding = answer.headers.get("Content-Encoding", "")
        self.send_response(answer.status)
        for name in ("Content-Type", "Content-Encoding"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if answer.status == 200:
            plain = gzip.decompress(body) if encoding == "gzip" else body
            proxy.scrapes.append(Scrape(headers.get("Accept", ""), encoding,
                                        answer.headers.get("Content-Type", ""), plain))

    def log_message(self, *_):
        pass


class ScrapeProxy:
    def __init__(self, exporter_port, accept=None):
        self.exporter_port, self.accept = exporter_port, accept
        self.port = free_port()
        self.scrapes = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.server.proxy = self
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
