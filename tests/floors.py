"""Every include goes down a floor or stays in its own folder. Prints each that does not; --self-test shows that it can.

A file's floor is the first folder under include/tutti, src or kernels; files right there are the public face.
"""
import pathlib, re, sys, tempfile

FLOORS = ["base", "topology bootstrap", "plan settings", "choose kernels doctor", "run", "face", "cli"]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names.split()}
ROOTS = [("include", "tutti"), ("src",), ("kernels",)]
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([\w./+-]+)[>"]')


def folder(path):
    """include/tutti/plan/ring.hpp -> plan; src/run/host/arena.hpp -> run; include/tutti/group.hpp -> face."""
    if path.parts[0] == "kernels":
        return "kernels"
    inner = path.parts[2 if path.parts[:2] == ("include", "tutti") else 1 : -1]
    return inner[0] if inner else "face"


def resolve(root, path, name):
    """The file of ours that an include means, or None when it is somebody else's."""
    for place in (root / path.parent, root / "include", root / "src", root):
        if (place / name).is_file():
            return (place / name).resolve().relative_to(root.resolve())
    return None


def faults(root):
    for path in sorted(p for r in ROOTS for p in root.joinpath(*r).rglob("*.[chi]*") if p.is_file()):
        path = path.relative_to(root)
        here = folder(path)
        if here not in FLOOR:
            yield f"{path}: folder '{here}' has no floor; give it one in tests/floors.py"
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            target = match and resolve(root, path, match[1])
            if match and not target and match[1].startswith("tutti/"):
                yield f"{path}:{number}: includes {match[1]}, which does not exist"
            there = folder(target) if target else here
            if there != here and FLOOR.get(there, 99) >= FLOOR[here]:
                yield (f"{path}:{number}: {here} (floor {FLOOR[here] + 1}) includes {target}, "
                       f"{there} (floor {FLOOR.get(there, 98) + 1})")


def self_test():
    """A small tree with one climb of each kind: all are found, and nothing else is."""
    files = {
        "include/tutti/base/error.hpp": "#include <string>\n",
        "include/tutti/base/bad.hpp": '#include "tutti/plan/ring.hpp"\n',                          # climbs
        "include/tutti/plan/ring.hpp": '#include "tutti/base/error.hpp"\n#include "tutti/plan/step.hpp"\n',
        "include/tutti/plan/step.hpp": "",
        "include/tutti/topology/bad.hpp": "#  include <tutti/bootstrap/store.hpp>\n",              # a neighbour
        "include/tutti/bootstrap/store.hpp": '#include "tutti/group.hpp"\n',                       # to the face
        "include/tutti/group.hpp": '#include "tutti/plan/ring.hpp"\n',
        "src/run/host/arena.hpp": '#include "tutti/plan/ring.hpp"\n#include "run/host/slot.hpp"\n',
        "src/run/host/slot.hpp": '#include "arena.hpp"\n',
        "src/plan/bad.cpp": 'int x;\n#include "run/host/arena.hpp"\n',                             # private, nested
        "src/communicator.cpp": '#include "run/host/arena.hpp"\n#include "tutti/group.hpp"\n',
        "src/choose/bad.cpp": '#include "tutti/base/gone.hpp"\n',                                  # not there
        "src/attic/bad.cpp": "",                                                                   # no floor
        "src/cli/main.cpp": '#include "tutti/group.hpp"\n#include "cli/table.hpp"\n',
        "src/cli/table.hpp": "",
    }
    expected = ["include/tutti/base/bad.hpp:1", "include/tutti/bootstrap/store.hpp:1", "include/tutti/topology/bad.hpp:1",
                "src/attic/bad.cpp", "src/choose/bad.cpp:1", "src/plan/bad.cpp:2"]
    with tempfile.TemporaryDirectory() as folder_name:
        root = pathlib.Path(folder_name)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = [fault.split(": ")[0] for fault in faults(root)]
    if found != expected:
        sys.exit(f"floors.py is broken:\n  expected {expected}\n  found    {found}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
        print(*found, sep="\n", end="\n" if found else "")
        sys.exit(1 if found else 0)
