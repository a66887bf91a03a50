"""``python -m tfperf_plugin.recording.sampler PID FOLDER``: watches until the process has ended."""

import sys

from tfperf_plugin.recording.sampler.run import main

main(int(sys.argv[1]), sys.argv[2])
