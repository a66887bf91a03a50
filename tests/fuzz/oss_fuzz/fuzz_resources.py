from tests.fuzz.covered import main

main("resources")
