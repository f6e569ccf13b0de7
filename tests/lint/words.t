#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Usage: words.t [FILE..]

Looks for words that make a sentence hard to read, in comments, string literals and documents of the files (default: the
whole tree). Prints TAP, with a line for each find: FILE:LINE: what it found and what to write. Exit status 1 if it found any.
"""
import os
import re
import sys

# A pattern, and what to write in its place. A space matches a line break, too.
WORDS = [
    (r"of (which|whom)", "a new sentence"),
    (r"(is|are|was|were|be) (told|said)", "reports, prints"),
    (r"says? so,? too", "also prints"),
    (r"anew", "again"),
    (r"but for", "except"),
    (r"besides?", "also, in addition to"),
    (r"stands? (in|on|for)", "is, is listed in, means"),
    (r"nobody", "the positive fact"),
    (r"(nothing|none) (is|are|was|has|can|may)", "the positive fact"),
    (r"hand(s|ed|ing)? (over|on)", "pass, expose"),
    (r"in the midst", "inside, while"),
    (r"what is (more than|left over)", "the excess, the rest"),
    (r"(record|entry|entrie)s? comes?", "arrive, are written"),
    (r"cr(y|ies|ied) wolf", "false alarm"),
    (r"bites?", "detect"),
    (r"crew", "secondary processors"),
    (r"witness(es)?", "independent source"),
    (r"floors?", "layer"),
    (r"(a|each|every|the|this|which) rooms?(?! (for|in|to|left))", "module"),
    (r"house", "tree"),
    (r"(a|no|that|the|this) lies?", "quirk"),
]

# Permitted words: the path, the words (both are regular expressions), and the reason.
ALLOWED = [
    (r"tests/lint/words\.t", r".*", "the list itself"),
    (r"LICENSES/.*", r".*", "texts of others"),
    (r"kernel/screen/page\.c|tests/host/(pages\.txt|test_page\.c)", r"nothing is", "the verdict in words: \"Nothing is wrong.\""),
    (r"contrib/corpus/.*\.log", r".*", "logs as a kernel wrote them"),
]

C_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
SCRIPT_TEXT = re.compile(r"(?:^|(?<=\s))#[^\n]*|\"(?:\\.|[^\"\\])*?\"|'(?:\\.|[^'\\])*?'", re.S)
ASM_TEXT = re.compile(r";[^\n]*|\"[^\"\n]*\"|'[^'\n]*'")
FENCE = re.compile(r"^```.*?^```", re.S | re.M)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def prose(path, text):
    """The text with blanks instead of code, so that only comments, strings and sentences remain on their lines."""
    if re.search(r"\.(md|txt|docs)$", path):
        return FENCE.sub(lambda match: blank(match.group()), text)
    pattern = ASM_TEXT if re.search(r"\.asm$", path) else C_TEXT if re.search(r"\.(c|h|inc|S)$", path) else SCRIPT_TEXT
    out, end = [], 0
    for match in pattern.finditer(text):
        out += [blank(text[end:match.start()]), re.sub(r"(?m)^\s*(\*|//|#|;)|^/\*", lambda m: blank(m.group()), match.group())]
        end = match.end()
    return "".join(out) + blank(text[end:])


def tree():
    for folder, folders, files in os.walk("."):
        folders[:] = sorted(set(folders) - {".git", "build", "__pycache__"})
        yield from (os.path.relpath(os.path.join(folder, name)) for name in sorted(files))


WANTED = re.compile(r"\b(?<![.-])(?:" + "|".join(f"(?P<w{i}>{words})" for i, (words, _) in enumerate(WORDS)).replace(" ", r"\s+")
                    + r")(?![\w-])", re.I)


def finds(path, text):
    text = prose(path, text)
    for match in WANTED.finditer(text):
        words = " ".join(match.group().split())
        if not any(re.fullmatch(where, path) and re.fullmatch(what, words, re.I) for where, what, _ in ALLOWED):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: '{words}': {WORDS[int(match.lastgroup[1:])][1]}"


def main(paths):
    if not paths:
        os.chdir(os.path.join(os.path.dirname(__file__), "../.."))
    found = []
    for path in paths or tree():
        try:
            with open(path, encoding="utf-8") as file:
                found += finds(path, file.read())
        except (UnicodeDecodeError, IsADirectoryError):
            continue
    planted = [("a.c", "/* is\n * told, anew */ nobody"), ("a.c", 'f("anew")'), ("a.asm", "nop ; nobody"), ("a.t", "x # nobody"),
               ("a.md", "But for")]
    counts = [len([*finds(*each)]) for each in planted]
    print("1..2")
    print("ok 1" if counts == [2, 1, 1, 1, 1] else "not ok 1", "- finds planted words in comments, strings and documents, not in code")
    print("".join(f"# {each}\n" for each in found) + ("not ok 2" if found else "ok 2"), f"- {len(found)} hard words")
    return found != []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
