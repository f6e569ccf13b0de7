#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The includes of this tree obey LAYERS. Each mistake, planted in a small tree, is reported.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(run write_file);
use Test::More;

my $layers = <<'END';
# A tree
low      pure    low/low.h       the lowest
machine  kernel  machine/m.c     in the middle
high     kernel  high/high.h     on top
program  host    program/p.c     a program
other    model   other/o.c       another reading
loader   loader  loader/l.c      on firmware
plugin   plugin  plugin/q.c      in a host
tests    test    tests/t.c       sees all
END
my %tree = (
    'LAYERS' => $layers,
    'low/low.h' => "#include <stdint.h>\n",
    'low/low.c' => "#include \"low/low.h\"\n",
    'machine/m.h' => "#include \"low/low.h\"\n",
    'machine/m.c' => "#include \"machine/m.h\"\n\n#include \"version.h\"\n",
    'machine/m_decode.h' => "#include \"low/low.h\"\n",
    'machine/m_test.c' => "#include \"high/high.h\"\n",
    'high/high.h' => "#include \"machine/m.h\"\n",
    'program/p.c' => "#include <stdio.h>\n#include \"low/low.h\"\n#include \"machine/m_decode.h\"\n",
    'other/o.c' => "#include <stdio.h>\n",
    'other/o.h' => "#include <stdint.h>\n",
    'loader/l.c' => "#include <efi.h>\n#include \"low/low.h\"\n",
    'plugin/q.c' => "#include <qemu-plugin.h>\n#include \"other/o.h\"\n",
    'tests/t.c' => "#include \"high/high.h\"\n#include \"other/o.c\"\n");

# Runs `layers` on the tree with these files changed; returns its output and exit status.
sub layers_of
{
    my %files = (%tree, @_);
    my $top = tempdir(CLEANUP => 1);
    write_file("$top/$_", $files{$_}) for grep { defined $files{$_} } keys %files;
    my ($status, $printed, $errors) = run("$FindBin::Bin/layers", $top);
    return ($printed . $errors, $status);
}

sub is_wrong
{
    my ($line, %changed) = @_;
    my ($printed, $status) = layers_of(%changed);
    ok($status != 0 && $printed =~ /^\Q$line\E$/m, $line) or diag($printed);
}

my ($printed, $status) = layers_of();
is($printed, "8 modules, 13 files, 10 includes, 0 modules in a circle, 0 units in a circle\n", 'a correct tree');
is($status, 0, 'it passes');

is_wrong('machine/m.c:2: includes high/high.h, which is in a higher layer',
    'machine/m.c' => "#include \"machine/m.h\"\n#include \"high/high.h\"\n");
like((layers_of('machine/m.h' => "#include \"high/high.h\"\n"))[0], qr/ 2 modules in a circle,/, 'modules in a circle are counted');
for my $second ('high/second.h', 'high/second.c') {
    is_wrong('high/high, high/second: include each other in a circle',
        'high/high.h' => "#include \"second.h\"\n", 'high/second.h' => "\n", $second => "#include \"high/high.h\"\n");
}
like((layers_of('high/high.c' => "#include \"high/high.h\"\n"))[0], qr/, 0 units in a circle$/m, 'a file and its header are one unit');
like((layers_of(map { ("high/$_->[0].h" => "#include \"high/$_->[1].h\"\n") } ['a', 'b'], ['b', 'c'], ['c', 'a']))[0],
    qr/^high\/a, high\/b, high\/c: .*, 3 units in a circle$/ms, 'three units in a circle are counted');
is_wrong('low/low.c:1: <stdio.h> needs a libc, and this code must do without',
    'low/low.c' => "#include <stdio.h>\n#include \"low/low.h\"\n");
for (['machine/m_decode.h', 'pure', 'machine/m.h', 'kernel'], ['program/p.c', 'host', 'machine/m.h', 'kernel'],
    ['other/o.c', 'model', 'low/low.h', 'pure'], ['machine/m_test.c', 'kernel', 'other/o.c', 'model'],
    ['loader/l.c', 'loader', 'machine/m.h', 'kernel'], ['loader/l.c', 'loader', 'other/o.h', 'model'],
    ['plugin/q.c', 'plugin', 'low/low.h', 'pure'], ['plugin/q.c', 'plugin', 'machine/m.h', 'kernel'],
    ['machine/m.c', 'kernel', 'loader/l.h', 'loader'], ['other/o.c', 'model', 'plugin/q.h', 'plugin']) {
    my ($file, $kind, $wanted, $other) = @$_;
    is_wrong("$file:1: $kind code may not see $wanted, which is $other code", $file => "#include \"$wanted\"\n",
        $tree{$wanted} ? () : ($wanted => "\n"));
}
is_wrong('low/low.c:1: no file low/gone.h', 'low/low.c' => "#include \"low/gone.h\"\n");
is_wrong('shed/s.c: is in no module of `LAYERS`', 'shed/s.c' => "\n");
is_wrong('LAYERS: the module high lacks its file high/high.h',
    'high/high.h' => undef, 'machine/m_test.c' => "\n", 'tests/t.c' => "\n");
is_wrong('LAYERS: the module other has an unknown kind, odel', 'LAYERS' => $layers =~ s/ model / odel /r);
is_wrong('LAYERS:10: the module low is listed twice', 'LAYERS' => "${layers}low pure low/low.h again\n");
is_wrong('LAYERS:10: a module needs a kind, the file to read first, and what it holds: attic pure',
    'LAYERS' => "${layers}attic pure\n");
like((layers_of('LAYERS' => "# A tree\n"))[0], qr{^LAYERS: \S+/LAYERS lists no module$}m, 'a list without modules');
is_wrong('no include was read', map { $_ => "\n" } grep { $_ ne 'LAYERS' } keys %tree);

($printed, $status) = (scalar qx("$FindBin::Bin/layers"), $? >> 8);
is($status, 0, 'this tree') or diag($printed);
like($printed, qr/ 0 modules in a circle, 0 units in a circle$/m, 'this tree has no circular include');

done_testing();
