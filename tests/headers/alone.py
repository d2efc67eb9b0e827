"""Every public header compiles alone, twice in one file, without a warning, with every compiler given.

alone.py ROOT [-I FOLDER]... COMPILER...
A header that includes <mpi.h> is left out when no -I is given, which is how a machine without MPI calls it.
"""
import concurrent.futures, os, pathlib, re, subprocess, sys

FLAGS = "-x c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only".split()


def compile_alone(compiler, header, root, folders):
    name = header.relative_to(root / "include")
    command = [compiler, *FLAGS, "-I", str(root / "include"), *(f"-isystem{f}" for f in folders), "-"]
    run = subprocess.run(command, input=f'#include "{name}"\n#include "{name}"\n', text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return None if run.returncode == 0 else f"{name} does not compile alone with {compiler}:\n{run.stdout}"


def main(root, *rest):
    rest = list(rest)
    folders = []
    while "-I" in rest:
        at = rest.index("-I")
        folders.append(rest[at + 1])
        del rest[at : at + 2]
    root = pathlib.Path(root).resolve()
    headers = [h for h in sorted((root / "include").rglob("*.hpp"))
               if folders or not re.search(r"#\s*include\s*<mpi\.h>", h.read_text())]
    if not headers or not rest:
        sys.exit("nothing to check: no headers, or no compiler given")
    jobs = [(compiler, header, root, folders) for compiler in rest for header in headers]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for fault in pool.map(lambda job: compile_alone(*job), jobs) if fault]
    print(*faults, sep="\n", end="")
    print(f"{len(headers)} headers, {len(rest)} compilers, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
