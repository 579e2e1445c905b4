# SPDX-License-Identifier: Apache-2.0
"""Certificates, users and web configurations for a test, and an exporter that has one.

    with Files() as files:
        files.certificate("server", names=["DNS:localhost"])
        files.write("web.yml", "tls_server_config: {cert_file: server.pem, key_file: server.key}\n")
        with ProtectedExporter(files.path("web.yml")) as exporter:
            files.curl(exporter.port, "/metrics")
"""
import os
import pathlib
import subprocess
import tempfile
import time

import live
from exporter import PATIENCE, Exporter, Metrics

# Of cost 4, the cheapest: 1 ms.
ALICE, BOB = "correct horse", "battery staple"
USERS = """basic_auth_users:
  alice: $2y$04$pmuexporterpmuexporteuqr71eapzxfpJchaSoN8vSW6tGvLEu2u
  bob: "$2b$04$pmuexporterpmuexporteuPqAi/wsWXG0XeD6zRUVaMOu.BgtaUXi"
"""


class Files(tempfile.TemporaryDirectory):
    """A folder with certificates and configurations."""

    def __init__(self):
        super().__init__(prefix="pmu_exporter-web-")

    def __enter__(self):
        super().__enter__()
        return self

    def path(self, name):
        return pathlib.Path(self.name) / name

    def write(self, name, text):
        """Writes a file as a whole, by a new one in its place."""
        new = self.path(name + ".new")
        new.write_text(text)
        os.replace(new, self.path(name))
        return self.path(name)

    def certificate(self, name, names=("DNS:localhost",), issuer=None, usage=None):
        """NAME.pem and NAME.key, signed by the certificate `issuer` or by itself (and then a CA)."""
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.path(f"{name}.key"),
                   "-out", self.path(f"{name}.pem"), "-days", "30", "-subj", f"/CN={name}"]
        if names:
            command += ["-addext", "subjectAltName=" + ",".join(names)]
        if usage:
            command += ["-addext", f"extendedKeyUsage={usage}"]
        if issuer:
            command += ["-CA", self.path(f"{issuer}.pem"), "-CAkey", self.path(f"{issuer}.key"),
                        "-addext", "basicConstraints=critical,CA:FALSE"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)

    def curl(self, port, path, *options, ca="server"):
        """(status, headers and body as text) of a request by https; status 0: TLS has failed."""
        done = subprocess.run(
            ["curl", "-sS", "-i", "--cacert", self.path(f"{ca}.pem"), "-m", "60", *options, "-w",
             "\n%{http_code}", f"https://localhost:{port}{path}"],
            capture_output=True, text=True, timeout=PATIENCE * 2)
        text, _, status = done.stdout.rpartition("\n")
        return int(status or 0), text


class ProtectedExporter(Exporter):
    """An exporter with --web.config.file. It is ready when its control socket says so."""

    def __init__(self, web_config, config=None, **options):
        super().__init__(config=config or live.config(system="all"),
                         args=[f"--web.config.file={web_config}", *options.pop("args", [])],
                         wait=False, **options)

    def start(self):
        super().start()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}:\n{self.stderr()}")
            try:
                if self.ask_control("GET", "/-/ready").status == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.01)
        raise AssertionError("not ready:\n" + self.stderr())

    def scrape(self, timeout=30.0):
        """By the control socket, where there is neither TLS nor a user."""
        at = time.monotonic()
        return Metrics(self.ask_control("GET", "/metrics", timeout=timeout).body, at)
