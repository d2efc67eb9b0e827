"""An MPIJob against mpijob.schema.json, and whether its parts fit one another. Usage: manifest.py FILE. 77: a module is missing."""
import copy, json, pathlib, sys

try:
    import jsonschema, yaml
except ImportError as error:
    print(f"skipped: {error} (apt install python3-yaml python3-jsonschema)")
    sys.exit(77)

SCHEMA = json.loads((pathlib.Path(__file__).parent / "mpijob.schema.json").read_text())


def faults(job):
    found = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in jsonschema.Draft202012Validator(SCHEMA).iter_errors(job)]
    if found:
        return found
    spec = job["spec"]
    launcher, worker = (spec["mpiReplicaSpecs"][role] for role in ("Launcher", "Worker"))
    for replica in (launcher, worker):
        pod = replica["template"]["spec"]
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            for mount in container.get("volumeMounts", []):
                if mount["name"] not in volumes:
                    found.append(f"{container['name']} mounts {mount['name']}, which is no volume")
            requests, limits = (container.get("resources", {}).get(kind, {}) for kind in ("requests", "limits"))
            # Kubernetes takes devices only in equal numbers, and gives whole CPUs only to pods whose requests are their limits.
            if requests != limits:
                found.append(f"{container['name']}: requests and limits differ")
    args = launcher["template"]["spec"]["containers"][0]["args"]
    ranks = int(args[args.index("-np") + 1])
    slots, workers = spec.get("slotsPerWorker", 1), worker["replicas"]
    if ranks != slots * workers:
        found.append(f"-np {ranks}, and {workers} workers of {slots} slots")
    if f"ppr:{slots}:node" not in args:
        found.append(f"no ppr:{slots}:node")
    if worker["template"]["spec"]["containers"][0]["resources"]["limits"].get("nvidia.com/gpu") != slots:
        found.append("a worker has not one GPU a slot")
    if not any(m["mountPath"] == "/dev/shm" for m in worker["template"]["spec"]["containers"][0].get("volumeMounts", [])):
        found.append("/dev/shm is left at its 64 MiB")
    return found


def main():
    job = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    found = faults(job)
    for change in (lambda j: j["spec"].update(slotPerWorker=8), lambda j: j.update(apiVersion="kubeflow.org/v1"),
                   lambda j: j["spec"].update(slotsPerWorker=4), lambda j: j["spec"]["mpiReplicaSpecs"].pop("Worker"),
                   lambda j: j["spec"]["mpiReplicaSpecs"]["Launcher"].update(replicas=2)):
        other = copy.deepcopy(job)
        change(other)
        if not faults(other):
            found.append("a broken manifest is not found")
    print(*found, sep="\n")
    return 1 if found else 0


sys.exit(main())
