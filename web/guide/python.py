"""python3 python.py PACKAGE FILE: the reference of the Python package from its sources, as a page; nothing is imported.

Its standard output is JSON: {symbol: anchor}.
"""

import ast
import json
import sys
import textwrap
from pathlib import Path

package, page = Path(sys.argv[1]), Path(sys.argv[2])
modules = {path.stem: ast.parse(path.read_text("utf-8")) for path in sorted(package.glob("*.py"))}
defined = {node.name: node for tree in modules.values() for node in tree.body
           if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
values = {target.id: node.value for tree in modules.values() for node in tree.body if isinstance(node, ast.Assign)
          for target in node.targets if isinstance(target, ast.Name)}
exported = ast.literal_eval(values["__all__"])
symbols: dict = {}
lines = ["# Reference of Python", "",
         "What `import tamis` has, with what its docstrings say. [The package](../lib/python/README.md) is where to begin.", ""]


def bases(node):
    """A class and what it inherits from in the package."""
    yield node
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in defined:
            yield from bases(defined[base.id])


def call(name, function, drop_self):
    arguments = ast.unparse(function.args)
    if drop_self:
        arguments = arguments.partition(", ")[2] if ", " in arguments else ""
        arguments = arguments.removeprefix("/, ")
    result = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return textwrap.fill(f"{name}({arguments}){result}", 92, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def add(level, name, code, documentation):
    symbols[name] = "".join(c for c in name.lower() if c.isalnum() or c in "_- ").replace(" ", "-")
    lines.extend([f"{'#' * level} {name}", ""])
    if code:
        lines.extend(["```python", code, "```", ""])
    if documentation:
        lines.extend([documentation.replace("<", "&lt;"), ""])


for name in sorted(exported, key=str.lower):
    node = defined.get(name)
    if isinstance(node, ast.FunctionDef):
        add(2, name, call(f"tamis.{name}", node, False), ast.get_docstring(node))
    elif isinstance(node, ast.ClassDef):
        members = {}
        for one in bases(node):
            for member in one.body:
                if isinstance(member, ast.FunctionDef):
                    members.setdefault(member.name, member)
        start = members.get("__init__")
        add(2, name, call(f"tamis.{name}", start, True) if start else None, ast.get_docstring(node))
        for member, function in members.items():
            is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)
            if member.startswith("_") or not ast.get_docstring(function):
                continue
            add(3, f"{name}.{member}", f"{member}" if is_property else call(member, function, True),
                ast.get_docstring(function))
    elif name in values:
        add(2, name, f"tamis.{name} = {ast.unparse(values[name])}", None)
page.parent.mkdir(parents=True, exist_ok=True)
page.write_text("\n".join(lines), "utf-8")
print(json.dumps(symbols))
