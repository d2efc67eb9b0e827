"""The story of docs/failures.md, as it happens: training on 4 ranks, kill -9, the error, tutti autopsy, and the rest go on.

story.py ROOT BUILD [--fix]
Fails when something in it is not so; --fix pastes what was printed into the page, between its `<!-- story: NAME -->` marks.
"""
import json, os, pathlib, re, signal, subprocess, sys, tempfile, time

root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
page = root / "docs/failures.md"
faults = []


def must(condition, what):
    if not condition:
        faults.append(what)


with tempfile.TemporaryDirectory() as work:
    recorder = pathlib.Path(work) / "calls"
    launcher = ("TUTTI_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_RANK")
    plain = {key: value for key, value in os.environ.items() if not key.startswith(launcher)}
    ranks, outputs = [], []
    for rank in range(4):
        own = {"TUTTI_RANK": str(rank), "TUTTI_WORLD_SIZE": "4", "TUTTI_JOB": f"story-{os.getpid()}", "TUTTI_STORE": f"unix:story-{os.getpid()}",
               "TUTTI_FLIGHT_RECORDER": str(recorder)}
        outputs.append((open(f"{work}/out{rank}", "w+"), open(f"{work}/err{rank}", "w+")))
        ranks.append(subprocess.Popen([str(build / "examples/survivors"), "30", "5"], env={**plain, **own},
                                      stdout=outputs[rank][0], stderr=outputs[rank][1]))

    def text(rank, which):
        outputs[rank][which].flush()
        return pathlib.Path(outputs[rank][which].name).read_text()

    deadline = time.monotonic() + 60
    while text(0, 0).count("epoch") < 5 and time.monotonic() < deadline:
        time.sleep(0.005)
    ranks[2].send_signal(signal.SIGKILL)
    survivors = (0, 1, 3)
    while not all("goes on" in text(rank, 1) for rank in survivors) and time.monotonic() < deadline:
        time.sleep(0.005)
    # While the others go on, the recorder of the one that was killed still says what it did last.
    autopsy = subprocess.run([str(build / "bin/tutti"), "autopsy", str(recorder)], capture_output=True, text=True)
    as_json = subprocess.run([str(build / "bin/tutti"), "autopsy", "--json", str(recorder)], capture_output=True, text=True)
    for rank in (0, 1, 3):
        try:
            ranks[rank].wait(max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            faults.append(f"rank {rank} hangs")
            ranks[rank].kill()
    ranks[2].wait()
    curve, errors = text(0, 0), {rank: text(rank, 1) for rank in survivors}
    job = str(recorder)
    for out, err in outputs:
        out.close()
        err.close()

must(all(ranks[rank].returncode == 0 for rank in survivors), f"the others end well: {errors}")
told = [line for rank in survivors for line in errors[rank].splitlines() if "[peer_lost" in line]
must(any("peer 2: its process" in line and "is gone; it was call" in line for line in told), f"somebody says who is lost: {errors}")
losses = [float(value) for value in re.findall(r"loss ([0-9.]+)", curve)]
must(len(losses) >= 29, f"the curve has all epochs: {curve}")
must("4 ranks" in curve and "3 ranks" in curve, f"first four ranks, then three: {curve}")
must(losses and losses[-1] < 0.8 * losses[4], f"it goes on falling: {losses}")
must("rank 2" in autopsy.stdout and "gone" in autopsy.stdout, f"the autopsy says who is gone: {autopsy.stdout}{autopsy.stderr}")
try:
    report = json.loads(as_json.stdout)
    must(any(each["subject"] == "rank 2" for each in report["findings"]), f"a finding is about rank 2: {report['findings']}")
except ValueError as error:
    faults.append(f"no JSON: {error}: {as_json.stderr}")

lines = curve.splitlines()
change = next((number for number, line in enumerate(lines) if "3 ranks" in line), 0)
shown = {"error": (told or [""])[0] + "\n" + next((line for line in errors[0].splitlines() if "goes on" in line), "") + "\n",
         "autopsy": autopsy.stdout.replace(job, "calls"),
         "curve": "\n".join(lines[max(0, change - 2):change + 2] + ["…"] + lines[-1:]) + "\n"}
content = page.read_text()
for name, output in shown.items():
    block = re.compile(rf"(<!-- story: {name} -->\n```\w*\n)(.*?)(^```$)", re.S | re.M)
    must(block.search(content), f"{page} has no block '<!-- story: {name} -->'")
    if "--fix" in sys.argv:
        content = block.sub(lambda match: match.group(1) + output + match.group(3), content)
if "--fix" in sys.argv and not faults:
    page.write_text(content)
print(*faults, sep="\n", end="\n" if faults else "")
sys.exit(1 if faults else 0)
