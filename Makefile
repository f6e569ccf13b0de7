# SPDX-License-Identifier: MIT
# Everything is built below build/; nothing here touches the network. `make help` lists the targets.
MAKEFLAGS += -rR
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

VERSION := 0.1.0
B := build

# Yours to set: CC=clang, V=1, profile=, width=, options=.
CC := gcc
HOST_CC ?= $(CC)
NASM := nasm
LD := ld
OBJCOPY := objcopy
profile ?= skylake
width ?= 64
options ?=
V ?= 0
ifeq ($V,0)
Q := @
say = @printf '  %-8s %s\n' '$1' '$2'
endif

REVISION := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

WARNINGS := -std=c11 -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes
DEPS = -MMD -MP

.PHONY: all help clean
all: kernel iso model ## build the kernel, the ISO and the model

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9 _-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

clean: ## remove what was built (the QEMU that ./bootstrap fetched stays)
	$Qrm -rf $(filter-out $B/toolchain $B/qemu-system-x86_64 $B/qemu-system-i386,$(wildcard $B/*))

# ---- code without a machine: links into the kernel, the host tests and the tools --------------------------------
PURE := $(wildcard report/*.c */*_decode.c) boot/options.c pebs/data_source.c ds/ds_area.c ds/ds_check.c ds/caps.c
PURE := $(sort $(wildcard $(PURE)))

# ---- kernel ---------------------------------------------------------------------------------------------------------
.PHONY: kernel
kernel: ## the kernel ELFs

# ---- UEFI loader and ISO --------------------------------------------------------------------------------------------
.PHONY: loader iso
loader:
iso: ## build/dstest86.iso

# ---- model ----------------------------------------------------------------------------------------------------------
.PHONY: model
model: ## build/dsmodel.so, the debug store as a QEMU plugin

# ---- host tests -----------------------------------------------------------------------------------------------------
.PHONY: host-test
host-test: ## decoders, options, checks and the model's engine, on the host

# ---- running it -----------------------------------------------------------------------------------------------------
.PHONY: run gdb test qemu-test bench
run: ## boot it in QEMU with the model: profile=NAME width=64 options="..."
gdb: ## QEMU stopped at the kernel's entry, gdb attached
qemu-test: ## boots on every route, with and without the model
test: ## host-test and qemu-test as one TAP stream
bench: ## the model's cost as ratios to plain QEMU

# ---- house keeping --------------------------------------------------------------------------------------------------
.PHONY: format check-format
format: ## clang-format every C file
	$Qclang-format -i $$(git ls-files '*.c' '*.h')
