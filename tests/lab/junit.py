# SPDX-License-Identifier: MIT
"""Usage: junit.py FILE: the tests of a JUnit file as JSON, {name: [outcome, message]}."""
import json
import sys
import xml.etree.ElementTree

tests = {}
for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
    bad = [child for child in case if child.tag in ("failure", "error", "skipped")]
    name = case.get("name")
    assert name not in tests, f"{name} is there twice"
    tests[name] = [bad[0].tag, bad[0].get("message")] if bad else ["passed", ""]
json.dump(tests, sys.stdout)
