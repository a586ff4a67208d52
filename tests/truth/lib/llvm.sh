# LLVM's tools, wherever the distribution has put them. Behind programs.sh.

llvm='' llvm_version=''
for llvm_version in 19 20 21 22 18 17 16; do
    llvm=/usr/lib/llvm-$llvm_version/bin
    [ -x "$llvm/llvm-profdata" ] && break
done
[ -x "$llvm/llvm-profdata" ] || { llvm_version=19; llvm=/usr/lib/llvm-19/bin; }

# need_llvm COMMAND PACKAGE: of Debian's PACKAGE-VERSION, installed when it may be.
need_llvm() {
    [ -x "$llvm/$1" ] && return
    packages_install "$2-$llvm_version" >/dev/null 2>&1
    [ -x "$llvm/$1" ] || skip "no $1, and its package $2-$llvm_version could not be installed"
}
