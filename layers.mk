# The folder graph: what each folder of src/ may include, besides itself. May-use is transitive.
# Enforced three ways: tools/check-layers reads every #include; unit tests link only their folder's
# closure; the agent's undefined symbols are compared with a list.
# Folders stand in the order of the data flow; nobody includes rightwards. A folder inside another
# is a layer of its own if it is listed; if it is not, it belongs to the layer around it.

# What runs inside the profiled program.
LAYERS := wire python x86 walk/base walk/count walk/emit walk/cache walk compress \
          agent/base agent/channel agent/threads agent/sampling agent/signals agent/exact agent shim
# What a program is.
LAYERS += base text layout flow program/elf program/insn program/dwarf program/unwind program/names \
          program/symbols program/cfg program gcov paths
# What was seen.
LAYERS += records profile profile/file store/sql store keep infer model/core model/pmu model/replay
# A recording.
LAYERS += process values waste consumers collect/channel collect/perf collect/target collect/stacks \
          collect/kernel collect/modules collect/windows collect/exact collect/output collect \
          collect/plain collect/doctor import
# What it means, and how it is shown.
LAYERS += analysis/counts analysis/report analysis/paths analysis/values analysis/waits \
          analysis/pipeline analysis/whatif analysis/waste analysis/windows analysis/loops analysis/fix analysis/live \
          analysis/compare analysis/verify analysis/graph view \
          lab/table lab/draw lab/streams lab/pipeline lab/paths lab/events lab carry \
          fleet export/job export/viewers export/compilers export/gcda export serve cmd

USES_wire       :=
USES_python     := wire
USES_x86        :=
USES_walk/base  := wire
USES_walk/count := walk/base x86
USES_walk/emit  := walk/count
USES_walk/cache := walk/emit
USES_walk       := walk/cache
USES_compress   := wire

USES_agent/base     := walk compress python
USES_agent/channel  := agent/base
USES_agent/threads  := agent/channel
USES_agent/sampling := agent/threads
USES_agent/signals  := agent/sampling
USES_agent/exact    := agent/signals
USES_agent          := agent/exact
USES_shim           := agent

USES_base            :=
USES_text            := base
USES_layout          := base
USES_flow            := base
USES_program/elf     := base wire
USES_program/insn    := program/elf
USES_program/dwarf   := program/elf
USES_program/unwind  := program/elf
USES_program/names   := program/dwarf
USES_program/symbols := program/unwind x86
USES_program/cfg     := program/insn program/symbols
USES_program         := program/cfg program/dwarf program/names
USES_gcov            := flow program
USES_paths           := program

USES_records      := base
USES_profile      := records wire
USES_profile/file := profile x86
USES_store/sql    := base
USES_store        := store/sql profile/file
USES_keep         := profile/file paths
USES_infer        := flow program
USES_model/core   := base wire
USES_model/pmu    := model/core records compress
USES_model/replay := model/pmu program

USES_process         := keep python
USES_values          := process compress
USES_waste           := values
USES_consumers       := waste paths model/replay
USES_collect/channel := process
USES_collect/perf    := base
USES_collect/target  := collect/perf program
USES_collect/stacks  := process
USES_collect/kernel  := collect/perf collect/target collect/stacks
USES_collect/modules := collect/target values
USES_collect/windows := collect/modules collect/stacks consumers
USES_collect/exact   := collect/channel consumers
USES_collect/output  := model/core profile/file keep
USES_collect         := walk collect/kernel collect/windows collect/exact collect/output
USES_collect/plain   := collect/target collect/kernel collect/output
USES_collect/doctor  := collect collect/plain
USES_import          := process compress

USES_analysis/counts   := infer keep text
USES_analysis/report   := analysis/counts
USES_analysis/paths    := analysis/counts paths
USES_analysis/values   := analysis/counts compress
USES_analysis/waits    := analysis/counts
USES_analysis/pipeline := analysis/values model/replay
USES_analysis/whatif   := analysis/pipeline
USES_analysis/waste    := analysis/counts
USES_analysis/windows  := analysis/pipeline
USES_analysis/loops    := analysis/windows
USES_analysis/fix      := analysis/loops analysis/whatif
USES_analysis/live     := analysis/counts
USES_analysis/compare  := analysis/paths
USES_analysis/verify   := analysis/counts
USES_analysis/graph    := analysis/report
USES_view              := analysis/report analysis/waits analysis/compare analysis/verify analysis/windows \
                          analysis/whatif analysis/waste analysis/fix analysis/graph analysis/live layout
USES_lab/table         := base
USES_lab/draw          := lab/table
USES_lab/streams       := lab/table compress
USES_lab/pipeline      := lab/table collect
USES_lab/paths         := lab/pipeline view
USES_lab/events        := lab/table analysis/compare profile/file compress
USES_lab               := lab/draw lab/streams lab/paths lab/events
USES_carry             := analysis/counts
USES_fleet             := store analysis/report
USES_export/job        := analysis/report
USES_export/viewers    := export/job analysis/windows
USES_export/compilers  := export/job analysis/fix
USES_export/gcda       := export/job gcov
USES_export            := export/viewers export/compilers export/gcda
USES_serve             := text
USES_cmd               := collect/doctor import view lab carry fleet export serve

# Names for several layers together: what their unit tests link.
USES_model    := model/replay
USES_analysis := analysis/report analysis/waits analysis/compare analysis/verify analysis/windows \
                 analysis/whatif analysis/waste analysis/fix analysis/graph analysis/live
USES_branches := collect/plain import
GROUPS        := model analysis branches

# Freestanding: caller's memory only, no libc. Compiled for the agent and again for the tool.
FREESTANDING := wire python x86 walk/base walk/count walk/emit walk/cache walk compress
# Live only inside the profiled program, in libgait.so.
AGENT_ONLY   := agent/base agent/channel agent/threads agent/sampling agent/signals agent/exact agent shim
