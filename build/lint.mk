# SPDX-License-Identifier: Apache-2.0
# Checks of the source; each is silent on success. Cheap ones come first.

C_FILES := $(patsubst $(srcdir)/%,%,$(sort $(shell find \
	$(foreach part,libcache libfs mod_repo tools tests,$(srcdir)/$(part)) \
	-name '*.[ch]' -type f 2>/dev/null)))
SHELL_FILES := $(shell cd $(srcdir) && grep -lE '^\#!/bin/(ba)?sh' configure \
	.ci/* build/* $$(find tests docs -type f -not -name '*.[ch]' \
	-not -path '*/corpus/*' 2>/dev/null) 2>/dev/null)
TIDY := $(patsubst %.o,lint/%.tidy,$(filter-out tests/%,$(ALL_OBJ)))

.PHONY: lint lint-layers lint-headers lint-format lint-shell lint-cppcheck \
	lint-tidy
lint: lint-layers lint-headers lint-format lint-shell lint-cppcheck lint-tidy

lint-layers:
	@$(srcdir)/build/check-layers $(srcdir)

lint-headers: PART_FLAGS = $(HTTPD_FLAGS) $(CMOCKA_FLAGS) $(SERF_FLAGS)
lint-headers: config.h
	@cd $(srcdir) && printf '%s\n' $(filter %.h,$(C_FILES)) | \
		build/check-headers \
		$(CC) $(BASE_CPPFLAGS) $(subst -include config.h,\
		-include '$(CURDIR)/config.h',$(INCLUDES)) $(CPPFLAGS) \
		$(BASE_CFLAGS)

lint-format:
	@cd $(srcdir) && ! clang-format --dry-run -Werror $(C_FILES) 2>&1 | \
		awk -F: '/: error: / && !seen[$$1]++ { print $$1 ": is not as" \
			" clang-format -i leaves it" }' | grep .

lint-shell:
	@cd $(srcdir) && shellcheck -x $(SHELL_FILES)

lint-cppcheck: config.h
	@mkdir -p lint/cppcheck
	@cd $(srcdir) && cppcheck --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		--suppressions-list=build/cppcheck.supp -j 2 \
		--cppcheck-build-dir='$(CURDIR)/lint/cppcheck' -I . \
		--include='$(CURDIR)/config.h' -D_GNU_SOURCE -D__GNUC__ \
		'-DAP_DECLARE(type)=type' '-DAP_CORE_DECLARE(type)=type' \
		$(filter %.c,$(C_FILES))

# A file is checked again after it or one of its headers changed: then its
# object is newer too.
lint-tidy: $(TIDY)
$(TIDY): PART_FLAGS = $(HTTPD_FLAGS) $(SERF_FLAGS)
# error.c defines what analyzer.h puts a macro over.
$(filter-out lint/libfs/base/error.tidy,$(TIDY)): \
	ANALYZER_FLAGS = -include $(srcdir)/build/analyzer.h
$(TIDY): lint/%.tidy: $(srcdir)/%.c %.o $(srcdir)/.clang-tidy \
		$(srcdir)/build/analyzer.h
	@mkdir -p $(@D)
	@clang-tidy --quiet --warnings-as-errors='*' $< -- $(BASE_CPPFLAGS) \
		$(INCLUDES) $(ANALYZER_FLAGS) $(CPPFLAGS) -std=c11 >$@.log 2>$@.err || \
		{ cat $@.log $@.err; exit 1; }
	@rm -f $@.err $@.log
	@touch $@
