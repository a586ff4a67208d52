# gait. Targets: all check check-all fuzz demo bench format format-check tidy man install deb clean.
# MODE=rel (default) | dbg (ASan+UBSan) | tsan | cov. DEV=1 makes warnings errors.

MODE   ?= rel
PREFIX ?= /usr/local
CC     ?= gcc
O      := o/$(MODE)
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DEFAULT_GOAL := all

include layers.mk

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wwrite-strings -Wstrict-prototypes \
        -Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wcast-align -Wcast-qual \
        -Wconversion -Wsign-conversion -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough \
        -Wnull-dereference -Wframe-larger-than=16384
ifdef DEV
WARN += -Werror
endif
MODE_rel  := -O2 -g1
MODE_dbg  := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
        -Wno-frame-larger-than # checks of variables make frames larger
MODE_tsan := -O1 -g -fsanitize=thread
MODE_cov  := -O0 -g --coverage
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -Isrc $(WARN) -MMD -MP
TOOL_FLAGS := $(BASE_FLAGS) $(MODE_$(MODE)) -pthread
# The agent runs on other people's stacks with their vector registers live: no vector code, no
# canaries, no imports. Sanitizers cannot run there; its freestanding folders are tested in the tool.
AGENT_FLAGS := $(BASE_FLAGS) -O2 -g1 -fPIC -fvisibility=hidden -ftls-model=initial-exec \
        -fno-stack-protector -fcf-protection=none -fno-tree-loop-distribute-patterns
CORE_FLAGS  := $(AGENT_FLAGS) -mgeneral-regs-only -ffreestanding
comma := ,
# Loading libstdc++, of which only the demangler is used, is a third of the tool's start.
STDCXX_rel := $(if $(wildcard $(shell $(CC) -print-file-name=libstdc++.a)),-static-libgcc \
        -Wl$(comma)-Bstatic -lstdc++ -Wl$(comma)-Bdynamic)
LIBS := -lZydis -lZycore -lelf -lzstd -lz $(or $(STDCXX_$(MODE)),-lstdc++) -lm -pthread

