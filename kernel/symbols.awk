# SPDX-License-Identifier: MIT
# Turns `nm -n` of the first link into assembly for kernel/symbols.c's table; empty input gives an empty table: a count, the
# addresses, for every 16th symbol the offset of its name, and the names. tools/symbols.c reads it, too.
# Labels inside a function (name.label) and the linker script's symbols mean nothing to a reader and are left out; so are the
# names of the hundreds of tests, which have ids: their table has one name.
BEGIN { count = offset = 0 }

function ends(name) { return name ~ /(_start|_end|_guard|_bottom|_top)$/ }
function is_own(name) { return name ~ /^symbol_(count|addresses|blocks|names)$/ } # which the second link moves

$3 == "tests_start" {
    in_tests = 1
    if ($1 in seen)
        name[count - 1] = "tests" # the first test came before
    $3 = "tests"
}
$3 == "tests_end" { in_tests = 0 }
in_tests && $3 != "tests" { next }
$2 ~ /^[tTdDbBrR]$/ && $3 !~ /\./ && !ends($3) && !is_own($3) && !($1 in seen) {
    seen[$1] = 1
    address[count] = $1
    name[count++] = $3
}

END {
    print "section .symbols progbits alloc noexec nowrite align=8"
    print "global symbol_count, symbol_addresses, symbol_blocks, symbol_names"
    print "symbol_count: dd " count + 0
    print "symbol_addresses:"
    for (i = 0; i < count; i++)
        print "dd 0x" substr(address[i], length(address[i]) - 7)
    print "symbol_blocks:"
    for (i = 0; i < count; i++) {
        if (i % 16 == 0)
            print "dd " offset
        offset += length(name[i]) + 1
    }
    print "symbol_names:"
    for (i = 0; i < count; i++)
        printf "db \"%s\", 0\n", name[i]
    print "db 0"
}
