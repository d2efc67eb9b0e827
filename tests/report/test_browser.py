"""Pages of `tutti report` in a headless Chromium: they load alone, fit a narrow window, can be read in both schemes, and
print. Usage: test_browser.py TUTTI [--pictures FOLDER]. Exit status 77: there is no Chromium here."""
import json, pathlib, re, subprocess, sys, tempfile

import chromium

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>" onload="alert(3) \u202eevil\u0007 ' + "W" * 300
HOSTILE_PATH = "'; background: url(http://192.0.2.1/x) ;<style>@import 'http://192.0.2.1/y';</style>&#60;b&#62;"

# Text whose contrast with the ground that it stands on is too low. In drawings the ground is looked up in the style.
CONTRAST = r"""(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                          return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
                        if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; n = walk.nextNode();) {
    const e = n.parentElement;
    if (!n.data.trim() || e.closest('svg')) continue;
    const r = ratio(rgb(getComputedStyle(e).color), ground(e));
    if (r < 4.5) bad.push(`${e.tagName} "${n.data.slice(0, 40)}" ${r.toFixed(2)}`);
  }
  const root = getComputedStyle(document.documentElement);
  const variable = name => rgb(root.getPropertyValue('--' + name));
  for (const g of ['page', 'gpu', 'nic', 'cpu', 'bridge', 'socket', 'fabric']) for (const ink of ['ink', 'soft']) {
    if (ink === 'soft' && g === 'fabric') continue;  // only its own words, in full ink
    const r = ratio(variable(ink), variable(g));
    if (r < 4.5) bad.push(`--${ink} on --${g} ${r.toFixed(2)}`);
  }
  for (let i = 0; i < 8; ++i) { const r = ratio(variable('c' + i), variable('page'));
                                if (r < 3) bad.push(`curve ${i} ${r.toFixed(2)}`); }
  return bad.slice(0, 10);
})()"""

ACCESS = r"""(() => {
  const bad = [];
  if (document.documentElement.lang !== 'en') bad.push('no language');
  if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
  let level = 0;
  for (const h of document.querySelectorAll('h1,h2,h3,h4')) { const l = +h.tagName[1];
    if (l > level + 1) bad.push(`${h.tagName} "${h.textContent.slice(0, 40)}" after h${level}`); level = l; }
  for (const t of document.querySelectorAll('table')) { if (!t.caption) bad.push('a table without caption');
    for (const h of t.querySelectorAll('th')) if (!h.scope) bad.push(`th "${h.textContent}" without scope`); }
  for (const s of document.querySelectorAll('svg')) { if (s.getAttribute('aria-hidden') === 'true') continue;
    const named = (s.getAttribute('aria-labelledby') || '').split(' ').map(i => document.getElementById(i));
    if (s.getAttribute('role') !== 'img' || named.length !== 2 || named.some(e => !e || !e.textContent.trim()))
      bad.push('a drawing without name and description'); }
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) bad.push('id twice: ' + id);
  for (const a of document.querySelectorAll('a')) if (!document.querySelector(a.getAttribute('href'))) bad.push('a link to nowhere');
  for (const e of document.querySelectorAll('.scroll')) if (e.tabIndex !== 0 || !e.getAttribute('aria-label'))
    bad.push('a scrolled part that keys cannot reach');
  return bad.slice(0, 10);
})()"""

# Words of a drawing that stick out of it, and boxes of devices that lie on one another.
DRAWING = r"""(() => {
  const bad = [];
  for (const s of document.querySelectorAll('svg[role=img]')) {
    const v = s.viewBox.baseVal;
    for (const t of s.querySelectorAll('text')) { const b = t.getBBox();
      if (b.x < -1 || b.y < -1 || b.x + b.width > v.width + 1 || b.y + b.height > v.height + 1)
        bad.push(`"${t.textContent.slice(0, 40)}" sticks out`); }
    const boxes = [...s.querySelectorAll('rect.gpu,rect.nic,rect.other')].map(r => r.getBBox());
    for (let i = 0; i < boxes.length; ++i) for (let j = i + 1; j < boxes.length; ++j) { const a = boxes[i], b = boxes[j];
      if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height) bad.push('boxes overlap'); }
    if (s.querySelectorAll('[class*=curve]').length && s.innerHTML.includes('NaN')) bad.push('NaN in a curve');
  }
  return bad.slice(0, 10);
})()"""


def bench_file(folder, hostile):
    rows = []
    algorithms = ["automatic", "ring", "tree", "two_shot", "halving_doubling"]
    for i, algorithm in enumerate(algorithms + ([HOSTILE] if hostile else [])):
        for size in (8 << k for k in range(0, 24, 2)):
            us = 0.4 + 0.2 * i + size / (4000.0 + 900 * i)
            rows.append({"collective": "all_reduce", "engine": "host", "algorithm": algorithm, "decision": None,
                         "protocol": None, "buffers": "private", "ranks": 4, "type": "float32", "operation": "sum", "root": -1,
                         "size_bytes": size, "count": size // 4, "in_place": False, "time_us": us, "p25_us": us * 0.95,
                         "p75_us": us * 1.2, "p99_us": us * 2, "algbw_GBs": size / us / 1e3, "busbw_GBs": 1.5 * size / us / 1e3,
                         "wrong": 0, "peer": None, "ratio": None, "probe_before_us": 0.1, "probe_us": 0.1,
                         "iterations": 10, "cut_short": i == 2})
    report = {"schema": "tutti-bench-1", "tutti": "0.0.0", "started": "2026-01-31T12:00:00Z",
              "machine": {"hosts": [HOSTILE if hostile else "n01"], "processor": "Some CPU", "processors": 4, "memory_bytes": 1},
              "run": {"ranks": 4, "launcher": "threads", "peer": None, "dirty": False, "deterministic": False},
              "notes": [HOSTILE_PATH] if hostile else [], "rows": rows}
    path = folder / f"bench-{hostile}.json"
    path.write_text(json.dumps(report))
    return str(path)


