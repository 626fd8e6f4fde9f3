# SPDX-License-Identifier: Apache-2.0
# Rules of the build (GNU make). A folder's .c files are its sources; objects
# mirror the source tree below the build folder.

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:

# Names instead of commands; "make V=1" shows these, "make -s" neither.
ifeq ($(SILENT)$(V)$(findstring s,$(firstword -$(MAKEFLAGS))),yes)
say = @echo '  $1 $@';
else
say =
endif

# sources FOLDER: the .c files in it and below, as paths from the root.
sources = $(patsubst $(srcdir)/%,%,$(sort \
	$(shell find $(srcdir)/$1 -name '*.c' -type f 2>/dev/null)))
objects = $(patsubst %.c,%.o,$(call sources,$1))

# --- what there is to build ----------------------------------------------

LIBCACHE_OBJ := $(call objects,libcache)
LIBFS_OBJ := $(call objects,libfs)
MODULE_OBJ := $(call objects,mod_repo)
SUPPORT_OBJ := $(filter-out tests/support/fuzz_replay.o,\
	$(call objects,tests/support))
UNIT_OBJ := $(filter %_test.o,$(call objects,tests/unit))
FUZZ_OBJ := $(filter %_fuzz.o,$(call objects,tests/fuzz))
PROGRAM_OBJ := $(call objects,tests/programs)
TOOLS := $(patsubst $(srcdir)/tools/%/main.c,%,\
	$(wildcard $(srcdir)/tools/*/main.c))
ifeq ($(HAVE_SERF),0)
TOOLS := $(filter-out repobench,$(TOOLS))
endif
TOOL_OBJ := $(foreach tool,$(TOOLS),$(call objects,tools/$(tool)))

ARCHIVES := libfs/libfs.a libcache/libcache.a
# Without its main file the module is a pile of parts.
MODULE := $(if $(filter mod_repo/mod_repo.o,$(MODULE_OBJ)),\
	mod_repo/mod_repo.so)
TOOL_BIN := $(foreach tool,$(TOOLS),tools/$(tool)/$(tool))
ifeq ($(HAVE_CMOCKA),1)
UNIT_BIN := $(patsubst %.o,%,$(UNIT_OBJ))
else
UNIT_BIN :=
SUPPORT_OBJ := $(filter-out tests/support/unit.o,$(SUPPORT_OBJ))
endif
FUZZ_BIN := $(patsubst %.o,%,$(FUZZ_OBJ))
PROGRAM_BIN := $(patsubst %.o,%,$(PROGRAM_OBJ))
ALL_OBJ := $(LIBCACHE_OBJ) $(LIBFS_OBJ) $(MODULE_OBJ) $(TOOL_OBJ) \
	$(SUPPORT_OBJ) $(UNIT_OBJ) $(FUZZ_OBJ) $(PROGRAM_OBJ) \
	tests/support/fuzz_replay.o

.PHONY: all check check-unit check-fuzz check-system bench soak install clean \
	distclean tests
all: $(ARCHIVES) $(MODULE_OBJ) $(MODULE) $(TOOL_BIN)
tests: $(UNIT_BIN) $(FUZZ_BIN) $(PROGRAM_BIN)

Makefile: $(srcdir)/Makefile.in $(srcdir)/configure $(srcdir)/build/configure.sh
	./config.status >/dev/null

# --- objects --------------------------------------------------------------

# libfs and tools do not see the headers of httpd.
HTTPD_OBJ := $(MODULE_OBJ) $(filter tests/%,$(ALL_OBJ))
$(HTTPD_OBJ): PART_FLAGS = $(HTTPD_FLAGS) $(CMOCKA_FLAGS)
$(filter tools/%,$(ALL_OBJ)): PART_FLAGS = $(SERF_FLAGS)

INCLUDES = -I$(srcdir) -I. -include config.h $(PART_FLAGS) $(APR_FLAGS) $(LIB_FLAGS)
COMPILE = $(CC) $(BASE_CPPFLAGS) $(INCLUDES) $(CPPFLAGS) $(BASE_CFLAGS) \
	$(CFLAGS)

$(ALL_OBJ): %.o: $(srcdir)/%.c config.h
	@mkdir -p $(@D)
	$(call say,CC  )$(COMPILE) -MMD -MP -c -o $@ $<

config.h:
	./config.status >/dev/null

-include $(wildcard $(ALL_OBJ:.o=.d))

# --- archives, module, tools ------------------------------------------------

# list_of FILE,WORDS: keep the words in a file whose time changes with them, so
# that what is linked from a list notices a source that went away.
list_of = $(shell mkdir -p $(dir $1); echo '$2' | cmp -s - $1 || \
	echo '$2' >$1)$1

libfs/libfs.a: $(call list_of,libfs/.objects,$(LIBFS_OBJ)) $(LIBFS_OBJ)
libcache/libcache.a: \
		$(call list_of,libcache/.objects,$(LIBCACHE_OBJ)) $(LIBCACHE_OBJ)
tests/support/libsupport.a: \
		$(call list_of,tests/support/.objects,$(SUPPORT_OBJ)) $(SUPPORT_OBJ)
%.a:
	@rm -f $@
	$(call say,AR  )ar rcs $@ $(filter %.o,$^)

LINK = $(CC) $(BASE_LDFLAGS) $(CFLAGS) $(LDFLAGS)
ALL_LIBS = $(LIB_LIBS) $(APR_LIBS) $(LIBS)

# The symbols of httpd are found when it loads the module; ours must be there
# now, and nothing but module records may leave.
mod_repo/mod_repo.so: $(call list_of,mod_repo/.objects,$(MODULE_OBJ)) \
		$(MODULE_OBJ) $(ARCHIVES) $(srcdir)/build/check-symbols
	$(call say,LINK)$(LINK) -shared -Wl,-z,relro,-z,now,--as-needed,--exclude-libs,ALL \
		-o $@ $(MODULE_OBJ) $(ARCHIVES) $(ALL_LIBS)
	@$(srcdir)/build/check-symbols $@

define tool_rule
tools/$1/$1: $$(call list_of,tools/$1/.objects,$$(call objects,tools/$1)) \
		$$(call objects,tools/$1) $$(ARCHIVES)
	$$(call say,LINK)$$(LINK) -o $$@ $$(filter %.o,$$^) $$(ARCHIVES) \
		$(if $(filter repobench,$1),$$(SERF_LIBS)) $$(ALL_LIBS)
endef
$(foreach tool,$(TOOLS),$(eval $(call tool_rule,$(tool))))

# --- tests ----------------------------------------------------------------

# A test of a part of the module names the objects it needs in a comment,
# "/* link: mod_repo/uri/uri.o */"; several names are separated by spaces.
ifneq ($(UNIT_BIN)$(FUZZ_BIN),)
$(shell mkdir -p tests && cd $(srcdir) && \
	grep -Ho '^/\* link: .* \*/' $(UNIT_BIN:=.c) $(FUZZ_BIN:=.c) | \
	sed 's|^\([^:]*\)\.c:/\* link: \(.*\) \*/$$|\1: \2|' \
	>$(CURDIR)/tests/links.mk)
include tests/links.mk
tests/links.mk: ;
endif

TEST_ARCHIVES := tests/support/libsupport.a $(ARCHIVES)

$(UNIT_BIN): %: %.o $(TEST_ARCHIVES)
	$(call say,LINK)$(LINK) -o $@ $(filter %.o,$^) $(TEST_ARCHIVES) $(CMOCKA_LIBS) $(ALL_LIBS)

# With a fuzzing engine each target is a fuzzer of its own; without one it
# replays the files it is given.
ifeq ($(FUZZ),yes)
FUZZ_MAIN :=
else
FUZZ_MAIN := tests/support/fuzz_replay.o
endif
$(FUZZ_BIN): %: %.o $(FUZZ_MAIN) $(TEST_ARCHIVES)
	$(call say,LINK)$(LINK) $(FUZZ_LDFLAGS) -o $@ $(filter %.o,$^) $(TEST_ARCHIVES) $(ALL_LIBS)

# What system tests run besides servers.
$(PROGRAM_BIN): %: %.o $(ARCHIVES)
	$(call say,LINK)$(LINK) -o $@ $(filter %.o,$^) $(ARCHIVES) $(ALL_LIBS)

SYSTEM_TESTS := $(shell find $(srcdir)/tests/system -name 'test_*.py' \
	2>/dev/null)
STRESS_TESTS := $(shell find $(srcdir)/tests/stress -name 'test_*.py' \
	2>/dev/null)
# More arguments for pytest, such as "-k log -x".
PYTEST_ARGS =
PLACES = MOD_REPO_BUILD='$(CURDIR)' MOD_REPO_SOURCE='$(srcdir)'
PYTEST = $(PLACES) \
	MOD_REPO_SANITIZER_PRELOAD='$(SANITIZER_PRELOAD)' \
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest \
	-o cache_dir='$(CURDIR)/tests/.pytest_cache' $(PYTEST_ARGS)

# With "make -k" a test that does not compile keeps no other from running.
KEEP_GOING = $(findstring k,$(firstword -$(MAKEFLAGS)))

# One after the other: they build the same archives.
check:
	@+status=0; for part in unit fuzz system; do \
		$(MAKE) --no-print-directory check-$$part || status=1; \
		test $$status = 0 || test -n '$(KEEP_GOING)' || exit 1; \
	done; exit $$status

.PHONY: unit-programs
unit-programs: $(UNIT_BIN)
	@:

check-unit:
	@+$(MAKE) --no-print-directory unit-programs $(if $(KEEP_GOING),|| :,)
	@$(PLACES) $(srcdir)/build/run-tests unit $(UNIT_BIN)

# An engine gets the corpus without going on from it.
check-fuzz: $(FUZZ_BIN)
	@$(PLACES) RUN_FLAGS=$(if $(FUZZ_LDFLAGS),-runs=0) \
		$(srcdir)/build/run-tests corpus $(foreach target,$(FUZZ_BIN),\
		$(target):$(srcdir)/tests/fuzz/corpus/$(notdir \
		$(target:_fuzz=)))

check-system: all $(PROGRAM_BIN)
ifneq ($(SYSTEM_TESTS),)
	@$(PYTEST) $(srcdir)/tests/system
else
	@echo 'system: no tests'
endif

# Campaigns that take longer than a check may.
SOAK_FUZZ_SECONDS = 600
soak: all $(FUZZ_BIN)
ifeq ($(FUZZ),yes)
	@for target in $(FUZZ_BIN); do \
		name=$${target##*/}; mkdir -p tests/fuzz/found/$$name; \
		./$$target -max_total_time=$(SOAK_FUZZ_SECONDS) -timeout=10 \
			tests/fuzz/found/$$name \
			$(srcdir)/tests/fuzz/corpus/$${name%_fuzz} || exit 1; \
	done
endif
ifneq ($(STRESS_TESTS),)
	@$(PYTEST) $(srcdir)/tests/stress
	@MOD_REPO_TEST_COMMITS=400 MOD_REPO_TEST_SECONDS=120 \
		MOD_REPO_TEST_STRIDE=1 MOD_REPO_TEST_STATES=2000 $(PYTEST) \
		$(srcdir)/tests/system/test_write_histories.py \
		$(srcdir)/tests/system/test_write_together.py \
		$(srcdir)/tests/system/test_faults.py
else
	@echo 'soak: no stress tests'
endif

# Compares with mod_dav_svn; prints ratios.
bench: all
	@test -x $(srcdir)/tests/bench/run || \
		{ echo 'bench: tests/bench/run is not there' >&2; exit 1; }
	@$(PLACES) $(srcdir)/tests/bench/run $(BENCH_ARGS)

include $(srcdir)/build/lint.mk

# --- install, clean -----------------------------------------------------------

install: all
	@test -n '$(MODULE)$(TOOL_BIN)' || \
		{ echo 'install: nothing was built' >&2; exit 1; }
ifneq ($(MODULE),)
	install -d '$(DESTDIR)$(moduledir)'
	install -m 644 $(MODULE) '$(DESTDIR)$(moduledir)'
endif
ifneq ($(TOOL_BIN),)
	install -d '$(DESTDIR)$(bindir)'
	install -m 755 $(TOOL_BIN) '$(DESTDIR)$(bindir)'
endif

clean:
	rm -f $(ALL_OBJ) $(ALL_OBJ:.o=.d) $(ALL_OBJ:.o=.gcda) $(ALL_OBJ:.o=.gcno)
	rm -f $(ARCHIVES) tests/support/libsupport.a $(MODULE) $(TOOL_BIN)
	rm -f $(UNIT_BIN) $(UNIT_BIN:=.log) $(FUZZ_BIN) $(FUZZ_BIN:=.log)
	rm -f $(PROGRAM_BIN)
	rm -f $(addsuffix /.objects,libfs libcache mod_repo tests/support \
		$(TOOLS:%=tools/%)) tests/links.mk
	rm -rf lint tests/.pytest_cache

distclean: clean
	rm -f config.h config.log config.status Makefile
