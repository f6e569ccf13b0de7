# SPDX-License-Identifier: MIT
# Asks the model for its lists (docs/model.md, "profile=list"), so that scripts need no lists of their own.
package Model;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
our @EXPORT_OK = qw(profiles widest_of);

my (@profiles, %widest);

sub ask_profiles
{
    return if @profiles;
    my $command = realpath(dirname(__FILE__) . '/../../build') . '/qemu-ds';
    open my $out, '-|', $command, '--list', 'profiles' or die "$command: $!; run ./bootstrap, then make\n";
    while (<$out>) {
        /^(\S+) +(32|64)  \S/ or die "not a valid line of the model's profile=list: $_\n";
        push @profiles, $1;
        $widest{$1} = $2;
    }
    close $out and @profiles or die "the model does not answer profile=list\n";
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

1;
