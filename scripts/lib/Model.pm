# SPDX-License-Identifier: MIT
# Asks the model for its lists (docs/model.md, "profile=list"), so that scripts need no lists of their own.
package Model;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
our @EXPORT_OK = qw(profiles widest_of machines faults);

# The lines of OPTION=list.
sub list
{
    my ($option) = @_;
    my $command = realpath(dirname(__FILE__) . '/../../build') . '/qemu-ds';
    open my $out, '-|', $command, '--list', "${option}s" or die "$command: $!; run ./bootstrap, then make\n";
    chomp(my @lines = <$out>);
    close $out and @lines or die "the model does not answer $option=list\n";
    return @lines;
}

my (@profiles, %widest, %faults);

sub ask_profiles
{
    return if @profiles;
    for (list('profile')) {
        /^(\S+) +(32|64)  \S/ or die "not a valid line of the model's profile=list: $_\n";
        push @profiles, $1;
        $widest{$1} = $2;
    }
}

# The profiles' names, in the order of the processors' release.
sub profiles
{
    ask_profiles();
    return @profiles;
}

# 64 if the profile has long mode, 32 if not, undef if there is no such profile.
sub widest_of
{
    my ($profile) = @_;
    ask_profiles();
    return $widest{$profile};
}

# Each kernel on each profile that can run it: [PROFILE, WIDTH], by release and width.
sub machines
{
    return map { my $name = $_; map { [$name, $_] } grep { $_ <= $widest{$name} } 32, 64 } profiles();
}

# The faults: NAME => what is broken.
sub faults
{
    %faults = map { /^(\S+) +(\S.*)$/ ? ($1, $2) : die "not a valid line of the model's fault=list: $_\n" } list('fault') if !%faults;
    return %faults;
}

1;
