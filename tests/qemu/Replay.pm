# SPDX-License-Identifier: MIT
#
# For tests of the scripts that boot machines and judge them: a tree with these scripts, in which scripts/machine boots
# nothing, but replays a machine that was written down, and so may have any mistake.
package Replay;
use strict;
use warnings;
use Cwd qw(realpath);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
our @EXPORT_OK = qw(new_tree write_file read_file machine script);

my $here = realpath(dirname(__FILE__));

# The machine to replay is the word replay=NAME of the kernel's options, else PROFILE-WIDTH; with latitude NAME~SEED, if
# that is there; with a fault NAME-FAULT, with another kernel NAME-FILE.
my $boot = <<'END';
#!/usr/bin/env bash
given="${*:2}" folder=/dev/null fault= name= latitude= profile= width=
shift
while getopts b:c:q:L:r:w:p:o:d:f:k:s:g flag; do
    case $flag in
    o) case $OPTARG in *replay=*) name=${OPTARG##*replay=} ;; esac ;;
    p) profile=$OPTARG ;;
    w) width=$OPTARG ;;
    L) latitude=~$OPTARG ;;
    d) folder=$OPTARG ;;
    f) fault=-$OPTARG ;;
    k) fault=-${OPTARG##*/} ;;
    esac
done
cd "$(dirname "$0")/machines" || exit
name=${name:-$profile-$width}
name=${name%% *}
[ ! -e "$name$latitude$fault" ] || name=$name$latitude
cd "$name$fault" || exit
echo "$given" >arguments
for file in truth violations; do
    [ ! -e $file ] || cp $file "$folder/"
done
cat serial
cat stderr >&2
. ./ending
END

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

# A tree with these scripts, their modules and tables.
sub new_tree
{
    my (@scripts) = @_;
    my $top = tempdir(CLEANUP => 1);
    make_path("$top/scripts/lib", "$top/tests/qemu");
    symlink "$here/../../scripts/$_", "$top/scripts/$_" or die "$_: $!\n" for @scripts, map { s{.*/}{lib/}r } glob "$here/../../scripts/lib/*.pm";
    write_file("$top/scripts/machine", $boot);
    chmod 0755, "$top/scripts/machine";
    return $top;
}

# Writes a machine down: serial, stderr, truth, violations (texts; undef: the model writes no such file) and ending, the
# end of a shell script.
sub machine
{
    my ($top, $name, %is) = @_;
    my $folder = "$top/tests/qemu/machines/$name";
    defined $is{$_} and write_file("$folder/$_", $is{$_}) for sort keys %is;
}

# Runs a script of the tree: exit status, standard output, standard error.
sub script
{
    my ($top, $name, @arguments) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$top/out" or die "$top/out: $!\n";
        open STDERR, '>', "$top/err" or die "$top/err: $!\n";
        exec "$top/scripts/$name", @arguments or die "$name: $!\n";
    }
    waitpid $pid, 0;
    return ($? >> 8, read_file("$top/out"), read_file("$top/err"));
}

1;
