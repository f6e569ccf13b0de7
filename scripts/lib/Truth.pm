# SPDX-License-Identifier: MIT
# Compares the records that the kernel decoded and printed with the model's truth log, field by field. The two come
# from independent code: the kernel reads bytes and registers, the model logs its own actions.
package Truth;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(compare);

# Keys that are not fields of a PEBS record; all others must be equal on both sides.
my %is_about = map { $_ => 1 } qw(vcpu at size interrupts n where);

# The kernel's values for fields that the LBR format, and so the truth log, lacks.
my %lbr_absent = (mispred => '-', in_tsx => '0x0', abort => '0x0', cycles => '0x0', type => '-', events => '0x0');
my @lbr_keys = (qw(from to), sort keys %lbr_absent);

# After this many stacks without a match, the rest are not compared.
my $stacks_searched = 3;

# Branch types of architectural LBRs: the SDM's number to perf's word; the others are "other".
my @types = qw(JCC IND_JMP JMP IND_CALL CALL RET);

# Normalizes numbers to hex without leading zeroes.
sub number
{
    my ($text) = @_;
    return $text =~ /^0x0*([0-9a-f]+)$/i ? "0x\L$1" : $text =~ /^[0-9]+$/ ? sprintf('0x%x', $text) : $text;
}

# A branch type of the truth, as the kernel prints it.
sub type_word { return $types[hex $_[0]] // 'other' }

# The fields of a branch in the truth, as FROM/TO/PREDICTION/TSX/ABORT/CYCLES[/TYPE[/EVENTS]]; empty if it is not a branch.
sub printed_branch
{
    my ($text) = @_;
    my ($from, $to, $prediction, $tsx, $abort, $cycles, $type, $events) =
        $text =~ m{^(0x[0-9a-f]+)/(0x[0-9a-f]+)/([MP-])/([X-])/([A-])/(\d+)(?:/(\w+)(?:/([0-3]{4}))?)?(?: |$)} or return;
    return { from => number($from), to => number($to), mispred => {M => '0x1', P => '0x0', '-' => '-'}->{$prediction},
        in_tsx => $tsx eq 'X' ? '0x1' : '0x0', abort => $abort eq 'A' ? '0x1' : '0x0', cycles => number($cycles),
        type => $type // '-', events => number($events // '0') };
}

# An entry of a record's LBR group as one text, for both sides.
sub group_entry
{
    my (@fields) = @_;
    return join ',', map { number($_) } @fields;
}

# Lines of the truth log to { bts => [record..], pebs => [..], lbr => [..] }, and what is wrong with the log.
sub parse_truth
{
    my ($lines) = @_;
    my (%truth, @wrong);
    my $interrupts = 0;
    return ({}, 'the truth log has no "dsmodel truth 1" line') if ($lines->[0] // '') !~ /^dsmodel truth 1\b/;
    my %branches;    # cache: lines of LBRs, most of them repeated often, to records
    for my $i (1 .. $#$lines) {
        if (my $known = $branches{$lines->[$i]}) {
            push @{$truth{lbr}}, $known;
            next;
        }
        my ($kind, @words) = split ' ', $lines->[$i];
        $interrupts++ if ($kind // '') eq 'pmi';
        next if ($kind // '') =~ /^(pmi|pebs-dropped)$/;    # not records, although the second would have been one
        if (($kind // '') !~ /^(bts|pebs|lbr)$/ || grep { !/^\w+=\S+$/ } @words) {
            push @wrong, 'truth line ' . ($i + 1) . " is not understood: $lines->[$i]";
            next;
        }
        my %record = map { my ($key, $value) = split /=/; ($key => number($value)) } @words;
        if ($kind eq 'lbr') {
            $record{type} = type_word($record{type}) if defined $record{type};
            $branches{$lines->[$i]} = \%record;
        } elsif ($kind eq 'pebs') {
            for (grep { /^lbr\d+$/ } keys %record) {
                my @fields = split /,/, $record{$_};
                $fields[6] = type_word(number($fields[6])) if @fields > 6;
                $record{$_} = group_entry(@fields);
            }
        }
        $record{interrupts} = $interrupts;
        push @{$truth{$kind}}, \%record;
    }
    return (\%truth, @wrong);
}

# Records printed by the kernel, in the same form; lbr => [{ tos => , entries => [newest, ..] }, ..]. Each has "where", and
# what the test printed before (docs/output.md): bts records "buffer", circular or undrained, lbr stacks "calls".
sub parse_printed
{
    my ($lines) = @_;
    my (%printed, @wrong, $test, $pebs, %next, %said);
    for my $i (0 .. $#$lines) {
        local $_ = $lines->[$i];
        my $where = sprintf 'line %d (%s)', $i + 1, $test // 'before any test';
        if (/^# test (\S+)/) {
            $test = $1;
            undef $pebs;
            %next = ();
            %said = ();
        } elsif (/^# bts buffer (circular|undrained):/) {
            $said{buffer} = $1;
        } elsif (/^# lbr as a call stack:/) {
            $said{calls} = 1;
        } elsif (/^# lbr stack (?:tos (\d+) )?depth (\d+)$/) {
            push @{$printed{lbr}}, { tos => defined $1 ? number($1) : undef, depth => $2, entries => [],
                calls => $said{calls}, where => $where };
            $next{lbr} = 0;
        } elsif (/^# (bts|lbr|pebs) (\d+) (.*)$/) {
            my ($kind, $n, $rest) = ($1, $2, $3);
            if ($kind eq 'pebs' && $pebs && $pebs->{n} == $n) {
                # one more line of the same record
            } else {
                push @wrong, "$where: $kind record $n after " . (($next{$kind} // 0) - 1)
                    if $n != 0 && $n != ($next{$kind} // 0);
                $next{$kind} = $n + 1;
            }
            if ($kind eq 'bts' && $rest =~ /^(0x[0-9a-f]+)(?: \S+)? => (0x[0-9a-f]+)(?: |$)/) {
                my ($from, $to) = ($1, $2);
                push @{$printed{bts}}, { n => $n, buffer => $said{buffer}, from => number($from), to => number($to),
                    predicted => $rest =~ / (mis)?predicted$/ ? $1 ? 0 : 1 : undef, where => "$where: bts $n" };
            } elsif ($kind eq 'lbr' && printed_branch($rest)) {
                push @wrong, "$where: lbr entry without an \"lbr stack\" line" if !$printed{lbr};
                push @{$printed{lbr}[-1]{entries}}, printed_branch($rest) if $printed{lbr};
            } elsif ($kind eq 'pebs') {
                if (!$pebs || $pebs->{n} != $n || $rest =~ /^(?:e?ip|eventing_ip) /) {
                    $pebs = { n => $n, where => "$where: pebs $n" };
                    push @{$printed{pebs}}, $pebs;
                }
                if ($rest =~ /^lbr (\d+) (.*)/) {
                    my ($entry, $branch) = ($1, printed_branch($2));
                    push @wrong, "$where is not understood: $_" if !$branch;
                    push @wrong, "$pebs->{where}: lbr$entry twice" if exists $pebs->{"lbr$entry"};
                    $pebs->{"lbr$entry"} = group_entry(@$branch{qw(from to mispred in_tsx abort cycles)},
                        $branch->{type} ne '-' ? $branch->{type} : (),
                        $branch->{events} ne '0x0' ? $branch->{events} : ()) if $branch;
                    next;
                }
                my @words = split ' ', $rest;
                for my $w (0 .. $#words - 1) {
                    next if $words[$w] !~ /^[a-z]\w*$/ || $words[$w + 1] !~ /^(?:0x[0-9a-f]+|\d+)$/;
                    push @wrong, "$pebs->{where}: $words[$w] twice" if exists $pebs->{$words[$w]};
                    $pebs->{$words[$w]} = number($words[$w + 1]);
                }
            } else {
                push @wrong, "$where is not understood: $_";
            }
        }
    }
    return (\%printed, @wrong);
}

# Compares records that are printed once each, in the order of writing, by these keys or by all.
sub compare_in_order
{
    my ($kind, $printed, $truth, @only) = @_;
    my @wrong;
    push @wrong, sprintf '%d %s records printed, the truth has %d', scalar @$printed, $kind, scalar @$truth
        if @$printed != @$truth;
    for my $i (0 .. ($#$printed < $#$truth ? $#$printed : $#$truth)) {
        my ($got, $want) = ($printed->[$i], $truth->[$i]);
        my @keys = @only ? @only : grep { !$is_about{$_} } sort keys %{{%$got, %$want}};
        push @wrong, map { sprintf '%s: %s %s, the truth is %s', $got->{where}, $_, $got->{$_} // 'not printed',
                $want->{$_} // 'none' } grep { ($got->{$_} // '') ne ($want->{$_} // '') } @keys;
    }
    return @wrong;
}

# If the kernel prints whether a branch was predicted, the truth has that in bit 4 of the flags.
sub compare_predictions
{
    my ($printed, $truth) = @_;
    my @wrong;
    for my $i (0 .. ($#$printed < $#$truth ? $#$printed : $#$truth)) {
        my ($got, $flags) = ($printed->[$i]{predicted}, $truth->[$i]{flags} // 'none');
        push @wrong, "$printed->[$i]{where}: predicted $got, the truth has flags $flags"
            if defined $got && $got != ($flags =~ /([0-9a-f])[0-9a-f]$/ ? hex($1) & 1 : 0);
    }
    return @wrong;
}

# How many records a circular buffer overwrote before the $size ones that $printed holds. A record may be missing only
# if the one $size later overwrote it without an interrupt in between, so the kernel could not read it, or if the buffer
# was undrained, with interrupts off. Takes the last position that fits, because a loop fits at many and the buffer has
# the newest. Undef: none fits.
sub overwritten
{
    my ($printed, $truth) = @_;
    my ($size, $fits) = (scalar @$printed, undef);
    my $held = $printed->[0]{buffer} eq 'undrained';
    for my $skip (0 .. @$truth - $size) {
        $fits = $skip if !grep { $printed->[$_]{from} ne $truth->[$skip + $_]{from} ||
                $printed->[$_]{to} ne $truth->[$skip + $_]{to} } 0 .. $size - 1;
        my ($lost, $instead) = ($truth->[$skip], $truth->[$skip + $size] // last);
        last if $lost->{at} ne $instead->{at} || (!$held && $lost->{interrupts} != $instead->{interrupts});
    }
    return $fits;
}

# The truth without branch records that were overwritten in circular or undrained buffers.
sub without_overwritten
{
    my ($printed, $truth) = @_;
    my (@kept, @batch);
    my @rest = @$truth;
    for my $i (0 .. $#$printed) {
        push @batch, $printed->[$i];
        next if $i < $#$printed && $printed->[$i + 1]{n} != 0;
        splice @rest, 0, overwritten(\@batch, \@rest) // 0 if defined $batch[0]{buffer};
        push @kept, splice @rest, 0, @batch < @rest ? scalar @batch : scalar @rest;
        @batch = ();
    }
    return [@kept, @rest];
}

# The index of the truth for entry $i of a stack, from $at backwards. A call stack skips calls that have returned:
# there it is the last branch written to this register, or, if entries shift, the last that equals the entry.
sub index_of_entry
{
    my ($stack, $truth, $i, $at) = @_;
    return $at if !$stack->{calls};
    my $entry = $stack->{entries}[$i];
    $at-- while $at >= 0 && (defined $stack->{tos} ?
        hex($truth->[$at]{tos} // return -1) != (hex($stack->{tos}) - $i) % $stack->{depth} :
        $truth->[$at]{from} ne $entry->{from} || $truth->[$at]{to} ne $entry->{to});
    return $at;
}

# The first difference of a stack from the truth that ends at index $end, with the number of entries before it; nothing
# if all are equal.
sub stack_difference
{
    my ($stack, $truth, $end) = @_;
    my ($entries, $at) = ($stack->{entries}, $end + 1);
    for my $i (0 .. $#$entries) {
        $at = index_of_entry($stack, $truth, $i, $at - 1);
        return ($i, "entry $i: the truth has no entry so old") if $at < 0;
        for (@lbr_keys) {
            my $want = $truth->[$at]{$_} // $lbr_absent{$_} // 'none';
            return ($i, "entry $i: $_ $entries->[$i]{$_}, the truth is $want") if $entries->[$i]{$_} ne $want;
        }
    }
    return;
}

# A stack must be a run of branches that the model logged, without a gap. Its end must be at TOS, if there is one, and not
# before the end of the previous stack. Takes the earliest match: in loops, where runs repeat, this leaves most of the log
# for later stacks. A stack without a match costs a search of the whole truth, so after some of them the rest are skipped.
sub compare_stacks
{
    my ($stacks, $truth) = @_;
    my ($from, @wrong) = (0);
    STACK: for my $stack (@$stacks) {
        if (@wrong == $stacks_searched) {
            push @wrong, "$stack->{where}: lbr stack: not compared, nor are those behind it";
            last;
        }
        my ($best, $why) = (-1, 'the truth has no entry left that was written ' .
            (defined $stack->{tos} ? 'at TOS ' . hex $stack->{tos} : 'without a TOS'));
        for my $end ($from .. $#$truth) {
            next if ($truth->[$end]{tos} // '') ne ($stack->{tos} // '');
            my ($equal, $difference) = stack_difference($stack, $truth, $end);
            if (!defined $equal) {
                $from = $end;
                next STACK;
            }
            ($best, $why) = ($equal, $difference) if $equal > $best;
        }
        push @wrong, "$stack->{where}: lbr stack: $why";
    }
    return @wrong;
}

# Compares the kernel's lines with the truth log's. Returns a sentence on what was compared, then the problems.
sub compare
{
    my ($lines, $truth_lines) = @_;
    my ($truth, @wrong) = parse_truth($truth_lines);
    my ($printed, @misprints) = parse_printed($lines);
    push @wrong, @misprints;
    $printed->{$_} //= [], $truth->{$_} //= [] for qw(bts pebs lbr);
    my $bts = without_overwritten($printed->{bts}, $truth->{bts});
    push @wrong, compare_in_order('bts', $printed->{bts}, $bts, qw(from to));
    push @wrong, compare_predictions($printed->{bts}, $bts);
    push @wrong, compare_in_order('pebs', $printed->{pebs}, $truth->{pebs});
    push @wrong, compare_stacks($printed->{lbr}, $truth->{lbr});
    push @wrong, 'no record was printed' if !grep { @$_ } values %$printed;
    return (sprintf('compared %d bts and %d pebs records and %d lbr stacks with the truth',
        map { scalar @{$printed->{$_}} } qw(bts pebs lbr)), @wrong);
}

1;
