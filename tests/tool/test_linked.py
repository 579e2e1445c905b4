#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""pmutool loads no library that only the service needs: each costs every start of it.

    test_linked.py PMU_EXPORTER PMUTOOL
"""
import re
import subprocess
import sys
import unittest

EXPORTER, PMUTOOL = sys.argv[1:3]
OF_THE_SERVICE = {"libsqlite3", "libzstd", "libmicrohttpd", "libdeflate"}


def libraries(program):
    """The names of the libraries that the loader is asked for."""
    told = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\).*\[(lib[\w+-]+)\.so", told.stdout))


class Linked(unittest.TestCase):
    def test_pmutool_has_neither_the_database_nor_the_server(self):
        self.assertEqual(libraries(PMUTOOL) & OF_THE_SERVICE, set())

    def test_the_exporter_has_both(self):
        self.assertLessEqual(OF_THE_SERVICE, libraries(EXPORTER))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
