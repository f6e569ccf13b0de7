# SPDX-License-Identifier: MIT
# A machine that a test watches while it runs: starts scripts/machine with a QMP socket, waits for lines of its log, reads
# its screen and memory, and ends it. A time limit bounds all of this.
package Machine;
use strict;
use warnings;
use File::Basename qw(dirname);
use Files qw(read_file);
use IO::Socket::UNIX;
use JSON::PP qw(encode_json decode_json);
use POSIX qw(WNOHANG);

my $root = dirname(__FILE__) . "/../..";
# seconds: the limit of the whole run; folder: for its files; the rest are options of scripts/machine, with "--" before
# QEMU's. timeout(1) enforces the limit, and every wait in this module ends with the machine.
sub start
{
    my ($class, $seconds, $folder, @options) = @_;
    my ($log, $socket) = map { "$folder/$_" } qw(serial qmp);
    unlink $socket, $log;
    push @options, '--' if !grep { $_ eq '--' } @options;
    my $pid = fork // die "Machine.pm: fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', $log or die "Machine.pm: $log: $!\n";
        exec 'timeout', '--kill-after=5', $seconds, "$root/scripts/machine", 'boot', @options, '-qmp', "unix:$socket,server=on,wait=off";
        die "Machine.pm: timeout: $!\n";
    }
    my $self = bless { pid => $pid, folder => $folder, log => $log }, $class;
    $self->pause until $self->{qmp} = IO::Socket::UNIX->new($socket);
    $self->command('qmp_capabilities');
    return $self;
}

# The first call after the end sets $? to the status.
sub has_ended
{
    my ($self) = @_;
    return waitpid($self->{pid}, WNOHANG) != 0;
}

# For callers that poll a running machine.
sub pause
{
    my ($self) = @_;
    die "Machine.pm: the machine ended, status ", $? >> 8, "; its log ends:\n", substr($self->log, -2000), "\n" if $self->has_ended;
    select undef, undef, undef, 0.1;
}

# The log so far.
sub log
{
    my ($self) = @_;
    return -e $self->{log} ? read_file($self->{log}) : '';
}

# Waits until the log matches, and returns it.
sub wait_for
{
    my ($self, $pattern) = @_;
    while ($self->log !~ $pattern) {
        eval { $self->pause; 1 } or $self->log =~ $pattern or die "Machine.pm: no $pattern: $@";
    }
    return $self->log;
}

# Executes a QMP command; returns its result.
sub command
{
    my ($self, $name, %arguments) = @_;
    print {$self->{qmp}} encode_json({ execute => $name, arguments => \%arguments }), "\n";
    $self->{qmp}->flush;
    while (my $line = readline $self->{qmp}) {
        my $answer = decode_json($line);
        die "Machine.pm: $name: $answer->{error}{desc}\n" if $answer->{error};
        return $answer->{return} if exists $answer->{return};
    }
    die "Machine.pm: $name: no answer\n";
}

# A PPM file of the screen.
sub screendump
{
    my ($self) = @_;
    my $path = "$self->{folder}/screen.ppm";
    $self->command('screendump', filename => $path);
    return $path;
}

# Bytes of physical memory.
sub memory
{
    my ($self, $address, $size) = @_;
    my $path = "$self->{folder}/memory";
    $self->command('pmemsave', val => $address, size => $size, filename => $path);
    return read_file($path);
}

sub stop
{
    my ($self) = @_;
    $self->command('quit');
    waitpid $self->{pid}, 0;
}

sub DESTROY
{
    my ($self) = @_;
    local $?;
    return if $self->has_ended;
    kill TERM => $self->{pid};
    waitpid $self->{pid}, 0;
}

1;
