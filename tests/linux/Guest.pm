# SPDX-License-Identifier: MIT
# For tests/linux/run and run32: boots guests with the model, reads their output, and prints TAP.
package Guest;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path);
use List::Util qw(max);
our @EXPORT_OK = qw(check skip done command lines reports sections counts compare differ check_end check_kernel_log boot_each);
our ($logs, $again);    # the folder of the guests' folders; whether to judge the files of earlier boots there

my $build = dirname(__FILE__) . '/../../build';
$logs = "$build/linux-test";
my $seconds = 1200;    # for one boot, which takes about two minutes on an idle machine
my ($number, $failed) = (0, 0);

# check NAME, PROBLEM..: one line of TAP, followed by the first problems.
sub check
{
    my ($name, @wrong) = @_;
    $failed += !!@wrong;
    printf "%sok %d - %s\n", @wrong ? 'not ' : '', ++$number, $name;
    print map { "# $_\n" } @wrong > 10 ? (@wrong[0 .. 9], '...') : @wrong;
}

sub skip
{
    my ($name, $why) = @_;
    printf "ok %d - %s # SKIP %s\n", ++$number, $name, $why;
}

# Prints the plan, and returns the status to exit with.
sub done
{
    print "1..$number\n";
    return $failed ? 1 : 0;
}

sub command
{
    open my $pipe, '-|', @_ or die "run: $_[0]: $!\n";
    my @lines = <$pipe>;
    close $pipe or die "run: $_[0] failed\n";
    return @lines;
}

# ---- a boot ---------------------------------------------------------------------------------------------------------
# Boots NAME. %is: qemu, linux (chooses the initramfs and the kernel's folder below build/), kernel (another kernel's path),
# model (the profile), processors, devices, append. Returns the process.
sub start_boot
{
    my ($name, %is) = @_;
    my $folder = "$logs/$name";
    my ($kernel) = $is{kernel} // glob "$build/$is{linux}/boot/vmlinuz-*";
    make_path($folder);
    unlink map { "$folder/$_" } qw(console stderr truth violations);
    my $pid = fork // die "run: fork: $!\n";
    if (!$pid) {
        alarm $seconds;
        open STDIN, '<', '/dev/null' or die "run: /dev/null: $!\n";
        open STDOUT, '>', "$folder/console" or die "run: $folder/console: $!\n";
        open STDERR, '>', "$folder/stderr" or die "run: $folder/stderr: $!\n";
        exec "$build/qemu-ds", defined $is{qemu} ? ('--qemu', "$build/$is{qemu}") : (), '--profile', $is{model},
            '--truth', "$folder/truth", '--violations', "$folder/violations", qw(-machine q35 -smp), $is{processors} // 2,
            qw(-m 1024 -nodefaults -no-user-config -no-reboot -display none -serial stdio),
            @{ $is{devices} // [] }, '-kernel', $kernel, '-initrd', "$build/initramfs-$is{linux}.gz", '-append',
            "console=ttyS0 panic=-1 tsc=reliable no_timer_check $is{append}" or die "run: QEMU: $!\n";
    }
    return $pid;
}

# Boots [NAME, start_boot's arguments].., as many at a time as there are processors. Calls $ended->(NAME, STATUS, SECONDS) at
# each end.
sub boot_each
{
    my ($ended, @waiting) = @_;
    return map { $ended->($_->[0], 0, 0) } @waiting if $again;
    my ($processors) = command('nproc');
    my %running;
    while (@waiting || %running) {
        while (@waiting && keys %running < $processors) {
            my ($name, %is) = @{ shift @waiting };
            $running{ start_boot($name, %is) } = [ $name, time ];
        }
        my $pid = wait;
        my $status = $?;
        my ($name, $since) = @{ delete $running{$pid} // next };
        $ended->($name, $status, time - $since);
    }
}

sub lines
{
    my ($path) = @_;
    open my $file, '<', $path or return ();
    return map { s/\r?\n\z//r } <$file>;
}

# The violations and the advice in the referee's report.
sub reports
{
    my ($folder) = @_;
    return grep { /^(?:violation|advice) / } lines("$folder/violations");
}

# The guest's output, by section.
sub sections
{
    my ($path) = @_;
    my (%of, $name);
    for (lines($path)) {
        if (/^@@ (\w+)$/) {
            $name = $1;
            $of{$name} //= [];
        } elsif (defined $name) {
            push @{ $of{$name} }, $_;
        }
    }
    return \%of;
}

# ---- the expected output --------------------------------------------------------------------------------------------
# The counts of "perf stat -x,", by event, with the name NAME:MODIFIER also on a hybrid.
sub counts
{
    my ($lines) = @_;
    return map { m{^(\d+),,(?:cpu_\w+/([\w-]+)/(\w*)|([^,]+))} ? ($4 // "$2:$3" => $1) : () } @$lines;
}

sub compare
{
    my ($count, %expected) = @_;
    return map { ($count->{$_} // 'nothing') eq $expected{$_} ? () :
            "$_: " . ($count->{$_} // 'no count') . ", must be $expected{$_}" } sort keys %expected;
}

# The first difference of lines.
sub differ
{
    my ($seen, $expected) = @_;
    for my $n (0 .. max($#$seen, $#$expected)) {
        my ($says, $must) = map { $_->[$n] // 'nothing' } $seen, $expected;
        return "line @{[$n + 1]} is '$says', must be '$must'" if $says ne $must;
    }
    return ();
}

sub check_end
{
    my ($what, $name, $status, $of) = @_;
    my $folder = "$logs/$name";
    check($what, $status == 0 && $of->{end} ? () : ("status $status", (lines("$folder/stderr"))[-1] // '',
        (lines("$folder/console"))[-1] // ''));
}

# The features that Linux found, sorted, because their order depends on Linux's version.
sub facilities { my ($line) = @_; return join ', ', sort split /, */, $line }

# The kernel's log: the features found, further texts ($says), and no warning.
sub check_kernel_log
{
    my ($name, $finds, $says, $lines) = @_;
    my ($line) = map { /Performance Events: (.*)/ ? $1 : () } @$lines;
    check("$name: Linux names the processor and its features", facilities($line // '') eq facilities($finds) ? () : 'it says: ' . ($line // 'nothing'));
    check("$name: $says->[0]", map { my $says = $_; (grep { /\Q$says\E/ } @$lines) ? () : "it does not say: $says" } @$says);
    my $warning = qr/WARNING:|unchecked MSR|Call Trace|\bBUG:|perfevents:|Firmware Bug|PEBS.*(?:disabled|broken)|Oops/;
    check("$name: Linux prints no warning", grep { /$warning/ } @$lines);
}

1;
