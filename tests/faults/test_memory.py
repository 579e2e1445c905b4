# SPDX-License-Identifier: Apache-2.0
"""Memory stays as it is, however many requests are answered."""
import http.client
import json

import live
import standing
from exporter import Exporter, is_sanitized

API = "/api/v1/"
WARM, HALF, WHOLE = 2500, 5000, 10000

# The heap moves by itself, by some pages, as the allocator keeps what it may need again and the
# history grows. Each kind of request is made some 300 times in the second half: a kind that leaks
# 1 kB, the size of a small answer, shows.
ALLOWANCE = 256 * 1024


def requests(document):
    """A request of each way to ask, from the description of the API: (method, target, body, over
    the control socket). Streams stay open and have no place here."""
    found = [("GET", "/metrics", None), ("GET", "/", None), ("GET", "/-/ready", None)]
    for path, methods in document["paths"].items():
        for method in methods:
            if path == API + "live" or "runs" in path:
                continue
            target = path.replace("{id}", "1")
            body = '{"text": "mark", "time": 5}' if method == "post" else None
            if "history" in path and not path.endswith("targets"):
                target += "?target=machine"
            if path.endswith("/events"):
                target += "?search=switch&limit=3"
            found.append((method.upper(), target, body))
    found.append(("GET", API + "targets?target=machine&column=pmu_machine_cpus", None))
    found.append(("GET", API + "targets?target=wrong", None))
    found.append(("GET", API + "history?start=wrong", None))
    found.append(("GET", API + "nothing", None))
    return found


class Memory(live.LiveTest):
    def ask(self, connection, method, target, body):
        connection.request(method, target, body=body)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def test_it_does_not_grow_with_requests(self):
        exporter = self.enterContext(Exporter(live.config(system="all"),
                                              args=["--web.enable-lifecycle"]))
        asked = requests(json.loads(exporter.get(API + "openapi.json").body))
        connection = http.client.HTTPConnection("127.0.0.1", exporter.port, timeout=60)
        self.addCleanup(connection.close)
        memory, statuses = {}, {}
        for i in range(WHOLE + 1):
            if i in (WARM, HALF, WHOLE):
                memory[i] = exporter.memory()
            request = asked[i % len(asked)]
            statuses.setdefault(request[:2], set()).add(self.ask(connection, *request))
        print(f"{len(asked)} kinds of requests, RssAnon after each number: {memory}")
        wrong = {r: s for r, s in statuses.items() if 500 in s or 405 in s}
        self.assertEqual(wrong, {})
        # AddressSanitizer keeps what was freed, and tells of leaks itself when the exporter ends.
        if not is_sanitized():
            self.assertLess(memory[WHOLE] - memory[HALF], ALLOWANCE, memory)


if __name__ == "__main__":
    standing.main()
