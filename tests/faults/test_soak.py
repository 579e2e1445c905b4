# SPDX-License-Identifier: Apache-2.0
"""The soak (faults/soak.py) of an exporter that the test starts itself, whose calls can fail."""
import tempfile

import injectors
import soak
import standing
from exporter import Exporter, unit_environment
from failing_calls import FailingCalls


class Soak(soak.SoakTest):
    FAULTS = (*injectors.ANYWHERE, injectors.failing_calls)

    def start_exporter(self, config):
        # In memory the history would grow up to its bound. It is kept on disk, as by the unit.
        state = self.enterContext(tempfile.TemporaryDirectory())
        self.calls = self.enterContext(FailingCalls(*(call for call, _ in injectors.FAILING)))
        return self.enterContext(Exporter(config, wrapper=self.calls.wrapper(),
                                          env={**unit_environment(), "STATE_DIRECTORY": state}))


if __name__ == "__main__":
    standing.main()
