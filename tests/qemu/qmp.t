#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Machine.pm starts a machine, asks it by QMP, waits for its log and ends it, and says what goes wrong: a machine is replayed that
# speaks QMP.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Replay qw(new_tree write_file read_file machine);
use Test::More;

my $top = new_tree();

# The machine: answers what it is asked, an event before each answer, and logs a line when a file is there.
write_file("$top/speaker", <<'END');
use strict;
use warnings;
use IO::Socket::UNIX;
use JSON::PP;
# The machine is not gone at once, so that who does not wait for its end misses its last line.
sub end { my ($last, $status) = @_; select undef, undef, undef, 0.15; print "$last\n"; exit $status }
$SIG{TERM} = sub { end('ended', 0) };
$| = 1;
my ($path) = "@ARGV" =~ /-qmp unix:([^,]+),server=on,wait=off$/ or die "no QMP\n";
my $server = IO::Socket::UNIX->new(Local => $path, Listen => 1) or die "$path: $!\n";
my $client = $server->accept;
$client->autoflush;
print $client qq({"QMP": {"version": {}}}\n);
my $capable = 0;
while (my $line = <$client>) {
    my $asked = decode_json($line);
    my ($name, $is) = @$asked{qw(execute arguments)};
    print $client qq({"event": "RESUME"}\n);
    $capable ||= $name eq 'qmp_capabilities';
    if ($is->{filename}) {
        open my $file, '>', $is->{filename} or die "$is->{filename}: $!\n";
        print $file join "\n", $name, map { defined $is->{$_} ? "$_ $is->{$_}" : () } qw(val size);
        close $file;
    }
    print "later\n" if $name eq 'say';
    print $client $capable && $name ne 'wrong' ? qq({"return": {"name": "$name"}}\n) : qq({"error": {"desc": "not known: $name"}}\n) if $name ne 'mute';
    exit 33 if $name eq 'mute';
    end('gone', 33) if $name eq 'quit';
}
sleep 100;
END

# What is done with the machine, in a process of its own, whose boot is Replay.pm's: its output, and how it died.
sub does
{
    my ($seconds, $ending, $perl, @options) = @_;
    machine($top, 'one', serial => "begin\n", stderr => '', ending => $ending);
    write_file("$top/tests/qemu/uses", <<"END");
use strict;
use warnings;
use FindBin;
use lib \$FindBin::Bin;
use Machine;
my \$machine = Machine->start($seconds, '$top', qw(-o replay=one @options));
$perl
END
    # Not by a pipe, which the machine would hold open, too.
    system("$^X $top/tests/qemu/uses >$top/said 2>&1");
    return read_file("$top/said");
}
my $speaks = "exec $^X $top/speaker \$given\n";

is(does(60, $speaks, q(print $machine->command('query', of => 1)->{name}, "\n", $machine->wait_for(qr/^begin$/m); $machine->stop; print $machine->log)),
    "query\nbegin\nbegin\ngone\n", 'a machine that is asked, watched and stopped');
is(read_file("$top/tests/qemu/machines/one/arguments") =~ s{unix:\S+/qmp,}{unix:SOCKET,}r, "-o replay=one -- -qmp unix:SOCKET,server=on,wait=off\n", '... as it is told');
does(60, $speaks, '', '--', '-m', '1');
like(read_file("$top/tests/qemu/machines/one/arguments"), qr/^-o replay=one -- -m 1 -qmp /, '... with options of QEMU');
is(does(60, $speaks, q($machine->command('say'); print $machine->wait_for(qr/^later$/m))), "begin\nlater\n", 'a line that comes later');
is(read_file("$top/serial"), "begin\nlater\nended\n", '... from a machine that is ended with who started it');
is(does(60, $speaks, q(open my $file, '<', $machine->screendump; print <$file>, "\n", $machine->memory(4096, 12))), "screendump\npmemsave\nval 4096\nsize 12",
    'its screen and its memory');
is(does(60, $speaks, q($machine->command('wrong'))), "Machine.pm: wrong: not known: wrong\n", 'a command that is refused');
is(does(60, $speaks, q($machine->command('mute'))), "Machine.pm: mute: no answer\n", 'one that is not answered');
my $ends = 'Machine.pm: the machine ended, status';
is(does(60, $speaks, q($machine->command('quit'); $machine->wait_for(qr/never/))), "Machine.pm: no (?^:never): $ends 33; its log ends:\nbegin\ngone\n\n", 'a machine that ends before');
is(does(60, $speaks, q($machine->command('quit'); $machine->wait_for(qr/^gone$/m); print $machine->wait_for(qr/begin/))), "begin\ngone\n", 'one that has said it when it ends');
is(does(60, "exit 3\n", ''), "$ends 3; its log ends:\nbegin\n\n", 'one that does not begin');
is(does(1, "exec sleep 20\n", ''), "$ends 124; its log ends:\nbegin\n\n", 'one that says nothing by QMP, in the time that it has') or diag(read_file("$top/serial"));
is(does(1, $speaks, q($machine->wait_for(qr/never/))), "Machine.pm: no (?^:never): $ends 124; its log ends:\nbegin\nended\n\n", 'one that says too little in time');
{
    local $ENV{PATH} = "$top/none";
    like(does(60, $speaks, ''), qr{^Machine\.pm: timeout: No such file or directory\n\Q$ends\E 2; its log ends:\n\n\z}m,
        'one that nothing can start');
}
does(60, $speaks, 'exit 3');
is($? >> 8, 3, 'a machine that is ended leaves the status alone');
is(does(60, $speaks, q($machine->{log} = '/none'; print 'nothing' . $machine->log)), 'nothing', 'no log yet');
done_testing;
