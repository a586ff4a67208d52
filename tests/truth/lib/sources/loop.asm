global _start
section .text
_start: mov ecx, 3000000
        xor eax, eax
again:  lea eax, [rax + rax*4 + 1]
        xor eax, ecx
        dec ecx
        jnz again
        and eax, 63
        mov edi, eax
        mov eax, 60
        syscall
