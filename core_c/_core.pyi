from typing import Any

# cffi describes its types at run time only; the wrapper modules give them back as plain Python types.
ffi: Any
lib: Any
