# make lint: format, layers, cppcheck, clang-tidy. Each file leaves a stamp in
# build/lint/, and is looked at again only when it or a header of it changes.

LINT_C := $(LIB_SRC) $(CLI_SRC) $(TEST_SRC) $(PRELOAD_SRC) \
  $(sort $(wildcard fuzz/*.c bench/*.c))
LINT_H := $(sort $(shell find $(wildcard $(LIB_FOLDERS) cli tests fuzz bench \
  include) -name '*.h'))
LINT_STAMPS := $(patsubst %.c,build/lint/%.stamp,$(LINT_C))

.PHONY: lint lint-format lint-layers format
lint: lint-format lint-layers $(LINT_STAMPS)

lint-format:
	clang-format --dry-run --Werror $(LINT_C) $(LINT_H)

format:
	clang-format -i $(LINT_C) $(LINT_H)

lint-layers:
	tools/check_layers.sh

build/lint/%.stamp: %.c .clang-tidy tests/.clang-tidy tools/cppcheck.txt
	@mkdir -p $(@D)
	cppcheck --quiet --std=c11 --language=c --error-exitcode=1 \
	  --inline-suppr --enable=warning,performance,portability \
	  --suppressions-list=tools/cppcheck.txt -I. -Iinclude -I$(B)/gen $<
	clang-tidy --quiet --warnings-as-errors='*' $< -- -x c $(COMMON_FLAGS) \
	  2>$@.log || { cat $@.log >&2; exit 1; }
	@clang $(COMMON_FLAGS) -MM -MP -MT $@ -MF $@.d $<
	@touch $@

-include $(LINT_STAMPS:=.d)
