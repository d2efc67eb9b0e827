"""What the docs show of tutti's output is what it prints.

outputs.py ROOT BIN [--fix]
In docs/, a line `<!-- output: tutti explain all_reduce 64M -->` stands before a code block that shows the command and what
it prints. Lines that tell of the run itself (wall time) may differ. --fix writes them anew.
"""
import pathlib, re, shlex, subprocess, sys

BLOCK = re.compile(r"(<!-- output: (tutti [^\n]*?) -->\n```\w*\n)(.*?)(^```$)", re.S | re.M)
OWN = re.compile(r"wall time .*")


def printed(binaries, command):
    words = shlex.split(command)
    done = subprocess.run([str(binaries / words[0]), *words[1:]], capture_output=True, text=True, timeout=120, cwd=root)
    lines = (done.stdout + done.stderr).rstrip().splitlines()
    return "\n".join([f"$ {command}", *(line.rstrip() for line in lines)]) + "\n"


root, binaries = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
faults, found = [], 0
for page in sorted((root / "docs").rglob("*.md")):
    text = page.read_text()

    def renew(match):
        global found
        found += 1
        head, command, shown, end = match.groups()
        real = printed(binaries, command)
        if OWN.sub("", real) != OWN.sub("", shown):
            faults.append(f"{page}: '{command}' prints something else now; run tests/outputs.py ROOT BIN --fix")
            shown = real
        return head + shown + end

    renewed = BLOCK.sub(renew, text)
    if text.count("<!-- output:") != len(BLOCK.findall(text)):
        faults.append(f"{page}: an output mark is not followed by a code block")
    if "--fix" in sys.argv and renewed != text:
        page.write_text(renewed)
print(*faults, sep="\n", end="\n" if faults else "")
if found == 0:
    sys.exit("no page shows any output")
sys.exit(1 if faults and "--fix" not in sys.argv else 0)
