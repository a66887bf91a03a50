#!/bin/bash -eu
# Makes of each fuzz_*.py a program with its first inputs in $OUT; the parts in C are built with OSS-Fuzz's flags.
pip3 install setuptools hypothesis jsonschema pytest .
python3 setup.py build_ext --inplace
ls tfperf_plugin/readers/xspace/_decode.*.so tfperf_plugin/arrays/_intervals.*.so  # optional for users, not here
export PYTHONPATH=$PWD
for fuzzer in tests/fuzz/oss_fuzz/fuzz_*.py; do
  name=$(basename -s .py "$fuzzer")
  compile_python_fuzzer "$fuzzer" --paths "$PWD" --collect-all tfperf_plugin \
    --collect-data jsonschema --collect-data jsonschema_specifications
  python3 - "${name#fuzz_}" "$WORK/$name" <<'END'
import sys
from pathlib import Path
from tests.fuzz.targets import TARGETS

TARGETS[sys.argv[1]].write_inputs(Path(sys.argv[2]))
END
  zip -qj "$OUT/${name}_seed_corpus.zip" "$WORK/$name"/*
done
