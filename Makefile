# The commands of this project; `make help` lists them. Build folders are those of CMakePresets.json, under build/.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
FILTER ?=
UPDATE ?=
FUZZ_SECONDS ?= 60
export CCACHE_BASEDIR := $(CURDIR)

.DEFAULT_GOAL := help
.PHONY: help build demo test test-gpu bench fuzz asan coverage tidy install check format clean packages-build

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/:[^#]*## /\t/' | expand -t 12

packages-build:
	@tools/install_packages.sh build

build: packages-build ## The compiler: build/release/carry
	@tools/build.sh release carry

demo: ## Install what is missing, compile two real shaders to three targets, run them in five ways
	@tools/install_packages.sh build run
	@tools/build.sh release carry
	@demo/demo.py

test: ## All checks and tests (UPDATE=1 rewrites expected texts, FILTER=text picks tests)
	@tools/install_packages.sh build run test
	@tools/build.sh release carry carry-ir
	@tools/build.sh debug all carry_bench
	@tests/executors/setup.sh
	@tests/runner/run.py $(if $(UPDATE),--update) $(if $(FILTER),--filter '$(FILTER)')

test-gpu: ## The execution tests on this machine's own Vulkan driver
	@tools/install_packages.sh build run
	@tools/build.sh release carry
	@tests/executors/setup.sh
	@tests/runner/run.py --gpu $(if $(FILTER),--filter '$(FILTER)')

bench: ## Cold start beside glslangValidator, bytes per second of each stage
	@tools/install_packages.sh build bench
	@tools/build.sh release carry carry_bench
	@tests/bench/bench.py

fuzz: ## Each fuzzer for FUZZ_SECONDS (60)
	@tools/install_packages.sh build fuzz
	@tools/build.sh fuzz carry_fuzzers
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

asan: ## Unit, pass, golden and executor tests with the sanitizers
	@tools/install_packages.sh build test
	@tools/build.sh asan all
	@tests/runner/run.py --build build/asan --tests-from build/asan --no-devices $(if $(FILTER),--filter '$(FILTER)')

coverage: ## Lines that the unit and text tests reach: build/coverage
	@tools/build.sh coverage all
	@tests/runner/run.py --build build/coverage --tests-from build/coverage --no-devices
	@cd build/coverage && find . -name '*.gcda' | xargs gcov -n 2>/dev/null | grep -A1 "^File.*src/" | paste - - - | sort >lines.txt; tail -n 3 lines.txt

tidy: ## clang-tidy over src
	@tools/install_packages.sh tidy
	@tools/build.sh debug carry_core
	@find src tools -name '*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-14 -p build/debug --quiet

check: ## The static checks alone
	@tools/check/all

format: ## clang-format over all sources
	@git ls-files 'src/*.cpp' 'src/*.h' 'tools/*.cpp' 'tools/*.h' 'tests/*.cpp' 'tests/*.h' | xargs clang-format-14 -i

install: build ## Install under PREFIX (/usr/local)
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)' >/dev/null
	@echo "installed $(DESTDIR)$(PREFIX)/bin/carry, its library and headers"

clean: ## Remove build/ (not .tools/)
	rm -rf build
