"""A headless Chromium that is spoken to through a pipe: no port, no library. Chromium().page(path) loads a file."""
import base64, fcntl, json, os, pathlib, select, shutil, subprocess, tempfile, time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The first that runs: some systems have a program of that name which only says how to install it."""
    for path in filter(None, map(shutil.which, NAMES)):
        if subprocess.run([path, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return None


class Chromium:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="tutti-chromium-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # The program reads from descriptor 3 and writes to 4; numbers far above keep the pipes out of their way.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in (theirs_in, theirs_out)]

        def take_pipes():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        arguments = [program, "--headless", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "--no-first-run",
                     "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
                     "--disable-component-update", "--no-default-browser-check", "--hide-scrollbars", "--force-color-profile=srgb"]
        arguments.append("--no-sandbox")  # root and containers have none; the pages are our own
        # Everything else that is open here is closed on exec.
        self.process = subprocess.Popen(arguments + ["about:blank"], close_fds=False, preexec_fn=take_pipes,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True, env={**os.environ, "HOME": self.profile.name})
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        self.read_fd, self.write_fd = ours_in, ours_out
        self.buffer, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", {"url": "about:blank"}, session=None)["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True}, session=None)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", session=None)
            self.process.wait(10)
        except Exception:
            pass
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        os.close(self.read_fd), os.close(self.write_fd)
        for _ in range(20):  # its helpers may still write for a moment
            try:
                return self.profile.cleanup()
            except OSError:
                time.sleep(0.1)

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.read_fd, 1 << 20)
            if not part:
                raise EOFError("Chromium has ended")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, parameters=None, session="own", seconds=60):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        deadline = time.monotonic() + seconds
        while True:
            answer = self.message(deadline)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def page(self, path, width, dark=False, media=""):
        """Loads a file in a window so wide and returns what happened meanwhile."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.call("Emulation.setEmulatedMedia",
                  {"media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.call("Page.navigate", {"url": pathlib.Path(path).resolve().as_uri()})
        deadline = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(deadline))
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        return list(self.events)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self, path):
        """The whole page, as PNG."""
        answer = self.call("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
            "x": 0, "y": 0, "width": self.value("document.documentElement.clientWidth"),
            "height": self.value("document.documentElement.scrollHeight"), "scale": 1}})
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", {"printBackground": False, "preferCSSPageSize": True})["data"])
