# The project's doors. Each is one command; what they do is in CMakeLists.txt, CMakePresets.json and tools/.
#   make demo     install the packages it needs, build, and show the main job on a sample fabric
#   make test     install, build with and without sanitizers, run every test
#   make build    build/release/crosswind
.PHONY: demo test build quick bench format clean

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

bench: build
	bench/run

format:
	git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build

.PHONY: bootstrap
bootstrap:
	tools/bootstrap
