"""No kernel spills, none has a stack frame, none uses more than 128 registers: what ptxas said while the library was built.

resources.py OBJECT...                  reads OBJECT.ptxas, prints a table, fails where a limit is passed
resources.py --self-test NVCC SOURCE    compiles faulty kernels: each fault must be found, and a sound kernel pass
"""
import pathlib, re, subprocess, sys, tempfile

MOST_REGISTERS = 128  # of 65,536, by 512 threads
ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
FUNCTION = re.compile(r"Function properties for (\S+)")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")


class Kernel:
    def __init__(self, name, arch):
        self.name, self.arch, self.registers, self.frame, self.spills = name, arch, 0, 0, 0

    def faults(self):
        if self.frame:
            yield f"a stack frame of {self.frame} bytes"
        if self.spills:
            yield f"{self.spills} bytes of spills"
        if self.registers > MOST_REGISTERS:
            yield f"{self.registers} registers, more than {MOST_REGISTERS}"


def kernels_of(report):
    """A kernel, and the functions that ptxas compiled with it: the worst of each number counts."""
    kernels = []
    for line in report.splitlines():
        if match := ENTRY.search(line):
            kernels.append(Kernel(*match.groups()))
        elif kernels and (match := FRAME.search(line)):
            kernels[-1].frame = max(kernels[-1].frame, int(match[1]))
            kernels[-1].spills = max(kernels[-1].spills, int(match[2]) + int(match[3]))
        elif kernels and (match := USED.search(line)):
            kernels[-1].registers = int(match[1])
    return kernels


def readable(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True).stdout.splitlines()
    for name in text or names:
        name = re.sub(r"tutti::(kernels::)?|void |\(.*\)$", "", name)
        name = name.replace("NarrowFloat<unsigned short, 5, 10, false, true>", "float16")
        name = name.replace("NarrowFloat<unsigned short, 8, 7, false, true>", "bfloat16")
        name = name.replace("NarrowFloat<unsigned char, 4, 3, true, false>", "float8_e4m3")
        yield name.replace("NarrowFloat<unsigned char, 5, 2, true, true>", "float8_e5m2")


def check(reports):
    kernels = [kernel for report in reports for kernel in kernels_of(report)]
    faults = 0
    print("registers  stack  spills  arch    kernel (type, operator, packets)")
    for kernel, name in zip(kernels, readable([kernel.name for kernel in kernels])):
        print(f"{kernel.registers:9}  {kernel.frame:5}  {kernel.spills:6}  {kernel.arch:6}  {name}")
        for fault in kernel.faults():
            print(f"  FAULT: {fault}")
            faults += 1
    most = max((kernel.registers for kernel in kernels), default=0)
    print(f"{len(kernels)} kernels, at most {most} registers, {faults} faults")
    return faults, len(kernels)


def self_test(nvcc, source):
    missed = []
    for define in ("SOUND", "FAULT_STACK_FRAME", "FAULT_SPILLS"):
        with tempfile.TemporaryDirectory() as folder:
            command = [nvcc, "-std=c++20", "-arch=sm_90", f"-D{define}", "-Xptxas=-v", "-cubin", source,
                       "-o", f"{folder}/faulty.cubin"]
            result = subprocess.run(command, text=True, capture_output=True)
        if result.returncode != 0:
            sys.exit(f"{define} does not compile: {result.stderr}")
        faults, count = check([result.stdout + result.stderr])
        if count != 1 or (faults > 0) != (define != "SOUND"):
            missed.append(define)
    sys.exit(f"not judged rightly: {missed}" if missed else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--self-test"]:
        self_test(*sys.argv[2:])
    reports = [pathlib.Path(each + ".ptxas").read_text() for each in sys.argv[1:]]
    faults, count = check(reports)
    silent = [each for each, report in zip(sys.argv[1:], reports) if not kernels_of(report)]
    if silent:
        print(f"no report of any kernel in: {silent}")
    sys.exit(1 if faults or silent or not count else 0)
