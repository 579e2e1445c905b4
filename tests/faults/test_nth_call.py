# SPDX-License-Identifier: Apache-2.0
"""Each N-th call of a name fails, once, in turns (turns.py). Afterwards nothing is amiss."""
import standing
from exporter import is_sanitized
from failing_calls import FailingCalls
from turns import TurnTest

ERRORS = {  # and each so many-th N of the short mode
    "openat": (("EMFILE", "ENOMEM", "EINTR"), 23),
    "read": (("EIO", "EINTR", "ENOMEM"), 41),
    "write": (("EIO", "ENOSPC", "EINTR"), 1),
    "epoll_ctl": (("ENOMEM", "ENOSPC"), 1),
    "epoll_wait": (("EINTR",), 3),
    "mmap": (("ENOMEM",), 1),
    "perf_event_open": (("EMFILE", "ENOMEM", "EBUSY", "EINTR"), 3),
}


class NthCall(TurnTest):
    def fail_each(self, call):
        if call == "mmap" and is_sanitized():
            self.skipTest("the sanitizers' own allocator ends the process then")
        errors, every = ERRORS[call]
        with FailingCalls(call) as calls, \
                self.standing(wrapper=calls.wrapper(), answers=False) as exporter:
            self.sweep(exporter, every,
                       lambda chance, n: calls.answered(call, chance.choice(errors), n, 1))


for each in ERRORS:
    setattr(NthCall, f"test_{each}", lambda self, call=each: self.fail_each(call))

if __name__ == "__main__":
    standing.main()
