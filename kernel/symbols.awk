# SPDX-License-Identifier: MIT
# Turns `nm -n` of the first link into assembly for kernel/symbols.c's table; empty input gives an empty table.
# Labels inside a function (name.label) and the linker script's symbols mean nothing to a reader and are left out.
function ends(name) { return name ~ /(_start|_end|_guard|_bottom|_top)$/ }

$2 ~ /^[tTdDbBrR]$/ && $3 !~ /\./ && !ends($3) && !($1 in seen) {
    seen[$1] = 1
    address[count] = $1
    name[count++] = $3
}

END {
    print "section .symbols progbits alloc noexec nowrite align=8"
    print "global symbol_count, symbol_table, symbol_names"
    print "symbol_count: dd " count + 0
    print "symbol_table:"
    for (i = 0; i < count; i++) {
        printf "dd 0x%s, %d\n", substr(address[i], length(address[i]) - 7), offset
        offset += length(name[i]) + 1
    }
    print "symbol_names:"
    for (i = 0; i < count; i++)
        printf "db \"%s\", 0\n", name[i]
    print "db 0"
}
