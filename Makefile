# SPDX-License-Identifier: MIT
# Each goal first installs the Debian packages that are missing (see cmake/packages.txt).
#
#   make          build/heddle, build/libheddle.a, build/libheddle.so
#   make demo     build, knit, relax and stretch a swatch (scenes/demo.yaml), say where the results are
#   make test     every check and every test
#   make lint     the checks alone: layout, format, static analysis
#   make format   rewrite C files as .clang-format says
#   make fuzz     fuzz every parser for FUZZ_SECONDS each (default 600)
#   make clean    remove build/ and out/

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 600
export JOBS

.PHONY: all demo test lint format fuzz clean packages test-packages web
all: packages web
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS)

# The viewer's page. Without Node or the network the program is built without it, and says so.
web: packages
	@tools/build-web || [ $$? -eq 3 ]

packages:
	@tools/install-packages build run

test-packages:
	@tools/install-packages

demo: all
	@tools/demo

test: test-packages
	@tools/test

lint: test-packages
	@tools/test lint format cppcheck tidy

format: test-packages
	@tools/format

fuzz: test-packages
	@tools/fuzz $(FUZZ_SECONDS)

clean:
	rm -rf build out
