#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# docs/referee.md has an entry for each thing that the model's referee can say, in the order of its table, and says which
# are advice.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file);
use Rows qw(rows);
use Test::More;

my $root = "$FindBin::Bin/../..";

my $text = read_file("$root/docs/referee.md");
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
