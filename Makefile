# The project's doors. Each is one command; what they do is in CMakeLists.txt, CMakePresets.json and tools/.
#   make demo     install the packages it needs, build, and show the main job on a sample fabric
#   make test     install, build with and without sanitizers, run every test
#   make build    build/release/crosswind
.PHONY: demo test test-long build quick coverage bench format clean

build: bootstrap
	cmake --preset release >/dev/null
	cmake --build --preset release

demo: build
	tools/demo

test: bootstrap
	tools/test

# The tests alone, without sanitizers, fuzzers and installation: for use while working.
quick: build
	ctest --preset quick

# Which lines and branches of each folder the quick tests run.
coverage: bootstrap
	tools/coverage

# All that make test draws from, and what takes too long even for that: MPICH's and mpi4py's tests under libcrosswind-nbc,
# every allocation that could fail
test-long: bootstrap
	tools/test --long

bench: build
	bench/run

format:
	git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build

.PHONY: bootstrap
bootstrap:
	tools/bootstrap
