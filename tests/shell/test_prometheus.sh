#!/bin/bash
# A real Prometheus reads a real job: both formats, the alert rules, and every query of the dashboard.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
for program in prometheus promtool python3; do
  command -v $program > /dev/null || { echo "there is no $program (scripts/setup installs it)"; exit 77; }
done
folder=$(mktemp -d)
pids=()
cleanup() {
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2> /dev/null
  wait
  rm -rf "$folder"
}
trap cleanup EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

promtool check rules "$root/docs/ops/alerts.yml" > "$folder/log" 2>&1 || fail "the alert rules: $(cat "$folder/log")"
promtool test rules "$root/docs/ops/alerts_test.yml" > "$folder/log" 2>&1 || fail "the alerts fire wrongly: $(cat "$folder/log")"
promtool check config "$root/docs/ops/prometheus.yml" > "$folder/log" 2>&1 || fail "the configuration: $(cat "$folder/log")"

# Three ports in a row that are free now: two ranks, and Prometheus.
port=$(python3 - << 'END'
import random, socket
for _ in range(100):
    first = random.randrange(21000, 31000)
    try:
        for port in range(first, first + 3):
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
        print(first)
        break
    except OSError:
        pass
END
)
# The driver of two GPUs that are not there is found before any real one.
LD_LIBRARY_PATH=$BIN/../fakes TUTTI_METRICS=$port,file:$folder/files \
  bash "$root/tests/torchrun" 2 "$BIN/tutti" bench all_reduce --sizes 8,64K,4M -n 1000000 -w 1 -c 0 --quiet > "$folder/job" 2>&1 &
pids+=($!)
for ((i = 0; i < 100; ++i)); do
  "$BIN/tutti" top "$port-$((port + 1))" --once > "$folder/top" 2> "$folder/top.log" && ! grep -q silent "$folder/top" && break
  grep -q 'libmicrohttpd' "$folder/job" && { echo "metrics over HTTP are not built in"; exit 77; }
  sleep 0.1
done
[ -s "$folder/top" ] || { cat "$folder/job" "$folder/top.log"; fail "no metrics on ports $port and $((port + 1))"; exit 1; }

cat > "$folder/prometheus.yml" << END
global: {scrape_interval: 500ms, evaluation_interval: 1s}
rule_files: ["$root/docs/ops/alerts.yml"]
scrape_configs:
  - {job_name: tutti, static_configs: [{targets: ["127.0.0.1:$port", "127.0.0.1:$((port + 1))"]}]}
END
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" --log.level=error \
  --web.listen-address="127.0.0.1:$((port + 2))" > "$folder/prometheus.log" 2>&1 &
pids+=($!)

python3 - "$port" "$root" "$folder" << 'END' || fail "what Prometheus has read is not right"
import json, re, subprocess, sys, time, urllib.parse, urllib.request
port, root, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
page = lambda number, accept: urllib.request.urlopen(
    urllib.request.Request(f"http://127.0.0.1:{number}/metrics", headers={"Accept": accept}), timeout=10)

# The older format, by Prometheus' own checker.
text = page(port, "text/plain").read()
done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
assert done.returncode == 0, (done.stdout + done.stderr).decode()
answer = page(port, "application/openmetrics-text; version=1.0.0")
assert answer.headers["Content-Type"].startswith("application/openmetrics-text"), answer.headers
assert answer.read().endswith(b"\n# EOF\n")

def api(path, **arguments):
    url = f"http://127.0.0.1:{port + 2}/api/v1/{path}?" + urllib.parse.urlencode(arguments)
    return json.load(urllib.request.urlopen(url, timeout=10))["data"]

def wait(what, check, seconds=40):
    end = time.time() + seconds
    while True:
        try:
            value = check()
            if value:
                return value
        except OSError:
            pass  # it is not up yet
        assert time.time() < end, what + "\n" + json.dumps(api("targets"))[:2000]
        time.sleep(0.2)

