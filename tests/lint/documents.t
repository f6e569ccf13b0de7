#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Documents agree with the tables of the source: docs/booting.md with the kernel's options, docs/model.md with the model's
# freedoms, docs/referee.md with what the model's referee can say. Prints TAP.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Rows qw(rows);
use Test::More;

my $top = "$FindBin::Bin/../..";

# ---- options
# Each option with the values that it takes: "" for none, "a|b" for one of some words, else the form that the help has.
my ($table) = matched('boot/options.c', qr/^\} table\[\] = \{\n(.*?)^\};/ms);
my %taken = map { /^(\w+)"/ ? ($1 => form($_)) : () } split /^    \{ "/m, $table;
ok keys %taken > 10, 'boot/options.c: ' . keys(%taken) . ' options';
ok $taken{run} && $taken{gdbwait} eq '' && $taken{end} eq 'halt|reboot|poweroff', 'with a value, without, with one of some words';

sub matched
{
    my ($file, $pattern) = @_;
    my @found = read_file("$top/$file") =~ $pattern or die "$file: nothing matches $pattern\n";
    return @found;
}

sub form
{
    my ($row) = @_;
    return $1 if $row =~ /VALUE\("([^"]+)"/;
    return '' if $row =~ /FLAG\(/;
    return join '|', $row =~ /\] = "(\w+)"/g;
}

my ($list) = matched('docs/booting.md', qr/^## Options\n\n((?:    .*\n)+)/m);
my %listed = $list =~ /(?:^    |  )([a-z]+)(?:=(\S+)|(?=  |$))/mg;
for my $name (sort keys %taken) {
    ok exists $listed{$name}, "$name is in docs/booting.md";
    is $listed{$name} // '', $taken{$name}, "... with the words that the kernel takes" if $taken{$name} =~ /^[a-z|]*$/;
    ok defined $listed{$name}, '... with a value' if $taken{$name} !~ /^[a-z|]*$/;
}
is join(' ', grep { !exists $taken{$_} } sort keys %listed), '', 'and no other';

# ---- freedoms: each row with its words and its source, in the same order
my @freedoms = map { "| `$_->[0]` | $_->[1] | $_->[2] |" }
    rows('model/latitude/freedoms.inc', 'FREEDOM(id, name, sentence, source, replaces)', qw(name sentence source));
my ($latitude) = read_file("$top/docs/model.md") =~ /^## Latitude\n(.*?)^## /ms;
is(join("\n", grep { /^\| `/ } split /\n/, $latitude), join("\n", @freedoms), 'the freedoms in docs/model.md');

# ---- what the referee can say: each has its entry, in the order of its table, and advice is called so
my $text = read_file("$top/docs/referee.md");
my (@names, %advice);
for (rows('model/referee/referee.inc', 'VIOLATION(id, name, severity, sentence, citation)', qw(name severity))) {
    my ($name, $severity) = @$_;
    push @names, $name;
    $advice{$name} = $severity eq 'ADVICE';
}
my %entries;
my @entries;
while ($text =~ /^### (\S+)\n(.*?)(?=^#|\z)/msg) {
    push @entries, $1;
    $entries{$1} = $2;
}
cmp_ok(scalar @names, '>', 50, 'the table can be read');
is_deeply(\@entries, \@names, 'each name has its entry, in the order of the table');
is(join(' ', grep { length($entries{$_} // '') < 60 } @names), '', 'each entry says something');
is(join(' ', grep { ($entries{$_} // '') =~ /^Advice\./ xor $advice{$_} } @names), '', 'advice is called so, and nothing else');
done_testing();