TOOL_LAYERS  := $(filter-out $(AGENT_ONLY) cmd,$(LAYERS))
CORE_LAYERS  := $(FREESTANDING) $(filter-out shim,$(AGENT_ONLY))
# Folders inside of a layer's own, unless they are layers themselves.
rooms         = $(filter-out $(LAYERS),$(patsubst src/%/,%,$(wildcard src/$1/*/)))
srcs          = $(foreach f,$1 $(call rooms,$1),$(wildcard src/$f/*.c))
closure       = $(sort $1 $(foreach u,$(USES_$1),$(call closure,$u)))
archives      = $(foreach l,$(filter-out $(AGENT_ONLY) $(GROUPS),$1),$O/lib/$l.a)
in_group      = -Wl,--start-group $1 -Wl,--end-group

all: $O/gait $O/libgait.so

# ---- the tool
define layer_rules
$O/lib/$1.a: $(patsubst src/%.c,$O/tool/%.o,$(call srcs,$1))
	@mkdir -p $$(@D) && rm -f $$@ && ar rcsD $$@ $$^
endef
$(foreach l,$(TOOL_LAYERS),$(eval $(call layer_rules,$l)))
CMD_OBJS := $(patsubst src/%.c,$O/tool/%.o,$(call srcs,cmd))

# Cores are text, embedded in the tool.
$O/tool/model/core/model.o: $(wildcard cores/*.core)
# So is the front end, its modules as one script.
UI_SCRIPT := $O/ui/app.js
$(UI_SCRIPT): $(wildcard ui/*.js ui/*/*.js) tools/bundle-ui
	@mkdir -p $(@D)
	@tools/bundle-ui ui main.js >$@ || { rm -f $@; exit 1; }
$O/tool/serve/assets.o: $(UI_SCRIPT) ui/index.html ui/style.css ui/questions.txt
$O/tool/serve/assets.o: TOOL_FLAGS += -DUI_SCRIPT='"$(UI_SCRIPT)"'
# Walks run on live vector registers in the tests too.
$O/tool/walk/%.o $O/tool/x86/%.o: TOOL_FLAGS += -mgeneral-regs-only -mstringop-strategy=rep_byte
$O/tool/%.o: src/%.c | deps
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -c -o $@ $<
$O/gait: $(CMD_OBJS) $(call archives,$(TOOL_LAYERS))
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $(CMD_OBJS) $(call in_group,$(call archives,$(TOOL_LAYERS))) $(LIBS)

# ---- the agent: core objects linked first into one, so that its imports can be seen
CORE_OBJS := $(foreach l,$(CORE_LAYERS),$(patsubst src/%.c,$O/agent/%.o,$(call srcs,$l)))
SHIM_OBJS := $(patsubst src/%.c,$O/agent/%.o,$(call srcs,shim))

$O/agent/shim/%.o: src/shim/%.c | deps
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(AGENT_FLAGS) -c -o $@ $<
$O/agent/%.o: src/%.c | deps
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(CORE_FLAGS) -c -o $@ $<
$O/agent/core.o: $(CORE_OBJS)
	@ld -r -o $@ $^
	@tools/check-imports $@
# The same for processes that did not load it: an image that needs no loader, embedded in the tool.
$O/agent/core.so: $O/agent/core.o
	@$(CC) -shared -nostdlib -s -o $@ $< -Wl,-e,attach_enter -Wl,-z,defs -Wl,-z,noexecstack -Wl,-z,norelro \
	    -Wl,-z,separate-code -Wl,--build-id=none
	@tools/check-image $@
$O/tool/collect/target/core_image.o: $O/agent/core.so
$O/tool/collect/target/core_image.o: TOOL_FLAGS += -DCORE_IMAGE='"$O/agent/core.so"'
$O/libgait.so: $O/agent/core.o $(SHIM_OBJS)
	@echo "  $@" && $(CC) -shared -o $@ $^ -Wl,-z,defs -Wl,-z,now -Wl,-z,noexecstack -Wl,-soname,libgait.so

# ---- tests
UNIT_SRCS := $(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
UNIT_BINS := $(patsubst tests/%.c,$O/%,$(UNIT_SRCS))
PROG_SRCS := $(filter-out tests/programs/plugs/%,$(wildcard tests/programs/*.c* tests/programs/*/*.c*))
PROG_BINS := $(addprefix $O/programs/,$(basename $(notdir $(PROG_SRCS))))
PLUGS     := $(patsubst tests/programs/%.c,$O/programs/%.so,$(wildcard tests/programs/plugs/*.c))
TRUTH     := $(sort $(wildcard $(foreach room,truth harm lab live views exports golden,tests/$(room)/*.sh) tests/ui/*.py))

# Tests are not optimised, which takes a third of the time to compile; what they test is. But
# tests of these folders take themselves for the program whose code is read.
READ_THEMSELVES := paths program walk
unit_flags = $(if $(filter $(READ_THEMSELVES),$1),$(TOOL_FLAGS),$(patsubst -O2,-O0,$(TOOL_FLAGS)) -Wno-frame-larger-than)
# libdw is the oracle of tests that unwind.
define unit_rule
$O/unit/$1/%: tests/unit/$1/%.c $(call archives,$(call closure,$1))
	@mkdir -p $$(@D)
	@echo "  $$@" && $(CC) $(call unit_flags,$1) -o $$@ $$< $(call in_group,$(call archives,$(call closure,$1))) -lcmocka -ldw $(LIBS)
endef
$(foreach l,$(TOOL_LAYERS) $(GROUPS),$(eval $(call unit_rule,$l)))
# The agent is tested as it is built for the program: freestanding, never sanitized.
$O/unit/agent/%: tests/unit/agent/%.c $(CORE_OBJS)
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(filter-out -fsanitize=%,$(TOOL_FLAGS)) -o $@ $< $(CORE_OBJS) -lcmocka
# fuzz_FOLDER[_WHAT].c: its stored corpus is replayed like a unit test; `make fuzz` looks for more.
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 120
UNIT_BINS += $(FUZZ:%=$O/fuzz/replay_%)
define fuzz_rules
$O/fuzz/replay_$1: tests/fuzz/fuzz_$1.c tests/fuzz/replay.c $(call archives,$(call FUZZ_CLOSURE,$2))
	@mkdir -p $$(@D)
	@echo "  $$@" && $(CC) $(TOOL_FLAGS) -DCORPUS='"tests/fuzz/corpus/$1"' -o $$@ tests/fuzz/fuzz_$1.c tests/fuzz/replay.c \
	    $(call in_group,$(call archives,$(call FUZZ_CLOSURE,$2))) $(LIBS)
$O/fuzz/seed_$1: tests/fuzz/seed_$1.c $(call archives,$(call FUZZ_CLOSURE,$2))
	@mkdir -p $$(@D)
	@echo "  $$@" && $(CC) $(TOOL_FLAGS) -o $$@ $$< $(call in_group,$(call archives,$(call FUZZ_CLOSURE,$2))) -lcmocka $(LIBS)
o/fuzz/fuzz_$1: tests/fuzz/fuzz_$1.c $(foreach l,$(call FUZZ_CLOSURE,$2),$(call srcs,$l))
	@mkdir -p $$(@D)
	@echo "  $$@" && clang $(filter-out -MMD -MP,$(BASE_FLAGS)) -O1 -g -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all -o $$@ $$^ $(LIBS)
endef
# Those that need a profile read it from a file.
FUZZ_CLOSURE = $(sort $(call closure,$1) $(if $(filter profile,$(call closure,$1)),$(call closure,profile/file)))
$(foreach f,$(FUZZ),$(eval $(call fuzz_rules,$f,$(firstword $(subst _, ,$f)))))
# Findings stay in o/fuzz; new inputs are kept there too, not in the stored corpus.
fuzz: $(FUZZ:%=o/fuzz/fuzz_%)
	@for f in $(FUZZ); do mkdir -p o/fuzz/found/$$f && o/fuzz/fuzz_$$f -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -artifact_prefix=o/fuzz/$$f- o/fuzz/found/$$f tests/fuzz/corpus/$$f || exit 1; done
# Odd requests to the server of gait view, with sanitizers.
fuzz-serve:
	$(MAKE) MODE=dbg all o/dbg/programs/orders
	tests/fuzz/serve.py o/dbg $(FUZZ_SECONDS)
# Test programs are what users build: optimised, with lines, nothing of ours inside. "link: FLAGS" in a source adds to them.
PROG_FLAGS = -O2 -g -D_GNU_SOURCE -pthread
prog_links = $(shell sed -n 's/^.*link: *\([^*]*\).*/\1/p' $1)
define program_rule
$O/programs/$(basename $(notdir $1)): $1 | deps
	@mkdir -p $$(@D)
	@$(if $(filter %.cc,$1),g++,gcc) $$(PROG_FLAGS) -o $$@ $$< $$(call prog_links,$$<)
endef
$(foreach s,$(PROG_SRCS),$(eval $(call program_rule,$s)))
$O/programs/plugs/%.so: tests/programs/plugs/%.c | deps
	@mkdir -p $(@D)
	@gcc $(PROG_FLAGS) -fPIC -shared -o $@ $<

# A walk held to a native twin that is stepped by ptrace.
STEP_CORE := $(foreach l,$(FREESTANDING),$(patsubst src/%.c,$O/agent/%.o,$(call srcs,$l)))
$O/step/libstep.so: tests/truth/step/walker.c $(STEP_CORE)
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(filter-out -ffreestanding,$(CORE_FLAGS)) -shared -o $@ $(filter %.c %.o,$^) -Wl,-z,defs -Wl,-z,now
$O/step/driver: $(wildcard tests/truth/step/[!w]*.c) $(wildcard tests/truth/step/*.h)
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $(filter %.c,$^) -lZydis -lZycore
steps: $O/step/driver $O/step/libstep.so

# As many at once as there are processors, unless who calls has said how many.
BUILD = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

check: deps
	-@tools/deps check
	tools/check-layers
	tools/check-house
	tools/check-headers $(O)
	+$(BUILD) DEV=1 all units programs steps
	@tools/run-tests $(O) $(UNIT_BINS) $(TRUTH)
units: $(UNIT_BINS)
programs: $(PROG_BINS) $(PLUGS)
check-units: units
	@tools/run-tests $(O) $(UNIT_BINS)
# Long tests alone. ROUNDS: runs a program and mode. ONLY: names of programs or suites.
ROUNDS ?= 20
check-harm: all programs
	GAIT_LONG=1 GAIT_OUT=$(O) ROUNDS=$(ROUNDS) tests/harm/harm.sh $(ONLY)
check-suites: all
	GAIT_LONG=1 GAIT_OUT=$(O) tests/harm/suites.sh $(ONLY)
check-all: check
	$(MAKE) MODE=dbg DEV=1 check-units
	GAIT_LONG=1 GAIT_TEST_SECONDS=7200 tools/run-tests $(O) $(TRUTH)

demo: deps
	+$(BUILD) all
	tools/demo $(O)

# ---- real programs and figures
$O/bench/%: bench/src/%.c $(call archives,$(call closure,program))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,program))) $(LIBS)
$O/bench/many_contexts: bench/src/many_contexts.c $(call archives,$(call closure,profile/file))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,profile/file))) $(LIBS)
$O/bench/stack_walk: bench/src/stack_walk.c $(call archives,$(call closure,collect/stacks))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,collect/stacks))) $(LIBS)
# The agent as it is built for the program.
$O/bench/stack_copy: bench/src/stack_copy.c $(CORE_OBJS)
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(filter-out -fsanitize=%,$(TOOL_FLAGS)) -o $@ $< $(CORE_OBJS)
$O/bench/events: bench/src/events.c $(call archives,$(call closure,walk))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,walk)))
$O/bench/streams: bench/src/streams.c $(call archives,$(call closure,compress))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,compress))) -lm
$O/bench/core: bench/src/core.c $(call archives,$(call closure,model/core))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,model/core))) $(LIBS)
$O/bench/block_%: bench/src/block_%.c $(call archives,$(call closure,base))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,base))) -lZydis -lZycore -lm
# Ours and LEMON's in one program; bench/flow sees to it that LEMON is there.
$O/bench/flow: bench/src/flow.cc $(call archives,$(call closure,flow))
	@mkdir -p $(@D)
	@echo "  $@" && g++ -std=c++17 -O2 -Wno-deprecated -Isrc -o $@ $< $(call in_group,$(call archives,$(call closure,flow))) -pthread
bench-programs: deps
	bench/build
# Every figure of docs/PERFORMANCE.md: an hour.
bench: bench-walks bench-overhead bench-overlap bench-coverage bench-walked bench-copies bench-paths bench-contexts bench-events bench-cfg bench-symbolise bench-unwind bench-plain bench-flow bench-streams bench-export bench-gcda bench-infer bench-core bench-blocks bench-cycles bench-history
bench-walks: all bench-programs
	bench/figures $(O)
bench-overhead: all bench-programs
	bench/overhead $(O)
bench-overlap: all bench-programs
	bench/overlap $(O)
bench-coverage: all bench-programs
	bench/coverage $(O)
bench-weights: all
	bench/weights $(O)
bench-perturbation: all
	bench/perturbation $(O)
bench-walked: all bench-programs
	bench/walked $(O)
bench-copies: all bench-programs
	bench/copies --others $(O)
# Large programs and JITs, as far as they are installed: some minutes, not part of bench.
bench-exact-large: all
	bench/exact-large $(O)
bench-paths: all bench-programs
	bench/paths $(O)
bench-history: all bench-programs
	bench/history --report docs/PIPELINE-LAB.md $(O)
	bench/history-records --report docs/PIPELINE-LAB.md $(O)
bench-contexts: all bench-programs
	bench/contexts $(O)
# The tables of the paper that paths and contexts come from. Minutes, on a machine that does nothing else: ticks are of the clock.
bench-lab-pipeline: all bench-programs
	bench/lab-pipeline --report docs/PIPELINE-LAB.md $(O)
bench-lab-events: all bench-programs
	bench/lab-events --report docs/EVENTS-LAB.md $(O)
bench-lab-streams: all bench-programs
	bench/lab-streams --report docs/STREAMS.md $(O)
bench-lab-sampling: all bench-programs
	bench/lab-sampling --report docs/SAMPLING.md $(O)
bench-lab-paths: all bench-programs
	bench/lab-paths --report docs/LAB.md --plot docs/lab-paths.svg $(O)
# Long runs, not part of bench.
soak: all
	bench/soak 30
bench-events: $O/bench/events
	$O/bench/events
bench-view: all $O/bench/many_contexts
	bench/view-speed $(O)
bench-stacks: $O/bench/stack_copy $O/bench/stack_walk
	$O/bench/stack_copy
	$O/bench/stack_walk
bench-streams: $O/bench/streams
	$<
# Values of samples against those of traces: some minutes a program, not part of bench.
bench-waste: all bench-programs
	bench/waste $(O)
bench-values: all bench-programs
	bench/values $(O)
	bench/values --cost --seconds 2 $(O)
	bench/overhead --events edge,call,value,latency --programs lua,bzip2,zstd -o $(O)/overhead-values.csv $(O)
bench-flow:
	bench/flow $(O)
# Changes that are really made, beside what whatif says of them: some minutes, not part of bench.
bench-whatif: all
	bench/whatif $(O)
bench-pipeline: all
	bench/pipeline $(O)
bench-core: all
	bench/core $(O)
bench-cycles: all bench-programs
	bench/cycles $(O)
bench-memory-levels: all
	bench/memory-levels $(O)
bench-mca: all
	bench/mca $(O)
bench-blocks: all
	bench/blocks $(O)
	bench/blocks -l $(O)
bench-infer: all bench-programs
	bench/infer $(O)
bench-gcda: all bench-programs
	bench/gcda --seconds $(O)
bench-export: all
	bench/export $(O)
# Compilers fed by walks against their own instrumentation, with a plot. Takes an hour: not part of bench.
bench-fdo: all bench-programs
	bench/fdo --plot docs/fdo.svg $(O)
bench-stale: all
	bench/stale $(O)
bench-memory: all
	bench/memory
bench-ending: all bench-programs
	bench/ending $(O)
bench-width: all bench-programs
	bench/width $(O)
bench-cold: all
	bench/cold
bench-symbolise: all bench-programs
	bench/symbolise $(O)
bench-cfg: bench-programs $O/bench/graphs
	bench/graph-edges --libc $(O)
	bench/graph-tables $(O)
	bench/graph-speed $(O)
bench-unwind: all bench-programs
	bench/unwind $(O)
bench-plain: all bench-programs
	bench/plain $(O)
bench-names: all
	bench/names $(O)
bench-inclusive: all bench-programs
	bench/inclusive
# A store of 1,000 machines, and what gait watch costs: some minutes.
$O/bench/fleet: bench/src/fleet.c $(call archives,$(call closure,store))
	@mkdir -p $(@D)
	@echo "  $@" && $(CC) $(TOOL_FLAGS) -o $@ $< $(call in_group,$(call archives,$(call closure,store))) $(LIBS)
bench-store: all $O/programs/orders $O/bench/fleet
	bench/store $(O)
bench-processes: all
	bench/processes $(O)

# ---- habits
FORMATTED := $(wildcard src/*/*.[ch] src/*/*/*.[ch] tests/unit/*/*.[ch] tests/unit/*/*/*.[ch] tests/fuzz/*.c tests/programs/*.c tests/programs/*/*.c tests/truth/step/*.[ch])
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)
tidy:
	clang-tidy --quiet --checks='-*,bugprone-*,-bugprone-easily-swappable-parameters' \
	    $(foreach l,$(TOOL_LAYERS) cmd,$(call srcs,$l)) -- $(BASE_FLAGS)
# The manual: written as text, installed as roff.
VERSION   := $(shell sed -n 's/^\#define GAIT_VERSION "\(.*\)"/\1/p' src/base/version.h)
MAN_PAGES := $(patsubst man/%.md,$O/man/%,$(wildcard man/*.1.md))
$O/man/%.1: man/%.1.md tools/manpage src/base/version.h src/cmd/commands.def
	@mkdir -p $(@D) && tools/manpage -v version=$(VERSION) $< >$@ || { rm -f $@; exit 1; }
man: $(MAN_PAGES)
# Where zsh looks: /usr/share/zsh/vendor-completions for packages of Debian, share/zsh/site-functions else.
ZSH_FUNCTIONS := share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
install: all man
	install -Dm755 $O/gait $(DESTDIR)$(PREFIX)/bin/gait
	install -Dm755 $O/libgait.so $(DESTDIR)$(PREFIX)/lib/gait/libgait.so
	install -Dm644 src/wire/gait-module.h $(DESTDIR)$(PREFIX)/include/gait-module.h
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(MAN_PAGES)
	install -Dm644 completions/gait.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/gait
	install -Dm644 completions/_gait $(DESTDIR)$(PREFIX)/$(ZSH_FUNCTIONS)/_gait
	install -Dm644 completions/gait.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gait.fish
	install -Dm644 packaging/gait-watch.service $(DESTDIR)$(PREFIX)/lib/systemd/system/gait-watch.service
	install -Dm644 packaging/watch.conf $(DESTDIR)$(PREFIX)/share/doc/gait/examples/watch.conf
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/doc/gait README.md LICENSE
deb: all man
	@tools/deb $O $(VERSION)
deps:
	@tools/deps
deps-long:
	@tools/deps-long
clean:
	rm -rf o
.PHONY: all fuzz-serve deps-long check-harm check-suites bench-core bench-pipeline bench-blocks bench-cycles bench-memory-levels bench-view bench-mca bench-history bench-paths bench-contexts bench-lab-paths bench-lab-pipeline bench-lab-events bench-lab-streams bench-lab-sampling bench-gcda bench-stale bench-cold bench-ending bench-width bench-events bench-export bench-fdo bench-stacks bench-streams bench-values bench-waste bench-flow bench-infer bench-cfg bench-coverage bench-overhead bench-overlap bench-weights bench-perturbation bench-walked check fuzz check-all check-units units programs demo bench bench-copies bench-plain bench-names bench-inclusive bench-processes bench-store bench-symbolise bench-unwind bench-programs man deb format format-check tidy install deps clean
.SECONDARY:
-include $(shell find $O -name '*.d' -type f 2>/dev/null)
