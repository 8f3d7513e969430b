# SPDX-License-Identifier: MIT
# The extension module that SWIG makes from the core's public headers; private. Its functions are
# documented there. The modules beside this file say what types come out of it.

from typing import Any

def __getattr__(name: str) -> Any: ...
