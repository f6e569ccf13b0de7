/* SPDX-License-Identifier: MIT */
#include "lib/format.h"

#include <stdbool.h>
#include <stdint.h>

struct writer {
    char *buf;
    size_t size;
    size_t length; /* of the whole text, including characters that did not fit */
};

enum length_modifier {
    LENGTH_INT,
    LENGTH_CHAR,
    LENGTH_SHORT,
    LENGTH_LONG,
    LENGTH_LLONG,
    LENGTH_SIZE,
    LENGTH_MAX,
    LENGTH_PTRDIFF
};

struct conversion {
    bool left, zero, alternate, plus, space;
    int width;
    int precision; /* -1 = none given */
    enum length_modifier length;
    char type;
};

/* va_list may be an array type; only inside a structure can it be passed by pointer. */
struct arguments {
    va_list list;
};

static void put(struct writer *out, char c)
{
    if (out->length + 1 < out->size)
        out->buf[out->length] = c;
    out->length++;
}

static void pad(struct writer *out, char c, int count)
{
    for (; count > 0; count--)
        put(out, c);
}

static void put_field(struct writer *out, const struct conversion *how, const char *text, int length)
{
    if (!how->left)
        pad(out, ' ', how->width - length);
    for (int i = 0; i < length; i++)
        put(out, text[i]);
    if (how->left)
        pad(out, ' ', how->width - length);
}

/* Works in 16-bit steps, because 64-bit division needs libgcc on i686. */
unsigned format_divide_by_10(uint64_t *value)
{
    uint64_t quotient = 0;
    uint32_t rest = 0;
    for (int shift = 48; shift >= 0; shift -= 16) {
        uint32_t part = (rest << 16) | (uint32_t)((*value >> shift) & 0xffff);
        quotient |= (uint64_t)(part / 10) << shift;
        rest = part % 10;
    }
    *value = quotient;
    return rest;
}

static void put_number(struct writer *out, const struct conversion *how, uint64_t value, bool negative)
{
    const char *digits = how->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[22]; /* 64 bits in octal */
    int count = 0;
    bool nonzero = value != 0;
    while (value != 0) {
        switch (how->type) {
        case 'o':
            reversed[count++] = digits[value & 7];
            value >>= 3;
            break;
        case 'x':
        case 'X':
        case 'p':
            reversed[count++] = digits[value & 15];
            value >>= 4;
            break;
        default:
            reversed[count++] = digits[format_divide_by_10(&value)];
        }
    }

    char prefix[2];
    int prefix_length = 0;
    if (how->type == 'd' || how->type == 'i') {
        if (negative || how->plus || how->space)
            prefix[prefix_length++] = negative ? '-' : how->plus ? '+' : ' ';
    } else if (how->type == 'p' || (how->alternate && nonzero && (how->type == 'x' || how->type == 'X'))) {
        prefix[prefix_length++] = '0';
        prefix[prefix_length++] = how->type == 'X' ? 'X' : 'x';
    }

    int least = how->precision >= 0 ? how->precision : 1;
    if (how->zero && !how->left && how->precision < 0 && how->width - prefix_length > least)
        least = how->width - prefix_length;
    if (how->type == 'o' && how->alternate && least <= count)
        least = count + 1;
    int zeros = least > count ? least - count : 0;
    int padding = how->width - prefix_length - zeros - count;

    if (!how->left)
        pad(out, ' ', padding);
    for (int i = 0; i < prefix_length; i++)
        put(out, prefix[i]);
    pad(out, '0', zeros);
    while (count > 0)
        put(out, reversed[--count]);
    if (how->left)
        pad(out, ' ', padding);
}

static int64_t signed_argument(enum length_modifier length, struct arguments *args)
{
    switch (length) {
    case LENGTH_CHAR:
        return (signed char)va_arg(args->list, int);
    case LENGTH_SHORT:
        return (short)va_arg(args->list, int);
    case LENGTH_LONG:
        return va_arg(args->list, long);
    case LENGTH_LLONG:
        return va_arg(args->list, long long);
    case LENGTH_MAX:
        return va_arg(args->list, intmax_t);
    case LENGTH_SIZE:
    case LENGTH_PTRDIFF:
        return va_arg(args->list, ptrdiff_t);
    default:
        return va_arg(args->list, int);
    }
}

