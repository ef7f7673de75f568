# Builds the library, the command, the tests and the fuzz targets. Folders are
# listed, so adding a file edits nothing here; docs/design/registry.md has the
# convention that turns a folder into a table.
#
#   make MODE=release|debug|asan|tsan|cov      CC CFLAGS LDFLAGS PREFIX DESTDIR

MODE ?= release
PREFIX ?= /usr/local
DESTDIR ?=
CFLAGS ?=
LDFLAGS ?=
T ?=
F ?=
SECONDS ?= 60
V ?=

MODES := release debug asan tsan cov fuzz
ifeq ($(filter $(MODE),$(MODES)),)
$(error MODE is '$(MODE)', wanted one of $(MODES))
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VERSION := $(shell sed -n 's/^.define MW_VERSION "\(.*\)"/\1/p' \
                   include/meshwright/meshwright.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
B := build/$(MODE)

# ---- flags -----------------------------------------------------------------

ifeq ($(origin CC),default)
CC := $(if $(filter asan tsan fuzz,$(MODE)),clang,gcc)
endif

PACKAGES := ompi-c openblas sqlite3 hwloc cunit nettle zlib
ifeq ($(filter clean lint-format,$(MAKECMDGOALS)),)
MISSING := $(shell for p in $(PACKAGES); do \
             pkg-config --exists $$p 2>/dev/null || echo $$p; done)
ifneq ($(MISSING),)
$(error pkg-config does not find: $(MISSING); run tools/install_deps)
endif
endif

# Used where it is there.
CBC := $(shell pkg-config --exists cbc 2>/dev/null && echo cbc)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion \
  -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
  -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2 \
  -Wimplicit-fallthrough -Wdouble-promotion
# Messages are cut to their buffer on purpose, everywhere.
ifeq ($(findstring clang,$(CC)),)
WARNINGS += -Wno-format-truncation
endif
# Little optimization and a sanitizer's checks leave loops as they are.
ifneq ($(findstring clang,$(CC)),)
WARNINGS += $(if $(filter release,$(MODE)),,-Wno-pass-failed)
endif
ifneq ($(filter true,$(CI))$(filter 1,$(WERROR)),)
WARNINGS += -Werror
endif

# A null pointer plus 0 is what an empty block is.
SANITIZE := -fsanitize=address,undefined -fno-sanitize=pointer-overflow \
  -fno-sanitize-recover=all
FLAGS_release := -O3 -g
FLAGS_debug := -O1 -g
FLAGS_asan := -O1 -g -fno-omit-frame-pointer $(SANITIZE)
FLAGS_fuzz := -O1 -g -fno-omit-frame-pointer $(SANITIZE) \
  -fsanitize=fuzzer-no-link
FLAGS_tsan := -O1 -g -fsanitize=thread
FLAGS_cov := -O0 -g --coverage
MODE_FLAGS := $(FLAGS_$(MODE))

# A binary may run on another machine than the one that built it: the baseline
# is what every x86-64 server has, wider vectors come through target_clones.
ifeq ($(shell uname -m),x86_64)
MODE_FLAGS += -march=x86-64-v2
endif

PACKAGE_CFLAGS := $(patsubst -I%,-isystem %,\
  $(shell pkg-config --cflags $(PACKAGES) $(CBC) 2>/dev/null))
LIBS := $(shell pkg-config --libs $(filter-out cunit,$(PACKAGES)) 2>/dev/null) \
  $(if $(CBC),-lCbcSolver -lClp) -lglpk -ldl -lm -lpthread
TEST_LIBS := $(shell pkg-config --libs cunit 2>/dev/null)

COMMON_FLAGS := -std=c11 -D_GNU_SOURCE -I. -Iinclude -I$(B)/gen \
  $(PACKAGE_CFLAGS) $(MODE_FLAGS) -fPIC -fvisibility=hidden -fopenmp \
  -fno-math-errno -fno-trapping-math
# The lines are long: V=1 shows them.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1) $@')
COMPILE = $(CC) $(COMMON_FLAGS) -MMD -MP $(CFLAGS)
LINK = $(CC) $(MODE_FLAGS) -fopenmp $(CFLAGS) $(LDFLAGS)

# ---- what there is ---------------------------------------------------------

find_c = $(shell find $(wildcard $(1)) -name '*.c' | LC_ALL=C sort)
LIB_FOLDERS := base ir profiles search db runtime report api
LIB_SRC := $(filter-out $(if $(CBC),,search/solvers/cbc.c),\
  $(call find_c,$(LIB_FOLDERS)))
CLI_SRC := $(call find_c,cli)
TEST_SRC := $(sort $(wildcard tests/*.c))
FUZZ_SRC := $(sort $(wildcard fuzz/fuzz_*.c))
PRELOAD_SRC := $(sort $(wildcard tests/preload/*.c))
# bench/bench_NAME.c is a program; what benches share is tested too.
BENCH_SRC := $(sort $(wildcard bench/*.c))
BENCH_SHARED := $(filter-out bench/bench_%,$(BENCH_SRC))

to_obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call to_obj,$(LIB_SRC))
CLI_OBJ := $(call to_obj,$(CLI_SRC))
TEST_OBJ := $(call to_obj,$(TEST_SRC))
FUZZ_OBJ := $(call to_obj,$(FUZZ_SRC) fuzz/one.c)
BENCH_OBJ := $(call to_obj,$(BENCH_SHARED))
TEST_OBJ += $(call to_obj,fuzz/replay.c) $(BENCH_OBJ)

# $(call registry,GROUP,HEADER,PREFIX,TYPE,SYMBOL): the files PREFIX*.c, each
# exporting `const TYPE SYMBOL_NAME`, become SYMBOL_table and SYMBOL_count,
# which HEADER declares. Without the header nobody can ask for the table.
define registry
ifneq ($(wildcard $(2)),)
$(B)/gen/$(5)_table.c: FORCE tools/registry
	@mkdir -p $$(@D)
	@tools/registry $$@ $(2) $(3) $(4) $(5) \
	  $(filter $(3)%,$(LIB_SRC) $(CLI_SRC) $(TEST_SRC) $(FUZZ_SRC))
$(1)_OBJ += $(B)/gen/$(5)_table.o
endif
endef
$(eval $(call registry,LIB,ir/op.h,ir/ops/,mw_op_def,mw_op))
$(eval $(call registry,LIB,ir/model.h,ir/models/,mw_model_def,mw_model))
$(eval $(call registry,LIB,ir/optimizer.h,ir/optimizers/,mw_optimizer_def,mw_optimizer))
$(eval $(call registry,LIB,ir/loss.h,ir/losses/,mw_loss_def,mw_loss))
$(eval $(call registry,LIB,ir/import/onnx.h,ir/import/onnx/,mw_onnx_def,mw_onnx))
$(eval $(call registry,LIB,ir/import/stablehlo_call.h,ir/import/stablehlo/,mw_hlo_def,mw_hlo))
$(eval $(call registry,LIB,search/solver.h,search/solvers/,mw_solver_def,mw_solver))
$(eval $(call registry,LIB,runtime/kernel.h,runtime/kernels/,mw_kernel_def,mw_kernel))
$(eval $(call registry,LIB,report/format.h,report/formats/,mw_format_def,mw_format))
$(eval $(call registry,CLI,cli/command.h,cli/cmd_,mw_command,mw_command))
$(eval $(call registry,TEST,tests/test.h,tests/test_,mw_suite,mw_suite))
$(eval $(call registry,TEST,tests/test.h,tests/mpitest_,mw_suite,mw_mpi_suite))
$(eval $(call registry,FUZZ,fuzz/fuzz.h,fuzz/fuzz_,mw_fuzz_def,mw_fuzz))

STATIC := $(B)/libmeshwright.a
SHARED := $(B)/libmeshwright.so.$(SOVERSION)
COMMAND := $(B)/meshwright
RUNNER := $(B)/tests/runner
PRELOAD := $(patsubst tests/preload/%.c,$(B)/tests/%.so,$(PRELOAD_SRC))
ifeq ($(MODE),asan)
KEEP := $(B)/obj/tests/asan/keep_modules.o
endif
ALL_OBJ := $(KEEP) $(LIB_OBJ) $(CLI_OBJ) $(TEST_OBJ) $(FUZZ_OBJ) \
  $(call to_obj,$(filter bench/bench_%,$(BENCH_SRC))) \
  $(B)/obj/fuzz/libfuzzer.o

# The texts of profiles/machines/ are compiled in.
MACHINES := $(sort $(wildcard profiles/machines/*.json))
$(B)/gen/mw_machine_text_table.c: FORCE tools/embed
	@mkdir -p $(@D)
	@tools/embed $@ mw_machine_text $(MACHINES)
LIB_OBJ += $(B)/gen/mw_machine_text_table.o

# ---- library and command ---------------------------------------------------

.PHONY: all tests test check check-long demo fuzz golden operators install clean FORCE
all: $(STATIC) $(SHARED) $(B)/libmeshwright.so $(COMMAND)
	@[ "$$(readlink build/meshwright)" = $(MODE)/meshwright ] || \
	  ln -sfn $(MODE)/meshwright build/meshwright

# Rewritten only when the text changes, so that what depends on it is rebuilt
# exactly then.
define remember
	@mkdir -p $(@D)
	@echo '$(1)' | cmp -s - $@ || echo '$(1)' >$@
endef
$(B)/flags: FORCE
	$(call remember,$(COMPILE) $(WARNINGS) $(LINK) $(LIBS) $(TEST_LIBS))
$(B)/objects: FORCE
	$(call remember,$(ALL_OBJ))

$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(WARNINGS) -c $< -o $@

# Tiles multiply and add in one instruction.
$(B)/obj/runtime/conv_tile.o: COMPILE += -ffp-contract=fast
$(B)/obj/runtime/kernels/update.o: COMPILE += -fno-math-errno

$(B)/gen/%_table.o: $(B)/gen/%_table.c $(B)/flags
	$(call say,CC)
	$(Q)$(COMPILE) $(WARNINGS) -c $< -o $@

$(STATIC): $(LIB_OBJ) $(B)/objects
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

# A sanitizer's run-time symbols come from the command.
$(SHARED): $(LIB_OBJ) $(B)/objects api/export.map
	$(call say,LD)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) \
	  -Wl,--version-script=api/export.map \
	  $(if $(filter release debug,$(MODE)),-Wl$(comma)--no-undefined) \
	  $(LIB_OBJ) $(LIBS) -o $@
comma := ,

$(B)/libmeshwright.so: $(SHARED)
	@ln -sfn $(<F) $@

$(COMMAND): $(CLI_OBJ) $(KEEP) $(STATIC)
	$(call say,LD)
	$(Q)$(LINK) $(CLI_OBJ) $(KEEP) $(STATIC) $(LIBS) -o $@

# ---- tests -----------------------------------------------------------------

$(RUNNER): $(TEST_OBJ) $(FUZZ_OBJ) $(CLI_OBJ) $(KEEP) $(STATIC)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) $(TEST_OBJ) $(FUZZ_OBJ) $(filter-out %/cli/main.o,$(CLI_OBJ)) \
	  $(KEEP) $(STATIC) $(LIBS) $(TEST_LIBS) -o $@

$(B)/tests/%.so: tests/preload/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(WARNINGS) -shared $< -ldl -o $@

BENCHES := $(patsubst bench/%.c,$(B)/bench/%,$(filter bench/bench_%,\
  $(BENCH_SRC)))

tests: all $(RUNNER) $(PRELOAD) $(BENCHES)

# T=NAME runs the suites of that name only.
test: tests
	@MODE=$(MODE) tools/run_tests $(B) $(T)

check:
	@tools/check_all

check-long:
	@tools/check_all --long

demo: all
	@tools/run_demo

golden: all $(RUNNER)
	@MW_GOLDEN=rewrite $(RUNNER) golden

# The tables of docs/operators.md, from the registries and ONNX's node tests.
operators: all $(RUNNER)
	@tools/onnx_nodes
	@MW_GOLDEN=rewrite $(RUNNER) import_nodes import_docs

# ---- fuzzing ---------------------------------------------------------------

$(B)/fuzz/%: fuzz/fuzz_%.c $(FUZZ_OBJ) $(B)/obj/fuzz/libfuzzer.o $(STATIC)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) -fsanitize=fuzzer $(FUZZ_OBJ) $(B)/obj/fuzz/libfuzzer.o \
	  $(STATIC) $(LIBS) -o $@

# F=NAME fuzzes fuzz/fuzz_NAME.c for SECONDS.
fuzz:
	@[ -n "$(F)" ] || { echo "make fuzz: F is empty, wanted one of:" \
	  "$(patsubst fuzz/fuzz_%.c,%,$(FUZZ_SRC))" >&2; exit 2; }
	@$(MAKE) MODE=fuzz build/fuzz/fuzz/$(F)
	@tools/run_fuzz $(F) $(SECONDS)

# ---- lint ------------------------------------------------------------------

include tools/lint.mk

# ---- benches ---------------------------------------------------------------

$(B)/bench/%: $(B)/obj/bench/%.o $(BENCH_OBJ) $(STATIC)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) $< $(BENCH_OBJ) $(KEEP) $(STATIC) $(LIBS) -o $@

# CASES names other files of the kind.
CASES ?= $(sort $(wildcard $(or $(MW_SHARED),../shared)/auto_mtf/*.json))
.PHONY: bench-auto-mtf
bench-auto-mtf: $(B)/bench/bench_auto_mtf
	@$< $(CASES)

# QUICK=1 takes minutes; a full run takes hours and resumes.
.PHONY: bench-search
bench-search: all
	@bench/bench_search

# PLANS names some of the cases, by the beginning of their names.
.PHONY: bench-plan
bench-plan: $(B)/bench/bench_plan
	@$< $(PLANS)

# Every bench/runtime_NAME beside its peers, in turns; BENCH names some of them.
# `make bench-runtime BENCH=gpt ROUNDS=5`
.PHONY: bench-runtime
bench-runtime: all $(BENCHES)
	@bench/bench_runtime $(BENCH)

# One of them: bench-runtime-gpt, bench-runtime-resnet, bench-runtime-collectives
# (RANKS names other numbers), bench-runtime-netcluster (as root).
bench-runtime-%: all $(BENCHES)
	@bench/bench_runtime $*

# ---- install ---------------------------------------------------------------

# The manual's commands and options are the command's own.
$(B)/meshwright.1: docs/meshwright.1.in $(COMMAND)
	@$(COMMAND) help --man >$@.commands
	@$(COMMAND) ops --man >$@.ops
	@sed -e 's/@VERSION@/$(VERSION)/' -e '/@COMMANDS@/{r $@.commands' \
	  -e 'd}' -e '/@OPS@/{r $@.ops' -e 'd}' $< >$@

install: all $(B)/meshwright.1
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig \
	  $(DESTDIR)$(PREFIX)/include/meshwright \
	  $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(COMMAND) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(STATIC) $(SHARED) $(DESTDIR)$(PREFIX)/lib/
	ln -sfn $(notdir $(SHARED)) $(DESTDIR)$(PREFIX)/lib/libmeshwright.so
	install -m 644 include/meshwright/meshwright.h \
	  $(DESTDIR)$(PREFIX)/include/meshwright/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	  -e 's|@LIBS@|$(LIBS) -fopenmp|' meshwright.pc.in \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/meshwright.pc
	install -m 644 $(B)/meshwright.1 $(DESTDIR)$(PREFIX)/share/man/man1/

clean:
	rm -rf build

FORCE:
-include $(patsubst %.o,%.d,$(ALL_OBJ))
