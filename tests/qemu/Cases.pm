# SPDX-License-Identifier: MIT
#
# Reads the boots in tests/qemu/cases, which describes its lines.
package Cases;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(read_cases unbooted);

# The lines that match $wanted, or all, each a hash.
sub read_cases
{
    my ($path, $wanted) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my @cases;
    while (my $line = <$file>) {
        chomp $line;
        next if $line =~ /^\s*(#|$)/ || defined $wanted && $line !~ /$wanted/;
        my ($boot, $text) = split / ~ /, $line;
        my ($machine, $qemu) = split / -- /, $boot;
        my ($width, $route, $profile, $expected, @options) = split ' ', $machine;
        die "$path, line $.: want WIDTH ROUTE PROFILE EXPECTED: $line\n" if !defined $expected;
        my ($lies) = map { /^lie=(.*)/ ? $1 : () } @options;
        my ($faults) = map { /^fault=(.*)/ ? $1 : () } @options;
        @options = grep { !/^(lie|fault)=/ } @options;
        push @cases, { name => $boot =~ s/\s+/ /gr, width => $width, route => $route, profile => $profile,
            expected => $expected, options => "@options", text => $text, qemu => $qemu // '', lies => $lies,
            faults => $faults };
    }
    return @cases;
}

# Those of these machines ([PROFILE, WIDTH] each) on which no case runs all tests and prints every record.
sub unbooted
{
    my ($machines, @cases) = @_;
    my @whole = grep { $_->{expected} eq 'pass' && $_->{options} =~ /\brecords=all\b/ && $_->{options} !~ /\b(run|skip)=/ &&
            $_->{qemu} eq '' && !defined $_->{lies} && !defined $_->{faults} } @cases;
    my %booted = map { ("$_->{profile} $_->{width}" => 1) } @whole;
    return grep { !$booted{"@$_"} } @$machines;
}

1;
