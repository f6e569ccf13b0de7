# SPDX-License-Identifier: MIT
#
# Small mistakes for a source file, as a tired hand makes them: each is one change at one place. The rules read lines, not
# grammar, and rely on how the house formats: binary operators stand between spaces, a statement starts a line.
package Mutants;
use strict;
use warnings;
use Exporter qw(import);
our @EXPORT_OK = qw(language_of mutants_of);

# By the name, or by the first line.
sub language_of
{
    my ($path, $first) = @_;
    return 'c' if $path =~ /\.(?:c|h|inc)$/;
    return 'nasm' if $path =~ /\.asm$/;
    return 'perl' if $path =~ /\.(?:pm|pl)$/ || ($first // '') =~ /^#!.*\bperl\b/;
    return 'shell' if ($first // '') =~ /^#!.*\b(?:ba)?sh\b/;
    return undef;
}

# The text with comments and strings blanked, so that a place found in it is one in the text.
my %unseen = (
    c => qr{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'}s,
    nasm => qr{;[^\n]*|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`},
    perl => qr{(?:^|(?<=\s))#[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^__END__.*}ms,
    shell => qr{(?:^|(?<=\s))#[^\n]*|'[^']*'}m,
);
sub blanked
{
    my ($text, $language) = @_;
    $text =~ s{($unseen{$language})}{ (my $blank = $1) =~ s/[^\n]/\x01/g; $blank }ge;
    return $text;
}

my %other = (
    '<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '==' => '!=', '!=' => '==', '&&' => '||', '||' => '&&',
    '+' => '-', '-' => '+', '*' => '+', '/' => '*', '%' => '/', '<<' => '>>', '>>' => '<<', '&' => '|', '|' => '&',
    '^' => '|', '+=' => '-=', '-=' => '+=', '|=' => '&=', '&=' => '|=', '<<=' => '>>=', '>>=' => '<<=',
    '++' => '--', '--' => '++', true => 'false', false => 'true',
    eq => 'ne', ne => 'eq', and => 'or', or => 'and', if => 'unless', unless => 'if', lt => 'le', gt => 'ge',
    '-eq' => '-ne', '-ne' => '-eq', '-z' => '-n', '-n' => '-z', '-lt' => '-le', '-gt' => '-ge', '-f' => '! -f', '-e' => '! -e',
    );
my %instruction = (
    add => 'sub', sub => 'add', inc => 'dec', dec => 'inc', shl => 'shr', shr => 'shl', xor => 'or', adc => 'add',
    cli => 'sti', sti => 'cli', cld => 'std', std => 'cld', test => 'cmp', stosq => 'stosd', movsb => 'stosb',
    map {
        my ($one, $two) = split '/';
        map { ("$_$one" => "$_$two", "$_$two" => "$_$one") } qw(j cmov set)
    } qw(z/nz e/ne b/ae a/be l/ge g/le c/nc s/ns)
);
my %sibling = (
    (map { ("r$_" => 'r' . ($_ == 15 ? 8 : $_ + 1), "r${_}d" => 'r' . ($_ == 15 ? 8 : $_ + 1) . 'd') } 8 .. 15),
    (map { my $size = $_; map { ($size . $_->[0] => $size . $_->[1]) } ['ax', 'cx'], ['bx', 'dx'], ['cx', 'dx'], ['dx', 'bx'],
        ['si', 'di'], ['di', 'si'], ['bp', 'bx'] } 'r', 'e'),
    ds => 'es', es => 'ds', fs => 'gs', gs => 'fs', al => 'cl', cl => 'dl', dl => 'cl', ax => 'cx', cr0 => 'cr4', cr3 => 'cr2',
);

# A number's neighbour: 9 becomes 10, 0x1f becomes 0x10, as wide as before. Perl's 1 often says just "true".
sub next_number
{
    my ($number, $language) = @_;
    return 0 if $language eq 'perl' && $number eq '1';
    return $1 . substr('123456789abcdef0', hex $2, 1) if $number =~ /^(0x.*)(.)$/i;
    return $number + 1;
}

# Rules: [name, languages, pattern, what replaces the match]. A place is where the pattern is found in the blanked text.
my $plain = '[^(),;{}\n\x01]+';                           # one argument, without a call in it
my $operand = '(?:[^?:,;()\n\x01]|\([^()\n]*\))+';
my $instructions = join '|', sort keys %instruction;
my $registers = join '|', sort keys %sibling;
sub statement
{
    my (@starts) = @_;
    my $not = join '|', @starts;
    return qr/(?<=\n)[ ]{4,}(?!(?:$not)\b)[\w\$\@%*(][^;{}\n]*(?:\n[^;{}\n]+){0,3};(?=[ \x01]*\n)/;
}
sub swapped { return $_[0] =~ /^(.+?)(, | : )(.+)$/ ? "$3$2$1" : undef }

my @rules = (
    ['operator', 'c', qr{(?<= )(?:<<=?|>>=?|[<>=!]=|[+\-|&]=|&&|\|\||[-+*/%&|^<>])(?=[ \n])}, sub { $other{$_[0]} }],
    ['operator', 'perl', qr{(?<= )(?:[<>=!]=|[+-]=|&&|\|\||[-+<>]|eq|ne|lt|gt|and|or)(?=[ \n])}, sub { $other{$_[0]} }],
    ['operator', 'c perl', qr{\+\+|--(?=[\w;)\]\$])}, sub { $other{$_[0]} }],
    ['operator', 'shell', qr{(?<= )(?:&&|\|\||!?==?|-(?:eq|ne|lt|gt|[znfe]))(?= )}, sub { $other{$_[0]} // '!=' }],
    ['negation left out', 'c perl', qr{(?<=[ (,])!(?=[\w(\$\@])|~(?=[\w(])}, sub { '' }],
    ['number', 'c perl nasm shell', qr/(?<![\w.\$\x01\\{&])(?:0x[0-9a-f]+|[0-9]+)(?=[uUlL]*(?![\w.]))/i, \&next_number],
    ['truth', 'c', qr{\b(?:true|false)\b}, sub { $other{$_[0]} }],
    ['condition', 'perl', qr{\b(?:if|unless)\b(?= )}, sub { $other{$_[0]} }],
    ['condition', 'c', qr{(?<=if )(?<c>\((?:[^()\n]|(?&c))*\))}, sub { $_[0] =~ /^[^&|<>]*[!=]=[^&|<>]*$/ ? undef : "(!$_[0])" }],
    ['choice', 'c perl', qr{(?<=\? )$operand : $operand(?=[ ,;)])}, \&swapped],
    ['arguments', 'c', qr/(?<=\n)[ ]{4,}[^\n]*?[\w]\(\K$plain, $plain(?=[,)])/, \&swapped],
    ['arguments', 'perl', qr/(?<=[\w ]\()$plain, $plain(?=[,)](?!;))/, \&swapped],
    ['row', 'c', qr/(?<=\{)$plain, $plain(?=[,}])/, \&swapped],
    ['row', 'c', qr/(?<=[ {])\.\w+ = $plain,(?= \.)/, sub { '' }],
    ['instruction', 'nasm', qr/(?<=\n    )\s*\K\b(?:$instructions)\b/, sub { $instruction{$_[0]} }],
    ['register', 'nasm', qr{(?<![\w.])(?:$registers)(?![\w.])}, sub { $sibling{$_[0]} }],
    ['operands', 'nasm', qr{(?<= )mov +\K[^,\n;]+, [^,\n;]*[^,\n; ]}, \&swapped],
    ['left out', 'c', statement(qw(const static struct enum union extern typedef return u?int\w* char bool size_t void double
        goto case default else if for while do switch)), sub { $_[0] =~ /^( *)/; "$1\{ }" }],
    ['left out', 'perl', statement(qw(my our use if for while return)), sub { $_[0] =~ /^( *)/; "$1;" }],
    ['left out', 'nasm', qr{(?<=\n)[ ]{4,}(?!(?:section|global|extern|align|bits|default|use\w*|times|struc|endstruc|at|istruc|iend)\b)[a-z][^\n\x01:]*}, sub { '' }],
    ['left out', 'shell', qr/(?<=\n)[ ]*(?!(?:if|then|else|elif|fi|for|do|done|while|case|esac|local|set)\b)[a-z\$][^\n;{}|&]*(?<!\\)(?=\n)/, sub { ':' }],
);

# Lines that no test has to hold: what the compiler checks itself, and what only others see.
my %spared = (
    c => qr{^\s*#(?!define \w+(?:\([^)]*\))? .*[0-9])|_Static_assert|offsetof|__attribute__|_Noreturn},
    nasm => qr{^\s*(?:%(?!define|assign)|global|extern|section|bits|align|default)},
    perl => qr{^\s*(?:(?:use|require|package|our \@EXPORT)\b|my \([^)]*\);)|^\d;},
    shell => qr{^#},
);

# All mutants of a file's text, in order: hashes of line (from 1), rule, before and after (the lines changed), and text,
# the whole file with the change.
sub mutants_of
{
    my ($text, $language) = @_;
    my $seen = "\n" . blanked($text, $language);    # the rules look back at the line's start
    my (%found, @starts);
    push @starts, pos $seen while $seen =~ /\n/g;
    for my $rule (@rules) {
        my ($name, $languages, $pattern, $replace) = @$rule;
        next if " $languages " !~ / $language /;
        while ($seen =~ /$pattern/g) {
            my ($from, $to) = ($-[0] - 1, $+[0] - 1);
            pos $seen = $-[0] + 1 if $name ne 'number';    # matches may overlap
            my $was = substr $text, $from, $to - $from;
            my $becomes = $replace->($was, $language);
            next if !defined $becomes || $becomes eq $was;
            my $start = rindex($text, "\n", $from == 0 ? 0 : $from - 1) + 1;
            $start = $from if substr($text, $from - 1, 1) eq "\n";
            my $end = index $text, "\n", $to;
            my $line = substr $text, $start, $end - $start;
            next if substr($seen, $start + 1, $end - $start) =~ $spared{$language};
            my $mutant = substr($text, 0, $from) . $becomes . substr($text, $to);
            my $after = substr $mutant, $start, $end - $start + length($becomes) - length $was;
            $found{$mutant} //= { rule => $name, place => $from, line => 1 + (substr($text, 0, $from) =~ tr/\n//),
                before => $line, after => $after, text => $mutant };
        }
    }
    return sort { $a->{place} <=> $b->{place} || $a->{after} cmp $b->{after} } values %found;
}

1;
