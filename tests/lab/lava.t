#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# LAVA's dispatcher runs the jobs of contrib/lab/ on their device types: QEMU with the model, started by LAVA, or as a lab's
# machine that boots by PXE. LAVA has the kernel's result of each test. A job on a machine that hangs, dies or prints no line
# fails, and lines lost on the serial line are detected. Needs root.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use FindBin;
use POSIX qw(mkfifo);
use Test::More;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file run write_file);
use KernelLog qw(clean);

my $root = realpath("$FindBin::Bin/../..");
for my $needed (qw(lava-run in.tftpd)) {
    plan skip_all => "no $needed here; ./bootstrap --lab installs it" if !grep { -x "$_/$needed" } split(/:/, $ENV{PATH}), '/usr/sbin';
}
plan skip_all => 'no YAML::XS here; ./bootstrap --lab installs it' if !eval { require YAML::XS };
plan skip_all => 'lava-run wants to be root' if $>;
YAML::XS->import(qw(Load LoadFile DumpFile));

my $folder = tempdir(CLEANUP => 1);
my ($tftp) = map { /^TFTP_DIRECTORY="(.*)"/ ? $1 : () } split /\n/, read_file('/etc/default/tftpd-hpa');
my $served = "dstest86-$$";    # below it, where LAVA puts a job's files, too
END { my $status = $?; remove_tree("$tftp/$served") if defined $tftp; $? = $status }
my %running;    # PID => name
END { my $status = $?; kill 'TERM', keys %running; 1 while wait != -1; $? = $status }
$SIG{$_} = sub { exit 1 } for qw(INT TERM HUP);

# Starts lava-run with a job of contrib/lab/, modified by $change, and a device of its type with these variables.
sub start
{
    my ($name, $job, $change, %variables) = @_;
    my $here = "$folder/$name";
    my $definition = LoadFile("$root/contrib/lab/$job.yaml");
    $change->($definition, map { values %$_ } @{ $definition->{actions} });
    DumpFile("$here/job.yaml", $definition);
    write_file("$here/device", "{% extends '$definition->{device_type}.jinja2' %}\n" .
        join '', map { "{% set $_ = '$variables{$_}' %}\n" } sort keys %variables);
    write_file("$here/dispatcher.yaml", "dispatcher_ip: 10.0.2.2\n");    # the host's address in QEMU's network
    system("$FindBin::Bin/render.py '$root/contrib/lab' '$here/device' '$here/job.yaml' >'$here/device.yaml'") == 0 or die "lava.t: render.py: $name\n";
    my $pid = fork // die "lava.t: fork: $!\n";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$here/log";
        open STDERR, '>&', \*STDOUT;
        local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
        exec 'lava-run', '--job-id', "$served-$name", '--output-dir', "$here/output", '--device', "$here/device.yaml", '--dispatcher',
            "$here/dispatcher.yaml", "$here/job.yaml" or die "lava.t: lava-run: $!\n";
    }
    $running{$pid} = $name;
    return;
}

# A folder with qemu-ds, laid out like an installation.
sub new_folder
{
    my ($name) = @_;
    my $here = "$folder/$name";
    make_path($here);
    copy("$root/model/qemu/qemu-ds", $here) && chmod 0755, "$here/qemu-ds" or die "lava.t: $here/qemu-ds: $!\n";
    symlink "$root/build/$_", "$here/$_" for qw(dsmodel.so qemu-system-x86_64);
    return $here;
}

# Starts a job with a shell command as QEMU. In it, "$@" are QEMU's arguments.
sub start_command
{
    my ($name, $command, $change) = @_;
    my $here = new_folder($name);
    write_file("$here/command", "#!/usr/bin/env bash\ncd '$here' || exit\n$command\n");
    chmod 0755, "$here/command";
    start($name, 'lava-job', $change, command => "$here/command");
    return;
}

# Starts a job: qemu-ds with the model's options boots the kernel with these options. $filter changes its serial output.
sub start_qemu
{
    my ($name, $options, $model, $filter, $change) = @_;
    my $command = "./qemu-ds $model \"\$\@\" -chardev stdio,id=line,logfile=serial.log";
    start_command($name, "set -- \"\${\@/#stdio/chardev:line}\"\n" . ($filter ? "$command | $filter" : "exec $command"), sub {
        my ($job, $deploy) = @_;
        $deploy->{images}{kernel} = { image_arg => "-kernel {kernel} -append \"$options\"", url => "file://$root/build/dstest86-64.elf" };
        $change->(@_) if $change;
    });
    return;
}

