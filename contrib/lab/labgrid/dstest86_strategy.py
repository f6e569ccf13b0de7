# SPDX-License-Identifier: MIT
"""A labgrid strategy that starts the test kernel on a target and reads what it prints."""
import enum
import os

import attr
import pexpect
from labgrid.factory import target_factory
from labgrid.step import step
from labgrid.strategy import Strategy, StrategyError
from labgrid.util import Timeout


class Status(enum.Enum):
    unknown = 0
    off = 1
    started = 2


@target_factory.reg_driver
@attr.s(eq=False)
class Dstest86Strategy(Strategy):
    """
    Args:
        log (str): the file that keeps all that the target prints, relative to the environment file
        image (str): optional, the key under images of what the provider stages before each start
        silence (float): seconds without a character after which the target counts as dead
        limit (float): seconds from power-on within which the kernel has to print its last line
    """
    bindings = {
        "power": "PowerProtocol",
        "console": "ConsoleProtocol",
        "provider": {"TFTPProviderDriver", "HTTPProviderDriver", None},
    }

    log = attr.ib(validator=attr.validators.instance_of(str))
    image = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(str)))
    silence = attr.ib(default=120.0, converter=float)
    limit = attr.ib(default=1800.0, converter=float)
    status = attr.ib(default=Status.unknown)

    @property
    def log_path(self):
        return self.target.env.config.resolve_path(self.log)

    @step(args=["status"])
    def transition(self, status, *, step):
        if not isinstance(status, Status):
            status = Status[status]
        if status == self.status:
            step.skip("nothing to do")
        elif status == Status.off:
            self.target.deactivate(self.console)
            self.target.activate(self.power)
            self.power.off()
        elif status == Status.started:
            self.transition(Status.off)
            if self.provider:
                self.target.activate(self.provider)
                self.provider.stage(self.target.env.config.get_image_path(self.image))
            # The console first, because the kernel prints immediately. QEMU's driver is console and power.
            self.target.activate(self.console)
            self.target.activate(self.power)
            self.power.cycle()
        else:
            raise StrategyError(f"no transition to {status}")
        self.status = status

    def lines(self):
        """
        Yields the kernel's lines as they come, from "# begin dstest86" to "# end dstest86". What firmware prints before is
        in the file alone. Raises StrategyError if the log does not come to its end.
        """
        limit = Timeout(self.limit)
        begun, rest = False, b""
        os.makedirs(os.path.dirname(self.log_path), exist_ok=True)
        with open(self.log_path, "wb") as log:
            while True:
                data = self._read(limit, "inside the log" if begun else 'before "# begin dstest86"')
                log.write(data)
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    line = line.rstrip(b"\r").decode("ascii", "replace")
                    begun = begun or line.startswith("# begin dstest86")
                    if begun:
                        yield line
                    if begun and line.startswith("# end dstest86"):
                        return

    def _read(self, limit, where):
        late = StrategyError(f"the kernel did not end within {self.limit:g} seconds")
        if limit.expired:
            raise late
        try:
            data = self.console.read(timeout=min(self.silence, limit.remaining))
        except pexpect.TIMEOUT:
            silent = StrategyError(f"the machine was silent for {self.silence:g} seconds {where}")
            raise (late if limit.expired else silent) from None
        except OSError as error:
            raise StrategyError(f"the console broke off {where}: {error}") from error
        if not data:
            raise StrategyError(f"the console was closed {where}")
        return data
