# SPDX-License-Identifier: MIT
#
# Reads the rows NAME(FIELD, ..) of a table in an included C file, as the preprocessor sees them.
package Rows;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
our @EXPORT_OK = qw(rows);

my $root = realpath(dirname(__FILE__) . '/../..');

# The text of a field: of string literals the contents, of anything else the source.
sub text_of
{
    my ($tokens) = @_;
    my @strings = $tokens =~ /"((?:[^"\\]|\\.)*)"/g;
    return @strings ? join('', @strings) =~ s/\\(.)/$1/gr : $tokens =~ s/^\s+|\s+$//gr;
}

# rows('ds/ds_check.inc', 'RULE(id, name, weight, sentence, citation)', qw(name sentence)): of each row these fields, in
# the table's order.
sub rows
{
    my ($table, $macro, @fields) = @_;
    my $definition = "$macro=%row " . join ' %field ', @fields;
    open my $out, '-|', qw(cc -E -P -x c), "-D$definition", "$root/$table" or die "cc: $!\n";
    my $text = do { local $/; <$out> };
    close $out or die "$table: cc cannot read it\n";
    my (undef, @rows) = split /%row/, $text;
    die "$table: no row of the form $macro\n" if !@rows;
    return map { [map { text_of($_) } split /%field/] } @rows;
}

1;
