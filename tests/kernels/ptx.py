"""What the kernels' PTX must and must not say: waits acquire and posts release at system scope, payload moves by sixteen
bytes, and nothing goes through the read-only path, a fence, a narrower scope or volatile.

ptx.py OBJECT...                  reads OBJECT.ptx/*.ptx
ptx.py --self-test NVCC SOURCE    compiles faulty kernels: each fault must be found, and a sound kernel pass
"""
import pathlib, re, subprocess, sys, tempfile

FORBIDDEN = {
    r"\bld\.global\.nc|\bld\.nc|\.nc\.": "a load through the read-only path",
    r"\bmembar\b|\bfence\b": "a fence",
    r"\b(ld|st)\.\w*\.?volatile|\b(ld|st)\.volatile": "a volatile access",
    r"\.(acquire|release|relaxed|acq_rel)\.(gpu|cta|cluster)\b": "a scope narrower than the system",
}
ENTRY = re.compile(r"\.entry\s+(\S*collective\S*?)\(")
LOAD = re.compile(r"\bld(\.global)?\.v4\.(u32|b32|f32)|\bld(\.global)?\.v2\.(u64|b64)")
STORE = re.compile(r"\bst(\.global)?\.v4\.(u32|b32|f32)|\bst(\.global)?\.v2\.(u64|b64)")


def bodies(text):
    """Every kernel's own text, by name."""
    starts = list(ENTRY.finditer(text))
    for match in starts:
        depth, at = 0, text.index("{", match.end())
        end = at
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        yield match[1], text[at:end]


def faults_of(text):
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    for pattern, what in FORBIDDEN.items():
        for match in re.finditer(pattern, code):
            yield f"{what}: {code[code.rfind(chr(10), 0, match.start()) + 1:code.find(chr(10), match.end())].strip()}"
    if "ld.acquire.sys" not in code:
        yield "no wait acquires at system scope (ld.acquire.sys)"
    if "st.release.sys" not in code:
        yield "no post releases at system scope (st.release.sys)"
    names = []
    for name, body in bodies(code):
        names.append(name)
        packets = "Lb1EEEv" in name
        # A kernel that only copies leaves that to a function of its own in the same file.
        reach = code if "CopyELb0" in name else body
        if packets:
            if "ld.relaxed.sys.global.v4.u32" not in code or "st.relaxed.sys.global.v4.u32" not in body:
                yield f"{name}: packets are not lines of sixteen bytes"
        elif not LOAD.search(reach) or not STORE.search(reach):
            yield f"{name}: payload does not move by sixteen bytes"
    if not names:
        yield "no kernel at all"


def check(texts):
    found = 0
    kernels = 0
    for name, text in texts:
        kernels += len(ENTRY.findall(text))
        for fault in faults_of(text):
            print(f"{name}: {fault}")
            found += 1
    print(f"{kernels} kernels in {len(texts)} files, {found} faults")
    return found


def self_test(nvcc, source):
    wrong = []
    for define in ("SOUND", "FAULT_READ_ONLY_LOAD", "FAULT_NARROW_PAYLOAD", "FAULT_FENCE", "FAULT_NO_RELEASE",
                   "FAULT_GPU_SCOPE", "FAULT_NO_ACQUIRE", "FAULT_VOLATILE"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "faulty.ptx")
            subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", f"-D{define}", "-ptx", source, "-o", path], check=True)
            print(define, end=": ")
            if (check([(path.name, path.read_text())]) > 0) != (define != "SOUND"):
                wrong.append(define)
    sys.exit(f"not judged rightly: {wrong}" if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--self-test"]:
        self_test(*sys.argv[2:])
    found = {each: sorted(pathlib.Path(each + ".ptx").glob("*.ptx")) for each in sys.argv[1:]}
    texts = [(path.name, path.read_text()) for paths in found.values() for path in paths]
    missing = [each for each, paths in found.items() if not paths]
    if missing:
        print(f"no PTX beside: {missing}")
    sys.exit(1 if check(texts) or missing else 0)