static uint64_t unsigned_argument(enum length_modifier length, struct arguments *args)
{
    switch (length) {
    case LENGTH_CHAR:
        return (unsigned char)va_arg(args->list, unsigned);
    case LENGTH_SHORT:
        return (unsigned short)va_arg(args->list, unsigned);
    case LENGTH_LONG:
        return va_arg(args->list, unsigned long);
    case LENGTH_LLONG:
        return va_arg(args->list, unsigned long long);
    case LENGTH_MAX:
        return va_arg(args->list, uintmax_t);
    case LENGTH_SIZE:
    case LENGTH_PTRDIFF:
        return va_arg(args->list, size_t);
    default:
        return va_arg(args->list, unsigned);
    }
}

static void put_string(struct writer *out, const struct conversion *how, const char *text)
{
    int length = 0;
    if (text == NULL)
        text = "(null)";
    while ((how->precision < 0 || length < how->precision) && text[length] != '\0')
        length++;
    put_field(out, how, text, length);
}

/* Reads a number or a '*' of the format. No digits mean 0, as C defines for "%.d". */
static int parse_number(const char **fmt, struct arguments *args)
{
    int number = 0;
    if (**fmt == '*') {
        ++*fmt;
        return va_arg(args->list, int);
    }
    while (**fmt >= '0' && **fmt <= '9') {
        if (number < 100000) /* keeps number from overflowing; no text of this program is as long */
            number = number * 10 + (**fmt - '0');
        ++*fmt;
    }
    return number;
}

static enum length_modifier parse_length(const char **fmt)
{
    char first = **fmt;
    if (first == '\0')
        return LENGTH_INT;
    bool twice = (first == 'h' || first == 'l') && (*fmt)[1] == first;
    enum length_modifier length;
    switch (first) {
    case 'h':
        length = twice ? LENGTH_CHAR : LENGTH_SHORT;
        break;
    case 'l':
        length = twice ? LENGTH_LLONG : LENGTH_LONG;
        break;
    case 'z':
        length = LENGTH_SIZE;
        break;
    case 'j':
        length = LENGTH_MAX;
        break;
    case 't':
        length = LENGTH_PTRDIFF;
        break;
    default:
        return LENGTH_INT;
    }
    *fmt += twice ? 2 : 1;
    return length;
}

/* Reads everything between '%' and the conversion's letter. *fmt then points to that letter, or to the NUL. */
static struct conversion parse_conversion(const char **fmt, struct arguments *args)
{
    struct conversion how = { .precision = -1 };
    for (bool flags = true; flags;) {
        switch (**fmt) {
        case '-':
            how.left = true;
            break;
        case '0':
            how.zero = true;
            break;
        case '#':
            how.alternate = true;
            break;
        case '+':
            how.plus = true;
            break;
        case ' ':
            how.space = true;
            break;
        default:
            flags = false;
            continue;
        }
        ++*fmt;
    }
    how.width = parse_number(fmt, args);
    if (how.width < 0) {
        how.left = true;
        how.width = -how.width;
    }
    if (**fmt == '.') {
        ++*fmt;
        how.precision = parse_number(fmt, args);
        if (how.precision < 0)
            how.precision = -1;
    }
    how.length = parse_length(fmt);
    how.type = **fmt;
    return how;
}

int vformat(char *buf, size_t size, const char *fmt, va_list args)
{
    struct writer out = { buf, size, 0 };
    struct arguments arguments;
    va_copy(arguments.list, args);

    while (*fmt != '\0') {
        if (*fmt != '%') {
            put(&out, *fmt++);
            continue;
        }
        const char *start = fmt++;
        struct conversion how = parse_conversion(&fmt, &arguments);
        switch (how.type) {
        case 'd':
        case 'i': {
            int64_t value = signed_argument(how.length, &arguments);
            put_number(&out, &how, value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value, value < 0);
            break;
        }
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            put_number(&out, &how, unsigned_argument(how.length, &arguments), false);
            break;
        case 'p':
            put_number(&out, &how, (uintptr_t)va_arg(arguments.list, void *), false);
            break;
        case 'c': {
            char c = (char)va_arg(arguments.list, int);
            put_field(&out, &how, &c, 1);
            break;
        }
        case 's':
            put_string(&out, &how, va_arg(arguments.list, const char *));
            break;
        case '%':
            put(&out, '%');
            break;
        default: /* unknown conversions are copied; the NUL ends the outer loop */
            while (start < fmt)
                put(&out, *start++);
            if (*fmt != '\0')
                put(&out, *fmt);
        }
        if (*fmt != '\0')
            fmt++;
    }

    va_end(arguments.list);
    if (size > 0)
        buf[out.length < size ? out.length : size - 1] = '\0';
    return (int)out.length;
}

int format(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int length = vformat(buf, size, fmt, args);
    va_end(args);
    return length;
}
