#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# The mistakes that tests/mutate makes, and what its run says of each fate, on a tree of a few lines.
use strict;
use warnings;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib $FindBin::Bin;
use Mutants qw(language_of mutants_of);

my $root = "$FindBin::Bin/../..";

# Each mutant as "LINE: the line as it would be".
sub breaks
{
    my ($language, $text) = @_;
    return [map { "$_->{line}: " . $_->{after} =~ s/^\s+|\s+$//gr =~ s/\s+/ /gr } mutants_of($text, $language)];
}

is(language_of(@$_[0, 1]), $_->[2], "$_->[0] is " . ($_->[2] // 'no language')) for
    ['a/b.c', '', 'c'], ['a/b.h', '', 'c'], ['rules.inc', '', 'c'], ['a.asm', '', 'nasm'], ['A.pm', '', 'perl'],
    ['tests/x', '#!/usr/bin/env perl', 'perl'], ['tests/x', '#!/bin/sh', 'shell'], ['tests/x', '#!/usr/bin/env bash', 'shell'],
    ['page.css', ':root {', undef];

is_deeply(breaks('c', "int f(int a)\n{\n    return a < 2 && !a; /* a < 3 */\n}\n"),
    ['3: return a <= 2 && !a; /* a < 3 */', '3: return a < 3 && !a; /* a < 3 */', '3: return a < 2 || !a; /* a < 3 */',
        '3: return a < 2 && a; /* a < 3 */'], 'operators, numbers and negations; no comment is touched');
is_deeply(breaks('c', "    if (a == b || f(a, \"1, 2\"))\n        g(x, y + 1);\n"),
    ['1: if (!(a == b || f(a, "1, 2")))', '1: if (a != b || f(a, "1, 2"))', '1: if (a == b && f(a, "1, 2"))', '2: { }',
        '2: g(y + 1, x);', '2: g(x, y - 1);', '2: g(x, y + 2);'], 'conditions, calls and their arguments; no string is touched');
is_deeply(breaks('c', "    int a = 0xff;\n    a = b ? c : d;\n"), ['1: int a = 0xf0;', '2: { }', '2: a = b ? d : c;'],
    'a declaration is not left out, a choice is swapped');
is_deeply(breaks('c', "#include <a1.h>\n#define A 8u\n_Static_assert(A == 8, \"\");\n"), ['2: #define A 9u'],
    'of the preprocessor only numbers, and nothing that the compiler checks itself');
is_deeply(breaks('nasm', "    push    rbx ; 1\n    jz      .out\n    mov     rax, [rdi + 8]\n"),
    ['1: ; 1', '1: push rdx ; 1', '2: ', '2: jnz .out', '3: ', '3: mov [rdi + 8], rax', '3: mov rcx, [rdi + 8]', '3: mov rax, [rsi + 8]',
        '3: mov rax, [rdi + 9]'], 'instructions, registers, operands');
is_deeply(breaks('perl', "sub f\n{\n    push \@a, 1 if \$b eq 'if';\n    return !\$c;\n}\n"),
    ['3: ;', '3: push @a, 0 if $b eq \'if\';', '3: push @a, 1 unless $b eq \'if\';', '3: push @a, 1 if $b ne \'if\';', '4: return $c;'],
    'Perl');
is_deeply(breaks('shell', "#!/bin/sh\n[ -n \"\$a\" ] || exit 1\n    run it\n"),
    ['2: [ -z "$a" ] || exit 1', '2: [ -n "$a" ] && exit 1', '2: [ -n "$a" ] || exit 2', '3: :'], 'shell');

# Every source of the product is in an area: `floors` lists the rooms, its tests and benches aside.
my $listed = join "\n", `cd $root && tests/mutate/run -l -n 0`;
is($?, 0, 'the list of all mutants: areas and equivalents can be read');
my %has = map { $_ => 1 } $listed =~ /^([^:\n]+):[0-9]+: /mg;
my @rooms = map { /^(\S+) +(pure|kernel|loader|host|model|plugin) / ? $1 : () } split /\n/, `cat $root/floors`;
cmp_ok(scalar @rooms, '>', 25, 'the rooms of the product');
for my $room (@rooms) {
    my @without = grep { !$has{$_} } map { s{^\Q$root\E/}{}r } glob "$root/$room/*.c $root/$room/*.asm";
    # A source without a number, an operator or a statement has nothing to break.
    @without = grep { my $path = $_; open my $file, '<', "$root/$path" or die; local $/; mutants_of(scalar <$file>, language_of($path)) } @without;
    is("@without", '', "every source of $room/ is in an area");
}

# A tree with a function, a test of it, and one mistake of each fate.
my $tree = tempdir(CLEANUP => 1);
make_path("$tree/tests/mutate", "$tree/tests/qemu", "$tree/build/coverage");
sub put
{
    my ($path, $text) = @_;
    open my $file, '>', "$tree/$path" or die "$path: $!";
    print $file $text;
    close $file or die "$path: $!";
}
put('add.sh', "#!/bin/sh\n    sum=\$((\$1 + 1))\n[ \"\$2\" -lt 5 ] || sum=0\necho \$sum\n");
put('.gitignore', "build/\n");
put('Makefile', "%:\n\t\@:\n");
put('build/coverage/lines', '');
put('test', "#!/bin/sh\n[ \"\$(sh add.sh 4 4)\" = 5 ]\n");
put('tests/mutate/areas', "step test all : sh test\narea sums 50 add.sh : test\n");
put('tests/mutate/equivalents', '');
sub run_there { my $said = `cd $tree && git init -q . 2>&1; git add -A; $root/tests/mutate/run -C $tree -n 0 -j 1 @_ 2>&1`; return ($said, $? >> 8) }
my ($said, $status) = run_there();
like($said, qr/^caught +add\.sh:2: sum=.* => : \(test\)$/m, 'caught, and by which step');
like($said, qr/^survived add\.sh:3: .*-lt 5.* => .*-le 5/m, 'survived');
like($said, qr/^survived add\.sh:3: .*-lt 5.* => .*-lt 6/m, 'another one');
like($said, qr/^# sums +([0-9]+) +([0-9]+) +([0-9]+) /m, 'the figures of the area');
my ($all, $caught, $survived) = $said =~ /^# sums +([0-9]+) +([0-9]+) +([0-9]+) /m;
is($all, $caught + $survived, 'which add up');
is($survived, () = $said =~ /^survived /mg, 'and count what was listed');
is($status, 100 * $caught / $all < 50 ? 1 : 0, 'the status follows from the bar');
put('tests/mutate/areas', "step test all : sh test\narea sums 100 add.sh : test\n");
($said, $status) = run_there();
is($status, 1, 'below the bar');
like($said, qr/^# of the areas that must reach 100 of 100: [0-9.]+, too few$/m, 'which is said');
my @survivors = $said =~ /^survived add\.sh:[0-9]+: (.*)$/mg;
put('tests/mutate/equivalents', join "\n", 'add.sh', map { my ($before, $after) = /^(.*) => (.*)$/; ("- $before", "+ $after", "  why") } @survivors);
($said, $status) = run_there();
is($status, 0, 'with its survivors written down as equivalents it reaches the bar');
like($said, qr/^# sums .* @{[scalar @survivors]} equivalent\b/m, 'which are counted');
put('tests/mutate/equivalents', "add.sh\n- no such line\n+ x\n  why\n");
($said, $status) = run_there();
isnt($status, 0, 'an equivalent of a line that is gone is an error');
like($said, qr/equivalents: add\.sh has no such line: no such line/, 'that names it');
put('tests/mutate/equivalents', '');
($said, $status) = run_there('other.c');
isnt($status, 0, 'a file of no area is refused');
like($said, qr/no area has the file other\.c/, 'by its name');
($said, $status) = run_there('-l', 'add.sh:2');
like($said, qr/^(?:add\.sh:2: .*\n)+\z/, 'only the mutants of a line');
($said, $status) = run_there('-l', 'add.sh:2', 'add.sh:4');
is(join(' ', sort { $a <=> $b } keys %{{ map { $_ => 1 } $said =~ /^add\.sh:([0-9]+): /mg }}), '2 4', 'or of two');
($said, $status) = run_there('-l', 'other.c:2');
like($said, qr/no area has the file other\.c$/m, 'a line of a file of no area is refused');
($said, $status) = run_there('-l', 'add.sh:2', 'add.sh:1');
isnt($status, 0, 'a line without a mutant is refused');
like($said, qr/add\.sh:1: nothing to break$/m, 'by its number');
put('blind', "#!/bin/sh\n");
put('tests/mutate/areas', "step test all : sh test\nstep blind all : sh blind\narea sums 50 add.sh : blind test\n");
($said, $status) = run_there('-t', 'blind');
like($said, qr/^survived add\.sh:2: sum=/m, 'the steps that were named are asked, and no other');
is($status, 1, 'and tell the figure');
($said, $status) = run_there('-t', 'blind,test');
like($said, qr/^caught +add\.sh:2: sum=.* \(test\)$/m, 'or both');
($said, $status) = run_there('-t', 'sight');
isnt($status, 0, 'a step of no area is refused');
like($said, qr/no area has the step 'sight'/, 'by its name');
put('lone.c', "int lone(int a)\n{\n    return a;\n}\n#define ONE 1\n");
put('tests/mutate/areas', "step blind all : sh blind\narea lone 50 lone.c : blind\n");
($said, $status) = run_there();
like($said, qr/^survived lone\.c:5: /m, 'of a source that nothing builds no mutant is taken for the same program');
put('tests/mutate/areas', "step test all : sh test\narea sums 50 add.sh : test\n");
put('test', "#!/bin/sh\nexit 1\n");
($said, $status) = run_there();
isnt($status, 0, 'a step that is red without a mistake is an error');
like($said, qr/step test fails on the unbroken tree/, 'and said');

done_testing();
