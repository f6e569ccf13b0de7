#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# docs/model.md has a row for each freedom of the model, with its words and its source, in the same order.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Rows qw(rows);
use Test::More;

my @freedoms = map { "| `$_->[0]` | $_->[1] | $_->[2] |" }
    rows('model/latitude/freedoms.inc', 'FREEDOM(id, name, sentence, source, replaces)', qw(name sentence source));
open my $file, '<', "$FindBin::Bin/../../docs/model.md" or die "docs/model.md: $!\n";
my $text = do { local $/; <$file> };
my ($table) = $text =~ /^## Latitude\n(.*?)^## /ms;
is(join("\n", grep { /^\| `/ } split /\n/, $table), join("\n", @freedoms), 'the freedoms in docs/model.md');
done_testing;
