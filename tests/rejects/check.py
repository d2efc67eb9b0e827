"""One kind of misuse must not compile, for the reason it states, and its right twin must.

check.py ROOT SNIPPET COMPILER...
A snippet holds both: the misuse under `#ifdef REJECT`, the right way under `#else`. A line `// rejected: REGEX` gives
what the compiler's message must contain, so that a typing slip does not pass for a rejection.
"""
import re, subprocess, sys

FLAGS = "-std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only".split()


def compiles(compiler, root, snippet, *flags):
    run = subprocess.run([compiler, *FLAGS, *flags, "-I", f"{root}/include", snippet], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.returncode == 0, run.stdout


def main(root, snippet, *compilers):
    reason = re.search(r"^// rejected: (.+)$", open(snippet).read(), re.M)
    if not reason or not compilers:
        sys.exit(f"{snippet}: needs a line '// rejected: REGEX' and a compiler")
    for compiler in compilers:
        ok, output = compiles(compiler, root, snippet)
        if not ok:
            sys.exit(f"{compiler}: the right twin does not compile:\n{output}")
        ok, output = compiles(compiler, root, snippet, "-DREJECT")
        if ok:
            sys.exit(f"{compiler}: the misuse compiles")
        if not re.search(reason[1], output):
            sys.exit(f"{compiler}: the misuse is rejected, but not for '{reason[1]}':\n{output}")


main(*sys.argv[1:])
