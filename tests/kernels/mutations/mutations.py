"""Breaks the kernels in one place at a time: each time, the scenario named beside it must notice.

mutations.py --list             the table
mutations.py --check            every mutation still finds its place in the sources; compiles nothing
mutations.py [NAME...]          builds and runs (all of them: some minutes); fails where a mutation is not noticed
"""
import pathlib, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
RELAXED_STORE = "std::atomic_ref<std::uint64_t>(*{0}).store({1}, std::memory_order_relaxed)"
RELAXED_LOAD = "std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>({0})).load(std::memory_order_relaxed)"

# name, scenario, file, what stands there, what stands there instead
TABLE = [
    ("a relaxed post of what was sent", "pipe", "conductor.hpp",
     "Machine::store_release(at(call.wires[peer], call.shape.tail(there)), number)",
     RELAXED_STORE.format("at(call.wires[peer], call.shape.tail(there))", "number")),
    ("a relaxed post of what was taken", "pipe", "conductor.hpp",
     "Machine::store_release(at(call.wires[peer], call.shape.head(there)), number)",
     RELAXED_STORE.format("at(call.wires[peer], call.shape.head(there))", "number")),
    ("a relaxed wait for a message", "pipe", "conductor.hpp",
     "Machine::load_acquire(tail)", RELAXED_LOAD.format("tail")),
    ("a relaxed wait for room", "pipe", "conductor.hpp", "Machine::load_acquire(head)", RELAXED_LOAD.format("head")),
    ("no wait for room", "pipe", "conductor.hpp", "return Machine::load_acquire(head) + slots > number;",
     "return (head != nullptr) | (slots > number);"),
    ("one slot too many", "pipe", "conductor.hpp", "load_acquire(head) + slots > number",
     "load_acquire(head) + slots >= number"),
    ("no meeting before the posts", "ring", "lane.hpp", "  } else {\n    crew.sync();\n  }\n  Conduct::post",
     "  }\n  Conduct::post"),
    ("no vote before the data", "ring", "lane.hpp",
     "if (!crew.sync_and(Conduct::prepare(crew, memory, step, index, begin, unit))) return false;",
     "if (!Conduct::prepare(crew, memory, step, index, begin, unit)) return false;"),
    ("a relaxed arrival at the barrier", "window", "conductor.hpp",
     "Machine::store_release(at(call.wires[peers[i]], call.shape.came(there)), times)",
     RELAXED_STORE.format("at(call.wires[peers[i]], call.shape.came(there))", "times")),
    ("a relaxed wait at the barrier", "window", "conductor.hpp", "Machine::load_acquire(came)",
     RELAXED_LOAD.format("came")),
    ("no closing barrier", "window", "lane.hpp", "const bool met = Conduct::meet(crew, memory, index);",
     "const bool met = index != 0 || Conduct::meet(crew, memory, index);"),
    ("no opening barrier", "window", "lane.hpp", "const bool met = Conduct::meet(crew, memory, index);",
     "const bool met = index == 0 || Conduct::meet(crew, memory, index);"),
    ("a copy onto itself that writes", "gather window", "copy.hpp", "        if (to == from) continue;\n", ""),
    ("packets of any number are taken", "packets", "host_machine.hpp",
     "return static_cast<std::uint32_t>(first >> 32) == number && static_cast<std::uint32_t>(second >> 32) == number;",
     "return (first | second) != 0 || number == 0;"),
    ("no credit for packets", "packet pipe", "conductor.hpp", "load_acquire(head) + slots > number",
     "load_acquire(head) + 1000 > number"),
    ("old lines stay when numbers come around", "around", "packets.hpp",
     "return (number & 0x3fffffffU) < slots;", "return number > 0xffffffffU - slots * 0;"),
    ("a poisoned memory is used", "poisoned", "conductor.hpp", "Machine::load_relaxed(poison(memory)) == 0",
     "Machine::load_relaxed(poison(memory)) <= 1"),
]


def broken(row, folder):
    """The kernels with one mutation, or none, under `folder`."""
    shutil.copytree(ROOT / "kernels", folder / "kernels")
    if row:
        name, _, file, old, new = row
        path = folder / "kernels" / file
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"'{name}' finds its place {text.count(old)} times in kernels/{file}, not once; mend the table")
        path.write_text(text.replace(old, new))


def build(folder):
    here = ROOT / "tests" / "kernels"
    command = ["g++", "-std=c++20", "-O1", "-g1", "-fsanitize=thread", "-Wno-unknown-pragmas", "-pthread",
               "-I", folder, "-I", ROOT / "include", "-I", ROOT / "tests",
               here / "mutations" / "scenarios.cpp", here / "virtual_devices.cpp", ROOT / "src/plan/layout.cpp",
               ROOT / "src/base/error.cpp", "-lfmt", "-o", folder / "scenarios"]
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(result.stderr)


def run(folder, scenario):
    """What was noticed; nothing when all went well."""
    environment = {"TSAN_OPTIONS": "halt_on_error=1 exitcode=66", "PATH": "/usr/bin:/bin"}
    try:
        status = subprocess.run([folder / "scenarios", scenario], env=environment, capture_output=True,
                                timeout=120).returncode
    except subprocess.TimeoutExpired:
        return "a hang"
    return {0: None, 1: "a wrong result", 2: "a wait without end", 66: "a race"}.get(status, f"exit status {status}")


def main(names):
    if names == ["--list"]:
        for name, scenario, file, *_ in TABLE:
            print(f"{name:45} kernels/{file:18} noticed by: {scenario}")
        return 0
    if names == ["--check"]:
        for row in TABLE:
            with tempfile.TemporaryDirectory() as folder:
                broken(row, pathlib.Path(folder))
        print(f"{len(TABLE)} mutations find their places")
        return 0
    missed = 0
    rows = [row for row in TABLE if not names or row[0] in names]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        broken(None, folder)
        build(folder)
        for scenario in sorted({row[1] for row in rows}):
            noticed = run(folder, scenario)
            print(f"{'(as it is)':45} {scenario}: {noticed or 'all right'}", flush=True)
            missed += noticed is not None
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            broken(row, folder)
            build(folder)
            noticed = next((what for what in (run(folder, row[1]) for _ in range(5)) if what), None)
            print(f"{row[0]:45} {row[1]}: {noticed or 'NOT NOTICED'}", flush=True)
            missed += noticed is None
    print(f"{len(rows)} mutations, {missed} faults")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
