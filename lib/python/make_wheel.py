"""make_wheel.py PACKAGE SOURCE FOLDER: packs the package of Python as a wheel, with what the interpreter has itself."""

import base64
import hashlib
import runpy
import sys
import sysconfig
import zipfile
from pathlib import Path

package, source, folder = map(Path, sys.argv[1:])
version = runpy.run_path(str(package / "_version.py"))["__version__"]
tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
info = f"tamis-{version}.dist-info"
metadata = f"""Metadata-Version: 2.1
Name: tamis
Version: {version}
Summary: Sparse multiclass classifiers trained in a fixed piece of memory
License: {(source / "LICENSE").read_text().splitlines()[0]}
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: sklearn
Requires-Dist: scikit-learn; extra == "sklearn"
Description-Content-Type: text/markdown

{(source / "lib/python/README.md").read_text()}"""
files = {
    f"tamis/{path.name}": path.read_bytes()
    for path in sorted(package.iterdir())
    if path.suffix == ".py" or path.name == "py.typed" or path.name.startswith("libtamis.so")
}
files[f"{info}/METADATA"] = metadata.encode()
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tamis\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
files[f"{info}/LICENSE"] = (source / "LICENSE").read_bytes()

record = ""
for name, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(content)}\n"
files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

path = folder / f"tamis-{version}-{tag}.whl"
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, content)
print(path)
