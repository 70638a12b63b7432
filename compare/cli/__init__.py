"""The command: arguments in, report and diagnostics out, an exit code that says how it went.

Each verb is a module in ``verbs`` with ``run(options)``, imported when its arguments were understood: ``--help`` has
to answer at once.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING

from compare_kernels.cli.arguments import PARSERS, parse
from compare_kernels.cli.exits import DONE, INTERRUPTED, NO_BISECTION, NOTHING, UNTESTABLE, USAGE
from compare_kernels.cli.terminal import forget_output, make_streams_predictable, say
from compare_kernels.errors import NothingToCompareError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: the arguments without the command's name; by default those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    make_streams_predictable()
    verb = arguments.pop(0) if arguments and arguments[0] in PARSERS else "compare"
    try:
        return _run(verb, arguments)
    except (UsageError, NothingToCompareError) as error:
        code = _complain(error)
        if "--bisect" in arguments:
            # Beyond 127 a bisection stops, whereas 2 would call the commit bad.
            return UNTESTABLE if isinstance(error, NothingToCompareError) else NO_BISECTION
        return code
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        forget_output()
        return DONE
    except (OSError, RecursionError, KeyboardInterrupt) as error:
        return _complain(error)


def _run(verb: str, arguments: Sequence[str]) -> int:
    options = parse(verb, arguments)
    module = importlib.import_module(f"{__name__}.verbs.{verb.replace('-', '_')}")
    code: int = module.run(options)
    return code


def _complain(error: BaseException) -> int:
    """Say what was wrong, and return the exit code for it."""
    text, code = str(error), USAGE
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, NothingToCompareError):
        code = NOTHING
    elif isinstance(error, RecursionError):
        text = "the input is nested too deeply"
    elif isinstance(error, OSError):
        text = f"{error.filename or 'standard output'}: {error.strerror}"
        forget_output()
    with contextlib.suppress(OSError):
        say(f"compare-kernels: {text}")
    return code
