# SPDX-License-Identifier: MIT
#
# Reads the list of modules in `LAYERS`, and the includes of a tree's sources.
package Layers;
use strict;
use warnings;
use Exporter 'import';
use File::Find ();
our @EXPORT_OK = qw(read_layers read_sources module_of is_test);

# The modules in order: { name, kind, first, what, group, layer }; layer 0 is the lowest.
sub read_layers
{
    my ($top) = @_;
    my (@modules, $group);
    open my $file, '<', "$top/LAYERS" or die "LAYERS: $top/LAYERS: $!\n";
    while (my $line = <$file>) {
        chomp $line;
        $group = $1 if $line =~ /^# (\w.*)/;
        next if $line =~ /^\s*(#|$)/;
        my ($name, $kind, $first, $what) = split ' ', $line, 4;
        die "LAYERS:$.: a module needs a kind, the file to read first, and what it holds: $line\n" if !defined $what;
        die "LAYERS:$.: the module $name is listed twice\n" if grep { $_->{name} eq $name } @modules;
        push @modules, { name => $name, kind => $kind, first => $first, what => $what, group => $group, layer => scalar @modules };
    }
    die "LAYERS: $top/LAYERS lists no module\n" if !@modules;
    return @modules;
}

# The module of a path: the nearest folder above it that is a module.
sub module_of
{
    my ($modules, $path) = @_;
    my ($found) = sort { length $b->{name} <=> length $a->{name} } grep { index($path, "$_->{name}/") == 0 } @$modules;
    return $found;
}

sub is_test
{
    my ($path) = @_;
    return $path =~ /_test\.c$/;
}

# All C and nasm below top: PATH => [{ line, system, name, path }]; path is set if the included file is in the tree.
sub read_sources
{
    my ($top) = @_;
    my (%sources, @paths);
    File::Find::find({ no_chdir => 1, wanted => sub {
        return if !/\.(c|h|inc|asm)$/ || !-f;
        push @paths, substr $_, length($top) + 1;
    }, preprocess => sub { grep { !/^(\.git|build)$/ } @_ } }, $top);
    for my $path (sort @paths) {
        open my $file, '<', "$top/$path" or die "LAYERS: $top/$path: $!\n";
        $sources{$path} = [];
        while (<$file>) {
            /^\s*[#%]\s*include\s+(?:"([^"]+)"|<([^>]+)>)/ or next;
            my ($own, $system) = ($1, $2);
            my $name = $own // $system;
            my ($found) = grep { -f "$top/$_" } $name, $path =~ s{[^/]*$}{$name}r;
            push @{$sources{$path}}, { line => $., name => $name, system => defined $system,
                path => defined $system ? undef : $found };
        }
    }
    return %sources;
}

1;
