#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Usage: render.py FOLDER DEVICE JOB

Prints DEVICE, a template whose device type is in FOLDER, as LAVA's server hands it to the dispatcher: rendered with the
context of JOB, and valid by LAVA's schema, as JOB has to be."""
import pathlib
import sys

import jinja2
import yaml
from lava_common import schemas
from lava_common.schemas import device

folder, name, job_file = sys.argv[1:]
job = yaml.safe_load(pathlib.Path(job_file).read_text())
schemas.validate(job)
templates = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), trim_blocks=True, autoescape=False)
text = templates.from_string(pathlib.Path(name).read_text()).render(job.get('context', {}))
device.validate(yaml.safe_load(text))
print(text)