def doctor_file(folder, hostile):
    words = HOSTILE if hostile else "what was seen"
    findings = [{"id": "x-y", "severity": severity, "subject": words, "what": words, "place": words, "line": 3,
                 "evidence": words, "remedy": HOSTILE_PATH if hostile else "do this"}
                for severity in ("error", "warning", "note")]
    path = folder / f"doctor-{hostile}.json"
    path.write_text(json.dumps({"tutti": "0", "findings": findings}))
    return str(path)


def hostile_machine(tutti, folder):
    machine = json.loads(subprocess.run([tutti, "topology", "dgx-1-v100", "--format", "json"], check=True,
                                        stdout=subprocess.PIPE).stdout)
    machine["name"] = machine["hosts"][0]["host"] = HOSTILE
    machine["hosts"][0]["cpu_model"] = HOSTILE_PATH
    for device in machine["devices"]:
        device["name"] += HOSTILE
        device["model"] = HOSTILE_PATH
    path = folder / "machine.json"
    path.write_text(json.dumps(machine))
    return str(path)


def pages(tutti, folder):
    """Name of a page → what `tutti report` is given for it."""
    bench, doctor = bench_file(folder, False), doctor_file(folder, False)
    return {
        "here": ["--seconds", "0.5"],
        "a100": ["--topology", "dgx-a100", "--bench", bench, "--doctor", doctor, "--explain", "live"],
        "h100": ["--topology", "dgx-h100", "--explain", "live", "--doctor", "live"],
        "nvl72": ["--topology", "gb200-nvl72"],
        "superpod": ["--topology", "superpod-1024", "--explain", "live"],
        "hostile": ["--topology", hostile_machine(tutti, folder), "--bench", bench_file(folder, True), "--doctor",
                    doctor_file(folder, True), "--title", HOSTILE],
    }


def check(browser, name, path, pictures):
    faults = []
    for width, dark in ((1280, False), (360, False), (1280, True)):
        where = f"{name}, {width} px{', dark' if dark else ''}"
        for event in browser.page(path, width, dark):
            method, what = event.get("method"), event.get("params", {})
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                faults.append(f"{where}: the console says {json.dumps(what)[:300]}")
            if method == "Network.requestWillBeSent" and what["request"]["url"] != pathlib.Path(path).resolve().as_uri():
                faults.append(f"{where}: a request for {what['request']['url'][:100]}")
            if method == "Page.javascriptDialogOpening":
                faults.append(f"{where}: a script ran")
        if browser.value("document.documentElement.scrollWidth") > width:
            wide = browser.value("[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && "
                                 f"e.getBoundingClientRect().right > {width + 1}).map(e => e.outerHTML.slice(0, 80))[0]")
            faults.append(f"{where}: wider than the window: {wide}")
        if browser.value("document.body.innerText.length") < 200:
            faults.append(f"{where}: hardly any text")
        if browser.value("document.querySelectorAll('script,img,iframe,link,object,form').length"):
            faults.append(f"{where}: what has no place in the page")
        for title, script in (("contrast", CONTRAST), ("access", ACCESS), ("drawing", DRAWING)):
            faults += [f"{where}: {title}: {fault}" for fault in browser.value(script)]
        if pictures:
            browser.picture(pictures / f"{name}-{width}{'-dark' if dark else ''}.png")
    browser.page(path, 800)
    pdf = browser.pdf()
    count = len(re.findall(rb"/Type\s*/Page\b", pdf))
    if not pdf.startswith(b"%PDF") or not 1 <= count <= 40:
        faults.append(f"{name}: printed, it has {count} pages")
    if pictures:
        (pictures / f"{name}.pdf").write_bytes(pdf)
    return faults


def main():
    tutti = sys.argv[1]
    pictures = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--pictures"] else None
    program = chromium.find()
    if not program:
        print("skipped: there is no Chromium to show the pages (apt install chromium)")
        return 77
    faults = []
    with tempfile.TemporaryDirectory(prefix="tutti-report-") as folder, chromium.Chromium(program) as browser:
        folder = pathlib.Path(folder)
        for name, arguments in pages(tutti, folder).items():
            path = folder / f"{name}.html"
            subprocess.run([tutti, "report", *arguments, "-o", str(path)], check=True)
            faults += check(browser, name, path, pictures)
            print(f"{name}: {path.stat().st_size} bytes, {len(faults)} faults so far")
        # What is looked for can be found: a page with one fault of each kind.
        broken = folder / "broken.html"
        broken.write_text('<html><h3>x</h3><p style="color:#999;background:#fff">pale</p><div style="width:500px">wide</div>'
                          '<img src="http://192.0.2.1/x.png"><script>console.error("x")</script><table><th>x</th></table>')
        found = " ".join(check(browser, "broken", broken, None))
        for word in ("console", "request", "wider", "contrast", "access", "no place"):
            if word not in found:
                faults.append(f"the test does not find: {word}")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
