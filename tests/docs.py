"""What the docs show is what runs: snippets equal the code they were cut from, and links lead somewhere.

docs.py ROOT [--fix]
In README.md and docs/, a line `<!-- snippet: examples/x.cpp name -->` stands before a code block; the block must equal
the lines of that file between its two `// [name]` marks, without their common indent. --fix writes them anew.
"""
import pathlib, re, sys, textwrap

SNIPPET = re.compile(r"(<!-- snippet: (\S+) (\S+) -->\n```\w*\n)(.*?)(^```$)", re.S | re.M)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def cut(root, file, name):
    """The lines of `file` between its two marks, or None when there are not exactly two."""
    path = root / file
    parts = re.split(rf"^[ \t]*(?://|#) \[{re.escape(name)}\]\n", path.read_text() if path.is_file() else "", flags=re.M)
    return textwrap.dedent(parts[1]) if len(parts) == 3 else None


def check(root, page, fix):
    text = page.read_text()
    faults = []

    def renew(match):
        head, file, name, shown, end = match.groups()
        real = cut(root, file, name)
        if real is None:
            faults.append(f"{page}: {file} has no two marks '// [{name}]'")
        elif real != shown and not fix:
            faults.append(f"{page}: the snippet '{name}' is not what {file} says; run tests/docs.py . --fix")
        return head + (shown if real is None else real) + end

    renewed = SNIPPET.sub(renew, text)
    if text.count("<!-- snippet:") != len(SNIPPET.findall(text)):
        faults.append(f"{page}: a snippet mark is not followed by a code block")
    if fix and renewed != text:
        page.write_text(renewed)
    for target in LINK.findall(re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)):
        if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
            faults.append(f"{page}: the link to {target} leads nowhere")
    return faults


root = pathlib.Path(sys.argv[1])
pages = [*root.glob("*.md"), *sorted((root / "docs").rglob("*.md"))]
faults = [fault for page in pages for fault in check(root, page, "--fix" in sys.argv)]
print(*faults, sep="\n", end="\n" if faults else "")
sys.exit(1 if faults or not pages else 0)
