# The folder graph: what each folder of src/ may include, besides itself. May-use is transitive.
# Enforced three ways: tools/check-layers reads every #include; unit tests link only their folder's
# closure; the agent's undefined symbols are compared with a list.
# Folders stand in the order of the data flow; nobody includes rightwards.

LAYERS := base wire x86 walk stream agent shim flow program gcov paths sample metric profile infer core pmu replay space values course collect import view lab carry export cmd

USES_base    :=
USES_wire    :=
USES_x86     :=
USES_walk    := wire x86
USES_stream  := wire
USES_agent   := wire x86 walk stream
USES_shim    := wire agent
USES_flow    := base
USES_program := base wire x86
USES_gcov    := base flow program
USES_paths   := base program
USES_sample  := base
USES_metric  := base sample
USES_profile := base wire sample
USES_infer   := base flow program
USES_core    := base wire
USES_pmu     := base core sample stream
USES_replay  := base wire program core pmu
USES_space   := base wire program profile
USES_values  := base wire stream program profile space
USES_course  := base wire stream paths program profile pmu replay space values
USES_collect := base wire stream paths program profile space values course
USES_import  := base collect program profile sample
USES_view    := base metric profile program paths infer core pmu replay
USES_lab     := base stream profile collect replay view core pmu metric
USES_carry   := base infer profile program view
USES_export  := base flow gcov profile program view
USES_cmd     := base gcov import core collect view lab carry export

# Freestanding: caller's memory only, no libc. Compiled for the agent and again for the tool.
FREESTANDING := wire x86 walk stream
# Live only inside the profiled program, in libgait.so.
AGENT_ONLY   := agent shim
