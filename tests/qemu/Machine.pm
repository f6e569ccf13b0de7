# SPDX-License-Identifier: MIT
#
# A machine that a test watches while it runs: starts tests/qemu/boot with a QMP socket, waits for lines of its log, looks at
# its screen and memory, and ends it. Everything is bounded by the seconds that it is given.
package Machine;
use strict;
use warnings;
use FindBin;
use IO::Socket::UNIX;
use JSON::PP qw(encode_json decode_json);
use POSIX qw(WNOHANG);

# seconds: the limit of the whole run; folder: where its files go; the rest are the options of tests/qemu/boot, in which "--"
# stands before QEMU's.
sub start
{
    my ($class, $seconds, $folder, @options) = @_;
    my $self = bless { end => time + $seconds, folder => $folder, log => "$folder/serial" }, $class;
    my $socket = "$folder/qmp";
    unlink $socket, $self->{log};
    push @options, '--' if !grep { $_ eq '--' } @options;
    $self->{pid} = fork // die "Machine.pm: fork: $!\n";
    if (!$self->{pid}) {
        open STDOUT, '>', $self->{log} or die "Machine.pm: $self->{log}: $!\n";
        exec 'timeout', $seconds, "$FindBin::Bin/boot", @options, '-qmp', "unix:$socket,server=on,wait=off";
        die "Machine.pm: timeout: $!\n";
    }
    until ($self->{qmp} = IO::Socket::UNIX->new($socket)) {
        die "Machine.pm: no machine began: status ", $? >> 8, "\n" if waitpid($self->{pid}, WNOHANG) != 0;
        $self->pause;
    }
    $self->command('qmp_capabilities');
    return $self;
}

sub pause
{
    my ($self) = @_;
    die "Machine.pm: the machine took too long; its log ends:\n", substr($self->log, -2000), "\n" if time > $self->{end};
    select undef, undef, undef, 0.1;
}

# The log so far.
sub log
{
    my ($self) = @_;
    open my $file, '<:raw', $self->{log} or return '';
    local $/;
    return <$file> // '';
}

# Waits until the log matches, and returns it.
sub wait_for
{
    my ($self, $pattern) = @_;
    while ($self->log !~ $pattern) {
        if (waitpid($self->{pid}, WNOHANG) != 0) {
            delete $self->{pid};
            die "Machine.pm: the machine ended before $pattern; its log ends:\n", substr($self->log, -2000), "\n"
                if $self->log !~ $pattern;
        }
        $self->pause;
    }
    return $self->log;
}

# A command of QMP, and what it returns.
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
    unlink $path;
    $self->command('screendump', filename => $path);
    return $path;
}

# Bytes of physical memory.
sub memory
{
    my ($self, $address, $size) = @_;
    my $path = "$self->{folder}/memory";
    unlink $path;
    $self->command('pmemsave', val => $address, size => $size, filename => $path);
    open my $file, '<:raw', $path or die "Machine.pm: $path: $!\n";
    local $/;
    return <$file>;
}

sub stop
{
    my ($self) = @_;
    $self->command('quit');
    waitpid $self->{pid}, 0;
    delete $self->{pid};
}

sub DESTROY
{
    my ($self) = @_;
    return if !$self->{pid};
    local $?;
    kill TERM => $self->{pid};
    waitpid $self->{pid}, 0;
}

1;