query = lambda text: api("query", query=text)["result"]
value = lambda text: float(query(text)[0]["value"][1])
wait("both ranks are scraped", lambda: sum(float(each["value"][1]) for each in query("up")) == 2)
# It asked for OpenMetrics, and understood it: a target in a format that it cannot read is down.
assert not any(each["lastError"] for each in api("targets")["activeTargets"])
wait("calls have rates", lambda: query("rate(tutti_calls_total[4s]) > 0") and len(query("rate(tutti_calls_total[4s]) > 0")) == 2)
latency = wait("latencies have quantiles", lambda: query(
    'histogram_quantile(0.5, sum by (le) (rate(tutti_call_latency_seconds_bucket{size="256B"}[4s]))) > 0'))
assert 0 < float(latency[0]["value"][1]) < 1, latency
wait("skew was compared", lambda: query("sum(tutti_arrival_skew_seconds_count) > 0"))
assert value("count(tutti_rank_info)") == 2
assert value("sum(tutti_calls_read_total) <= bool sum(tutti_calls_total)") == 1
gpus = {each["metric"]["gpu"]: float(each["value"][1]) for each in query("tutti_gpu_utilisation_ratio")}
assert gpus == {"0": 0.4, "1": 0.9}, gpus  # once: the host's first rank tells of the host
assert len(query("tutti_gpu_power_watts == 431.2")) == 2

rules = [rule for group in api("rules")["groups"] for rule in group["rules"]]
assert len(rules) >= 7
wait("rules are evaluated", lambda: all(rule["health"] == "ok" for group in api("rules")["groups"] for rule in group["rules"]))

# Every query of the dashboard is one, and gives something, but for what is not there: failures, and what GPUs do not tell.
dashboard = json.load(open(f"{root}/docs/ops/grafana.json"))
queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
assert len(queries) > 15
for text in queries:
    for name, with_what in [("$__rate_interval", "4s"), ("$__range", "1m"), ("$instance", ".*"), ("$rank", ".*")]:
        text = text.replace(name, with_what)
    assert "$" not in text, text
    if "call_failures" not in text:
        wait("nothing from " + text, lambda: query(text), 20)
    else:
        query(text)
# Every family that a query, a rule or the docs name is on the page.
families = set(re.findall(rb"^# TYPE (\S+)", text_now := page(port, "text/plain").read(), re.M))
named = set(re.findall(r"\btutti_\w+", json.dumps(queries) + open(f"{root}/docs/ops/alerts.yml").read()))
for name in named:
    assert re.sub("_(bucket|count|sum)$", "", name).encode() in families, name
print(f"{len(queries)} queries, {len(rules)} rules, {len(families)} families")
END

# Live in a terminal, and plainly in a pipe.
grep -q 'RANK' "$folder/top" || fail "tutti top shows nothing: $(cat "$folder/top")"
grep -q $'\033' "$folder/top" && fail "a cursor moves in a pipe"
# The files, each whole at any time.
"$BIN/tutti" top "$folder/files" --once > "$folder/top" || fail "tutti top reads no files"
[ "$(grep -c '^    [01] ' "$folder/top")" = 2 ] || fail "not two ranks: $(cat "$folder/top")"
for file in "$folder"/files/*.prom; do promtool check metrics < "$file" > "$folder/log" 2>&1 || fail "$file: $(cat "$folder/log")"; done

# A port that is taken: said so, with what to do, and no rank hangs.
TUTTI_METRICS=$port timeout 60 "$BIN/tutti" bench all_reduce --ranks 2 --sizes 8 -n 1 > "$folder/out" 2>&1 && fail "a taken port is no error"
grep -q "port $port.*choose another port" "$folder/out" || fail "a taken port is not told: $(cat "$folder/out")"

[ $failures -eq 0 ] || cat "$folder/job" "$folder/prometheus.log"
exit $((failures > 0))
