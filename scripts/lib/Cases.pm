# SPDX-License-Identifier: MIT
# Reads the boots in tests/qemu/cases, which describes its lines.
package Cases;
use strict;
use warnings;
use Exporter 'import';
use Model qw(machines);
use Rows qw(lines_of parts);
our @EXPORT_OK = qw(read_cases sample unbooted);

# A line as a hash. A row of the hostile machines has a {title}, by read_cases.
sub case
{
    my ($line) = @_;
    my ($words, $text) = parts($line);
    my ($machine, $qemu) = split / -- /, "@$words";
    my ($width, $route, $profile, $expected, @options) = split ' ', $machine;
    die "expected WIDTH ROUTE PROFILE VERDICT: $line\n" if !defined $expected;
    my %case = (line => $line, name => "@$words", width => $width, route => $route, profile => $profile,
        expected => $expected, text => $text, qemu => $qemu // '');
    for (@options) {
        my ($name, $value) = /^(quirk|fault|latitude|cores|firmware)=(.*)/;
        defined $name ? $case{$name} = $value : push @{$case{options}}, $_;
    }
    $case{options} = join ' ', @{$case{options} // []};
    return \%case;
}

# The lines that match $wanted, or all, each a hash. A line of the profile * becomes one for each machine ([PROFILE, WIDTH])
# in $machines (default: all that the model knows) that no other line boots.
sub read_cases
{
    my ($path, $wanted, $machines) = @_;
    my @cases;
    for my $line (lines_of($path)) {
        push @cases, eval { case($line->{text}) } // die "$line->{where}: $@";
        $cases[-1]{title} = $line->{title};
    }
    my @others = grep { $_->{profile} ne '*' } @cases;
    @cases = map { my $case = $_;
        $case->{profile} ne '*' ? $case
            : map { case($case->{line} =~ s/ \*(?= )/ $_->[0]/r) }
              unbooted([grep { $_->[1] eq $case->{width} } $machines ? @$machines : machines()], @others) } @cases;
    return grep { !defined $wanted || $_->{line} =~ /$wanted/ } @cases;
}

# Whether a case runs all tests of an unmodified machine: by the route pvh, or with every record.
sub whole
{
    my ($case) = @_;
    return $case->{expected} eq 'pass' && ($case->{options} =~ /\brecords=all\b/ || $case->{route} eq 'pvh')
        && $case->{options} !~ /\b(run|skip)=/ &&
        $case->{qemu} eq '' && !grep { defined $case->{$_} } qw(quirk fault latitude cores firmware);
}

# The machines of a list ([PROFILE, WIDTH] each) on which no case is whole.
sub unbooted
{
    my ($machines, @cases) = @_;
    my %booted = map { ("$_->{profile} $_->{width}" => 1) } grep { whole($_) } @cases;
    return grep { !$booted{"@$_"} } @$machines;
}

my $all_records = qr/\brecords=(?:all|none dump=raw)\b/;

# A small set of cases with each route, each verdict, and all tests on each profile. Greedy: the next case covers most of what is
# missing, preferably without all records. A machine that does not reach its tests does not cover a route. Records
# take most of the time, so only the first case with a given text has them all.
sub sample
{
    my @cases = @_;
    my (%has, %missing, %taken);
    for my $case (@cases) {
        $has{$case} = ["verdict $case->{expected}", $case->{expected} =~ /^(?:error|refused)$/ ? ()
            : "route $case->{route}",
            whole($case) ? "profile $case->{profile}" : ()];
        @missing{@{$has{$case}}} = ();
    }
    while (%missing) {
        my %gain = map { my $case = $_; ($case => 2 * (grep { exists $missing{$_} } @{$has{$case}}) - ($case->{options} =~ /$all_records/ ? 1 : 0)) } @cases;
        my ($best) = sort { $gain{$b} <=> $gain{$a} } @cases;    # sort is stable
        $taken{$best} = 1;
        delete @missing{@{$has{$best}}};
    }
    my %texts;
    return map { defined $_->{text} && !$texts{$_->{text}}++ ? $_
        : case($_->{line} =~ s/ $all_records//r) } grep { $taken{$_} } @cases;
}

1;
