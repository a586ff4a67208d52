/* Makes debug information of the lines and inlined functions that a profile kept: one unit of
 * DWARF 5 with one line table, in an ELF file in memory. So what reads debug information need not
 * know where it comes from. */
#pragma once

struct elf_file;
struct kept_dwarf;
struct kept_function;

struct kept_dwarf *kept_dwarf_new(void);
void kept_dwarf_add(struct kept_dwarf *dwarf, const struct kept_function *function);
/* Makes the file, if there was anything to put in it, and frees the rest. */
void kept_dwarf_finish(struct kept_dwarf *dwarf, struct elf_file *ret_file);