# Starts a job whose QEMU prints a given log.
sub start_replay
{
    my ($name, $ending, @lines) = @_;
    start_command($name, "cat serial.log\n$ending", sub { $_[1]{images}{kernel}{url} = "file://$root/README.md" });
    write_file("$folder/$name/serial.log", join '', map { "$_\r\n" } '', @lines);
    return;
}

# LAVA waits at most this long for the beginning, for the next result, and for the verdict.
my $patience = 20;    # seconds
sub impatient
{
    my ($job, $deploy, $boot) = @_;
    $job->{timeouts}{connection} = $boot->{timeout} = { seconds => $patience };
    return;
}

sub start_pxe
{
    my $here = new_folder('pxe');
    make_path("$tftp/$served");
    copy("$root/build/toolchain/ipxe/snponly.efi", "$tftp/$served") or die "lava.t: snponly.efi: $!; run ./bootstrap --lab\n";
    symlink $tftp, "$here/tftp";
    write_file("$here/bootfile", "$served/snponly.efi");
    mkfifo("$here/$_", 0600) or die "lava.t: $here/$_: $!\n" for qw(serial.in serial.out);
    my $machine = "$FindBin::Bin/machine $here";
    start('pxe', 'lava-pxe-job', sub {
        my ($job, $deploy, $boot) = @_;
        $deploy->{kernel}{url} = "file://$root/build/BOOTX64.EFI";
        s/run=\*/run=quick/ for @{ $boot->{commands} };
    }, connection_command => "$machine connect", hard_reset_command => "$machine cycle", power_off_command => "$machine off");
    return;
}

my @words = ('# begin dstest86 0.1.0 abc 64', 'KTAP version 1', '1..7', '# test bts.one', 'ok 1 bts.one', '# differs: 5 is not 6', 'ok 2 lbr.two',
    'ok 3 pebs.three_a.4 # SKIP no PEBS: ok 9 none', '# wrong: got 1', 'not ok 4 bts.four', 'not ok 5 bts.five # ERROR no verdict',
    'not ok 6 bts.six # TIMEOUT', 'ok 7 bts.one.atom', '# panic vector 8', '# end dstest86 verdict=panic');
my %word = ('bts.one' => 'pass', 'lbr.two' => 'pass', 'pebs.three_a.4' => 'skip', 'bts.four' => 'fail', 'bts.five' => 'fail', 'bts.six' => 'fail',
    'bts.one.atom' => 'pass', verdict => 'fail');

my $begun = time;
start_pxe();
start_qemu('all', 'run=*', '');
start_qemu('fault', 'run=lbr.tos,lbr.tos.wrap,lbr.wrap,lbr.freeze_on_overflow', '--fault lbr.tos.off_by_one', '', sub { $_[0]{context}{model} = 'core2' });
start_qemu('lost', 'run=bts.*', '', 'grep --line-buffered -v "^ok 3 "');
start_qemu('hangs', 'gdbwait', '', '', \&impatient);
start_qemu('silent', 'console=none', '', '', \&impatient);
start_command('no-kernel', 'exec ./qemu-ds "$@"', sub { $_[1]{images}{kernel}{url} = "file://$root/README.md" });
start_replay('words', 'sleep 600', @words);
start_replay('dies', '', @words[0 .. 6]);

my %status;
$SIG{ALRM} = sub { die "lava.t: lava-run does not end: @{[sort values %running]}\n" };
alarm 400;
while (%running) {
    my $pid = wait;
    $status{ delete $running{$pid} } = $? >> 8;
}
alarm 0;
diag sprintf '%d jobs took %d s', scalar keys %status, time - $begun;

sub why { return YAML::XS::LoadFile("$folder/$_[0]/output/result.yaml")->{error_msg} }

# Runs contrib/lab/lava-results for a job, which also writes FOLDER/kernel.log. Returns its status, its complaints, and LAVA's
# results, ID => result.
sub judged
{
    my ($name) = @_;
    my ($status, $table, $complaints) =
        run("$root/contrib/lab/lava-results", '-o', "$folder/$name/kernel.log", "$folder/$name/log");
    write_file("$folder/$name/table", $table);
    return ($status, $complaints, { map { /^(pass|fail|skip) +\S+ +(\S+)$/ ? ($2 => $1) : () } split /\n/, $table });
}

