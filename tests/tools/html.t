#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# The page of dsdump --html in headless Chromium: its sections are drawn, no script fails, it is light or dark
# as the reader prefers, it fits a telephone, and text from a log stays text. Prints TAP.
use strict;
use warnings;
use Compress::Zlib qw(uncompress);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($dsdump boot elf run_program);
use Test::More;

my ($chromium) = grep { -x } map { ("$_/chromium", "$_/chromium-browser") } split /:/, $ENV{PATH};
plan skip_all => 'no chromium here (./bootstrap --browser)' if !$chromium;

my $folder = tempdir(CLEANUP => 1);

# (standard output, messages of scripts) of a page in the browser, with a fresh profile.
sub browse
{
    my ($page, @more) = @_;
    my $profile = tempdir(CLEANUP => 1);
    my @flags = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
        '--enable-logging=stderr', "--user-data-dir=$profile");
    my ($status, $out, $err) =
        run_program({ folder => $folder }, 'timeout', 120, $chromium, @flags, @more, "file://$page");
    diag "chromium: status $status\n$err" if $status;
    return ($out, join '', map { /CONSOLE.*?("|Uncaught.*)/ ? "$_\n" : () } split /\n/, $err);
}

# The first pixel of a PNG with 8 bits a channel: what a filter adds to it is 0.
sub first_pixel
{
    my ($file) = @_;
    open my $in, '<:raw', $file or return "$file: $!";
    my $png = do { local $/; <$in> };
    my ($at, $data) = (8, '');
    while ($at < length $png) {
        my ($length, $type) = unpack 'N a4', substr $png, $at, 8;
        $data .= substr $png, $at + 8, $length if $type eq 'IDAT';
        $at += $length + 12;
    }
    return sprintf '%02x%02x%02x', unpack 'x C3', uncompress($data);
}

# The page of a log, with more lines at its end.
sub page_of
{
    my ($name, $log, @lines) = @_;
    open my $in, '<', $log or die "$log: $!\n";
    open my $out, '>', "$folder/$name.log" or die "$!\n";
    print $out $_ while <$in>;
    print $out "$_\n" for @lines;
    close $out or die "$!\n";
    my ($status, $text, $err) = run_program({ folder => $folder }, $dsdump, '--elf', elf(64), '--html',
        "$folder/$name.html", "$folder/$name.log");
    return ("$folder/$name.html", "$status$text$err");
}

my $log = boot("$folder/boot.log", 64, 'skylake',
    'run=measure.*,bts.calls,bts.interrupt.threshold,pebs.load_latency.hierarchy,lbr.kinds', '-s', 2);
my ($page, $said) = page_of('page', $log);
is $said, '0', 'dsdump --html';
open my $in, '<', $page or die "$page: $!\n";
my $source = do { local $/; <$in> };
is_deeply [$source =~ /\b(?:src|href)\s*=\s*["']?[^"'#>\s]+/g], [], 'the page refers to nothing outside of it';
unlike $source =~ s/http:\/\/www\.w3\.org\/2000\/svg//r, qr/https?:/, 'and has no address of the network';

my ($dom, $errors) = browse($page, '--dump-dom', '--window-size=1280,1000');
is $errors, '', 'no script fails';
like $dom, qr/<html[^>]* data-ready="yes"/, 'the page was drawn to its end';
for my $id (qw(machine verdicts skid memory samples flame-graph timeline-section)) {
    my ($section) = $dom =~ /<section id="\Q$id\E"(.*?)<\/section>/s;
    ok $section, "section $id";
    like $section // '', qr/aria-labelledby="$id-title".*<h2 id="$id-title">/s,
        "section $id has a title that it is known by";
    like $dom, qr/<a href="#\Q$id\E">/, "section $id is in the contents";
}
for my $kind (qw(cost sharing events)) {
    my $measured = $source =~ /"measure \Q$kind\E /;
    is $dom =~ /<section id="\Q$kind\E"/ ? 1 : 0, $measured ? 1 : 0,
        "section $kind is there when the log has its lines";
}
is scalar(() = $dom =~ /<span class="cell /g), scalar(() = $source =~ /^"(?:not )?ok /mg), 'a square for each test';
like $dom, qr/id="verdict"[^>]*>pass</, 'the verdict';
my @bars = $dom =~ /<title>EventingIP, distance 0: 100 %<\/title>/g;
cmp_ok scalar(@bars), '>', 5, 'EventingIP has no skid';
like $dom, qr/<title>4 KiB: L1 or L1 hit, 100 % of the samples<\/title>/, 'the smallest ring is in L1';
like $dom, qr/<svg viewBox="[^"]*" role="img"[^>]* aria-label="[^"]+"/, 'a figure has words for who does not see it';
my ($flame) = $dom =~ /id="flame"[^>]*>(.*?)<\/section>/s;
like $flame // '', qr/title="bts\.interrupt\.threshold: [\d,]+ branches/, 'the flame graph has the test';
like $flame // '', qr/title="interrupt_entry_225: /, 'and the interrupt of its buffer';
my ($main) = $dom =~ /(<main.*<\/main>)/s;
unlike $main, qr/NaN|undefined|Infinity/, 'no figure is none';

for my $scheme (['light', 'f6f7f9'], ['dark', '0f141b', '--blink-settings=preferredColorScheme=0']) {
    my ($name, $color, @flags) = @$scheme;
    (undef, $errors) = browse($page, "--screenshot=$folder/$name.png", '--window-size=1280,800', @flags);
    is $errors, '', "$name: no script fails";
    is first_pixel("$folder/$name.png"), $color, "$name: the page's ground";
}

# On a telephone nothing is wider than the screen, with every detail open. The browser's own window has a least width,
# so the page is in a frame, and says how wide it is.
my $width = 390;
open my $out, '>', "$folder/probe.html" or die "$!\n";
print $out $source =~ s{</body>}{<script>
for (const details of document.querySelectorAll('details')) details.open = true;
parent.postMessage(innerWidth + ' holds ' + document.documentElement.scrollWidth, '*');
</script></body>}r;
close $out or die "$!\n";
open $out, '>', "$folder/telephone.html" or die "$!\n";
print $out "<!doctype html><body><script>onmessage = (event) => { document.body.dataset.said = event.data; };</script>",
    "<iframe src='probe.html' style='border:0;width:${width}px;height:844px'></iframe></body>\n";
close $out or die "$!\n";
($dom, $errors) = browse("$folder/telephone.html", '--dump-dom', '--virtual-time-budget=5000');
like $dom, qr/<body data-said="$width holds $width"/, 'the page fits a telephone';

# The contents of a log are text, whatever they look like.
my @bad = ('# wrong: <img src=x onerror="document.title=1">',
    'not ok 99 pebs.</script><script>document.title=2</script>',
    '# measure events event <b>bold</b> samples 1 of_kind "&lt;"', "# error: \x01\xff\"\\");
my ($bad_page) = page_of('bad', $log, @bad);
($dom, $errors) = browse($bad_page, '--dump-dom', '--window-size=1280,1000');
is $errors, '', 'no script of a log fails';
like $dom, qr/data-ready="yes"/, 'and the page is drawn';
like $dom, qr/wrong: &lt;img src=x/, 'markup in a log is shown';
unlike $dom, qr/<img|<b>bold|<title>[12]</, 'and is none';

# Two boots in one log.
open my $once, '<', $log or die "$!\n";
my ($twice) = page_of('twice', $log, map { chomp; s/\r$//r } <$once>);
($dom, $errors) = browse($twice, '--dump-dom');
is $errors, '', 'two boots: no script fails';
like $dom, qr/The log has 2 boots\./, 'two boots are said to be two';

# A log without any frame, and none at all.
for my $case (['no frames', sub { grep { !/^# dsdump/ } @_ }], ['nothing', sub { () }]) {
    my ($what, $edit) = @$case;
    open my $from, '<', $log or die "$!\n";
    open my $to, '>', "$folder/empty.log" or die "$!\n";
    print $to $edit->(<$from>);
    close $to or die "$!\n";
    run_program({ folder => $folder }, $dsdump, '--html', "$folder/empty.html", "$folder/empty.log");
    ($dom, $errors) = browse("$folder/empty.html", '--dump-dom');
    is $errors, '', "$what: no script fails";
    like $dom, qr/data-ready="yes"/, "$what: there is a page";
}

done_testing;
