"""What the soak scripts share: ranks of a job as processes, and what a job must not leave behind."""
import json, os, pathlib, subprocess, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def worker(given):
    """The program that plays a rank: the one that is given, or that of the usual build folders."""
    for path in [given] if given else [ROOT / folder / "tests/soak_worker" for folder in ("build", "build-asan", "build-tsan")]:
        if path and os.access(path, os.X_OK):
            return str(path)
    sys.exit("soak: build the target soak_worker first (cmake --preset release; cmake --build --preset release)")


def variables(rank, ranks, name, **more):
    launcher = ("TUTTI_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_RANK")
    own = {key: value for key, value in os.environ.items() if not key.startswith(launcher)}
    return {**own, "TUTTI_RANK": str(rank), "TUTTI_WORLD_SIZE": str(ranks), "TUTTI_JOB": name,
            "TUTTI_STORE": f"unix:{name}", **more}


class Rank:
    """A process; each line it prints is a JSON value, kept with the time at which it came."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.noise = [], []
        self.threads = [threading.Thread(target=self.read), threading.Thread(target=self.listen)]
        for thread in self.threads:
            thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), json.loads(line)))

    def listen(self):
        self.noise.extend(self.process.stderr)

    def first(self, key):
        return next((value for _, value in list(self.lines) if key in value), None)

    def end(self, deadline):
        """True when it has ended by then; else it is killed."""
        try:
            self.process.wait(max(0.01, deadline - time.monotonic()))
            ended = True
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            ended = False
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return ended


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    return True


def traces(names):
    """Sockets and files whose names begin with one of these."""
    found = []
    with open("/proc/net/unix") as sockets:
        found += [line.split()[-1] for line in sockets if any(name in line for name in names)]
    for folder in ("/dev/shm", "/tmp"):
        found += [f"{folder}/{entry}" for entry in os.listdir(folder) if any(name in entry for name in names)]
    return found


def shared_memory():
    """KiB of shared memory that the machine holds."""
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Shmem:"))
