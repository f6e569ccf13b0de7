# SPDX-License-Identifier: MIT
#
# Whole files, and a tree with the modules of scripts/lib for a script that is tested in it.
package Files;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
our @EXPORT_OK = qw(new_tree write_file read_file);

my $lib = realpath(dirname(__FILE__));

sub write_file
{
    my ($path, $text) = @_;
    make_path(dirname($path));
    open my $file, '>', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
}

sub read_file
{
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    return <$file> // '';
}

sub new_tree
{
    my $top = tempdir(CLEANUP => 1);
    make_path("$top/scripts/lib", "$top/tests/qemu");
    symlink $_, "$top/scripts/lib/" . basename($_) or die "$_: $!\n" for glob "$lib/*.pm";
    return $top;
}

1;
