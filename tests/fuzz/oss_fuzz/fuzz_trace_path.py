from tests.fuzz.covered import main

main("trace_path")