# A text without repeated characters: QEMU's log of a serial line repeats characters that the line did not accept at once.
sub single { return $_[0] =~ s/(.)\1+/$1/gsr }

# Checks that a job's results are those in QEMU's log of the serial line.
sub agrees
{
    my ($name, $least) = @_;
    is($status{$name}, 0, "$name: the job runs") or diag why($name);
    my ($judged, $complaints, $says) = judged($name);
    is("$judged$complaints", '0', "... contrib/lab/lava-results: LAVA's results equal the kernel's");
    my ($log) = single(join '', map { clean($_) . "\n" } split /\n/, read_file("$folder/$name/serial.log")) =~ /^(# begin .*^# end [^\n]*\n)/ms;
    ok(defined $log && single(read_file("$folder/$name/kernel.log")) eq $log, "... and extracts the kernel's log");
    cmp_ok(scalar keys %$says, '>', $least, '... there is a result for each test');
    return $says;
}

my ($qemu, $pxe) = map { [grep { exists $_->{test} } @{ LoadFile("$root/contrib/lab/$_.yaml")->{actions} }] } qw(lava-job lava-pxe-job);
is_deeply($pxe->[0]{test}{monitors}, $qemu->[0]{test}{monitors}, 'both jobs have the same patterns');

my $all = agrees('all', 300);
is($all->{verdict}, 'pass', '... it passes');
cmp_ok(scalar(grep { $_ eq 'skip' } values %$all), '>', 100, '... and some are skipped');
my %case = map { s/\W+/_/gr => 1 } keys %$all;
is(scalar keys %case, scalar keys %$all, "... LAVA's names of the tests are unique");
diag read_file("$folder/all/table") =~ s/^(?:.*\n){6}\K(?:.*\n)*?(?=(?:.*\n){6}\z)/ ...\n/r;

my $quick = agrees('pxe', 20);
is($quick->{verdict}, 'pass', '... it passes');
like(read_file("$folder/pxe/kernel.log"), qr/^# boot route uefi x64\b/m, "... started by the project's loader");
like(read_file("$folder/pxe/log"), qr{"msg": "iPXE> chain tftp://10\.0\.2\.2/$served-pxe/}, '... which iPXE loaded by TFTP');
ok(!-e "$folder/pxe/pid", '... the machine is switched off at the end');

my $fault = agrees('fault', 4);
is(join(' ', grep { $fault->{$_} eq 'fail' } sort keys %$fault), 'lbr.tos verdict', 'a fault of the model: only its test fails, and the verdict');

is($status{words}, 0, 'a log with every kind of result: the job runs');
is_deeply((judged('words'))[2], \%word, '... LAVA has each result; the verdict panic is a failure');

is($status{dies}, 1, 'QEMU ends during the tests: the job fails');
is_deeply((judged('dies'))[2], { map { $_ => $word{$_} } qw(bts.one lbr.two) }, '... with the results until then');
like(why('dies'), qr/Connection closed/, '... with the reason');

for my $name (qw(hangs silent no-kernel)) {
    is($status{$name}, 1, "$name: the job fails");
    like(why($name), $name eq 'no-kernel' ? qr/Connection closed/ : qr/timed out/, '... with the reason');
    my ($seconds) = read_file("$folder/$name/log") =~ /"case": "lava-test-monitor", "definition": "lava", "duration": "([\d.]+)"/;
    cmp_ok($seconds, '<', 3.5 * $patience, '... within its time limit');
    my ($judged, $said, $says) = judged($name);
    is_deeply([$judged, $says], [1, {}], '... without results, and contrib/lab/lava-results fails');
    like($said, qr/^lava-results: the job failed: /m, '... with the reason');
}
like(read_file("$folder/hangs/kernel.log"), qr/^# begin .*^# waiting for a debugger/ms, 'the log of the machine that hangs has a beginning');
is(read_file("$folder/silent/kernel.log"), '', 'the log of the silent machine is empty');

is($status{lost}, 0, 'a line is lost: LAVA does not detect it');
my ($lost, $said) = judged('lost');
my ($planned) = read_file("$folder/lost/serial.log") =~ /^1\.\.(\d+)/m;
is($lost, 1, '... contrib/lab/lava-results detects it');
like($said, qr/^lava-results: plan of $planned, @{[$planned - 1]} reported$/m, '... by the plan');

done_testing;
