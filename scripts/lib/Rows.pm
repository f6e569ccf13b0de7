# SPDX-License-Identifier: MIT
# Reads tables: the rows NAME(FIELD, ..) of an included C file, as the preprocessor sees them, and the lines of the text tables,
# which all have this form, with comments behind a # at the beginning of a line:
#   WORD.. [: VALUE]
package Rows;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
our @EXPORT_OK = qw(lines_of parts rows);

my $root = realpath(dirname(__FILE__) . '/../..');

# The text of a field: of string literals the contents, of anything else the source.
sub text_of
{
    my ($tokens) = @_;
    my @strings = $tokens =~ /"((?:[^"\\]|\\.)*)"/g;
    return @strings ? join('', @strings) =~ s/\\(.)/$1/gr : $tokens =~ s/^\s+|\s+$//gr;
}

# rows('ds/ds_check.inc', 'RULE(id, name, weight, sentence, citation)', qw(name sentence)): these fields of each row, in
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

# The words and the value of a line; the value may be undef.
sub parts
{
    my ($line) = @_;
    my ($words, $value) = split / : +/, $line, 2;
    return ([split ' ', $words], $value);
}

# The lines of a table, each a hash: text, words, value, where (PATH and number), and title, of a line "#! TITLE" above it.
sub lines_of
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my (@lines, $title);
    while (my $line = <$file>) {
        chomp $line;
        if ($line =~ /^#! (.+)/) {
            die "$path, line $.: no line between this title and the previous one\n" if defined $title;
            $title = $1;
        }
        next if $line =~ /^\s*(#|$)/;
        my ($words, $value) = parts($line);
        push @lines, { text => $line, words => $words, value => $value, where => "$path, line $.", title => $title };
        undef $title;
    }
    die "$path: no line follows the title $title\n" if defined $title;
    return @lines;
}

1;
