"""A worker whose schedules with tiles of three rows crash, and of two rows hang: for the tests."""

import json
import os
import sys
import time

from teenyir.tuning.worker import answer

request = json.loads(sys.stdin.read())
if any("by=3 " in schedule for schedule in request["schedules"]):
    os.abort()
if any("by=2 " in schedule for schedule in request["schedules"]):
    time.sleep(600)
print(json.dumps(answer(request)))
