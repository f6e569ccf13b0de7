#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The files that `make install-model` installs work from any folder, without the source tree. Removal deletes only them.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run write_file);
use Test::More;

my $root = realpath("$FindBin::Bin/../..");
my $folder = tempdir(CLEANUP => 1);
my $prefix = "$folder/pre,fix";    # a comma, because it ends a value in QEMU's options
my $command = "$prefix/bin/qemu-ds";
my $kernel = "$root/build/dstest86-64.elf";
my @guest = (split(" ", "-display none -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4"), '-kernel', $kernel, '-append');

chdir '/';
is(system('make', '-s', '-C', $root, 'install-model', "PREFIX=$prefix"), 0, 'make install-model');

is(`grep -lF '$root' '$prefix/lib/dstest86/qemu-ds' '$prefix/lib/dstest86/qemu-system-x86_64'`, "", "installed scripts do not name the source tree");
my ($status, $out, $err) = run('timeout', 120, $command, qw(--profile icelake --truth), "$folder/truth,", @guest, 'run=bts.calls');
is($status, 33, 'the guest passes');
like($out, qr/^# cpu .* Ice Lake/m, '--profile icelake: the guest finds Ice Lake');
like(read_file("$folder/truth,"), qr/^bts /m, '--truth: the log has records');
like($err, qr/\ABTS on cpu 0: [1-9]\d* records, 0 PMIs\n\z/, 'no violation, and what the guest recorded');
($status, $out, $err) = run('timeout', 120, $command, qw(--profile=alderlake --cores=E), @guest, 'run=bts.calls');
like("$status $err", qr/\A33 BTS on cpu 0: .*\n\z/, '--cores=E: the guest passes');
like($out, qr/^# cpu .* Gracemont/m, '--cores=E: the guest finds Gracemont');

($status, $out, $err) = run('timeout', 120, $command, @guest, 'run=forbidden.lvt_masked');
like($err, qr/^violation .* lvtpc-masked: /m, 'a violation is on standard error') or diag $out;
($status, $out, $err) = run('timeout', 120, $command, '--strict', @guest, 'run=forbidden.lvt_masked');
is($status, 70, '--strict ends with 70');
like($err, qr/^violation .*^qemu-ds: violations of the manual by the guest: \d+; QEMU's own exit status: \d+$/ms, '--strict prints the reason');
($status, $out, $err) = run('timeout', 120, $command, '--strict', '--violations', "$folder/v", @guest, 'run=bts.calls');
is("$status $err", '33 ', '--strict: a clean run keeps its status');
like(read_file("$folder/v"), qr/\ABTS on cpu 0: .*\n\z/, '--violations: the report has no violation');
is(join(' ', grep { !-e "$prefix/share/doc/dstest86/$_" } map { read_file($_) =~ /\]\(([\w.-]+\.md)/g } glob("'$prefix/share/doc/dstest86'/*.md")),
    '', 'installed documents link only to each other');
ok(-x "$prefix/lib/dstest86/ds-inspect" && -r "$prefix/lib/dstest86/dstest86.py", "GDB's commands are installed");
mkdir "$folder/state";
($status, $out, $err) = run('timeout', 120, $command, '--state', "$folder/state", @guest, 'run=bts.calls');
ok($status == 33 && -s "$folder/state/0", '--state writes the state') or diag "$status $err";

($status, $out, $err) = run('timeout', 120, $command, "--profile");
is("$status $err", "2 qemu-ds: --profile needs a value\n", "an option without its value is refused");
my %refused = (
    '--profile pentium4' => qr/^dsmodel: profile=pentium4 is not known; the profiles are: netburst /,
    '--profile alderlake --cores PX' => qr/^dsmodel: cores=PX is not a list of at most 256 cores of profile=alderlake, /,
    '--truth=' => qr/^qemu-ds: --truth needs a value$/,
    '--truth /no/such/folder/t' => qr{^dsmodel: /no/such/folder/t cannot be written: No such file},
    '--latitude seven' => qr/^dsmodel: latitude=seven: expected SEED or /,
    '--latitude=7:bts' => qr/^dsmodel: latitude=SEED:bts is not known; the freedoms are: /,
    '--list cpus' => qr/^qemu-ds: --list cpus: unknown list; available: profiles, cores, faults, quirks, freedoms$/,
    '--qemu /no/such/qemu' => qr{^qemu-ds: --qemu /no/such/qemu: not an executable program$},
    '-enable-kvm' => qr/^qemu-ds: -enable-kvm: not supported; the model needs -accel tcg$/,
    '-accel kvm' => qr/^qemu-ds: -accel kvm: not supported; the model needs -accel tcg$/,
);
for my $words (sort keys %refused) {
    ($status, $out, $err) = run('timeout', 120, $command, split(' ', $words), qw(-display none -machine none));
    ok($status != 0 && $err =~ $refused{$words}, "$words is refused") or diag "$status: $err";
}
for my $list (qw(profiles cores faults quirks freedoms)) {
    ($status, $out, $err) = run('timeout', 120, $command, '--list', $list);
    my $line = $list eq 'profiles' ? qr/\S+ +(?:32|64)  \S.*\n/ :
        $list eq 'cores' ? qr/\S+ +[A-Z]  \S.*\n/ : qr/\S+ +\D.*\n/;
    ok($status == 0 && $out =~ /^(?:$line)+$/, "--list $list") or diag $err;
}
SKIP: {
    skip 'no mandoc here', 1 if system('command -v mandoc >/dev/null') != 0;
    is(`mandoc -T lint -W warning $prefix/share/man/man1/qemu-ds.1`, '', 'the manual page is well formed');
}

# Removal: only the files that were installed, and a folder only if it is empty.
sub make { return run('make', '-s', '-C', $root, @_) }
sub left { return join ' ', sort map { s{^\Q$_[0]\E/}{}r } split /\n/, `find '$_[0]' ! -type d` }
my @mine = map { "$_/mine" } 'lib/dstest86', 'lib/dstest86/toolchain/debian', 'share/doc/dstest86';
for my $file (@mine) {
    make_path(dirname("$prefix/$file"));
    write_file("$prefix/$file", "a user's\n");
}
my $list = "$prefix/lib/dstest86/installed";
my $installed = read_file($list);
write_file("$folder/victim", "a user's\n");
for my $line ('../victim', "$folder/victim", 'lib/dstest86/../../../victim', 'lib/other', '-r', '', ' ') {
    write_file($list, "$installed$line\n");
    ($status, $out, $err) = make('uninstall-model', "PREFIX=$prefix");
    like("$status $err", qr{^2 uninstall-model: lib/dstest86/installed line \d+: not a file of install-model; delete this line$}m, "the line '$line' is refused");
}
ok(-e "$folder/victim" && -x $command, '... and every file stays');
write_file($list, $installed);
is((make('uninstall-model', "PREFIX=$prefix/"))[0], 0, 'make uninstall-model, with a slash at the end');
is(left($prefix), "@mine", "... leaves a user's files");
($status, $out, $err) = make('uninstall-model', "PREFIX=$prefix");
like("$status $err", qr{^2 uninstall-model: \S+/installed: no such file, so make install-model did not install here$}m, '... and nothing the second time');
make_path("$folder/d/p/lib", "$folder/elsewhere");
symlink("$folder/elsewhere", "$folder/d/p/lib/dstest86");
is((make("$_-model", "DESTDIR=$folder/d", 'PREFIX=/p'))[0], 0, "make $_-model through a link, in DESTDIR") for qw(install uninstall);
is(left("$folder/d") . left("$folder/elsewhere"), 'p/lib/dstest86', '... which leaves only the link');

# Folders that a shell would read as something else are refused before anything runs.
for my $name ('my dir', "it's", '"', '$HOME', '$$HOME', '`touch pwned`', ';touch pwned', '*', "line\nline", '../my', '..', '#', '\\') {
    make_path("$folder/odd/my", "$folder/odd/$name");
    write_file("$folder/odd/my/file", '');
    for my $set (["PREFIX=$folder/odd/$name"], ["DESTDIR=$folder/odd/$name", 'PREFIX=/usr']) {
        ($status, $out, $err) = make($_, @$set) and ok($status == 2 && $err =~ /expected an absolute path/, "$_ $set->[0] is refused")
            || diag "$status $err" for qw(install-model uninstall-model);
    }
    remove_tree("$folder/odd/$name") if $name !~ /\.\./;
}
for my $set ('PREFIX=', 'PREFIX=relative', 'PREFIX=./x', 'DESTDIR=relative') {
    ($status, $out, $err) = make('install-model', $set);
    ok($status == 2 && $err =~ /expected an absolute path/, "$set is refused") or diag "$status $err";
}
is(left("$folder/odd"), 'my/file', '... and the folder is as before');

# `make clean` removes only what is in build/, whatever its name is.
for my $b ('', '/tmp', 'build/..', 'tools', 'build tools') {
    ($status, $out, $err) = make('-n', 'clean', "B=$b");
    ok($status == 2 && $err =~ /expected build or a folder below it/, "make clean B=$b is refused") or diag "$status $err";
}
my $kept = "clean.t.$$";
make_path("$root/build/$kept/x $kept", "$root/build/$kept/toolchain", "$root/$kept");
is((make('clean', "B=build/$kept"))[0], 0, 'make clean');
is(join(' ', map { s{^\Q$root\E/}{}r } glob("$root/build/$kept/* $root/$kept")), "build/$kept/toolchain $kept", '... of a name with a blank');
remove_tree("$root/build/$kept", "$root/$kept");
done_testing();
