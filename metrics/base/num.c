// Numbers to and from text; independent of the locale, which the C library's functions are not.
#include "metrics/base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool pj_parse_u64(pj_str s, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.at[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return s.len > 0;
}

bool pj_parse_i64(pj_str s, int64_t *out)
{
    bool negative = s.len && s.at[0] == '-';
    uint64_t magnitude;
    if (!pj_parse_u64(negative ? pj_str_from(s, 1) : s, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/// The C locale, made once; strtod_l and friends take it instead of the process's own.
static locale_t c_locale(void)
{
    static _Atomic(locale_t) kept;
    locale_t locale = kept;
    if (!locale) {
        locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (__atomic_compare_exchange_n((locale_t *)&kept, &locale, made, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return made;
        freelocale(made);
    }
    return locale;
}

bool pj_parse_double(pj_str s, double *out)
{
    char text[64];
    if (s.len == 0 || s.len >= sizeof text || (unsigned char)s.at[0] <= ' ')
        return false;
    memcpy(text, s.at, s.len);
    text[s.len] = 0;
    char *end;
    double value = strtod_l(text, &end, c_locale());
    if (end != text + s.len)
        return false;
    *out = value;
    return true;
}

/// Digits and a point as `*digits` by a power of ten; `*rest` becomes what follows them. False when
/// there is no digit or they are more than 19.
static bool take_digits(pj_str *rest, uint64_t *digits, int *power)
{
    int count = 0, behind = -1;
    uint64_t value = 0;
    size_t i = 0;
    for (; i < rest->len; i++) {
        unsigned digit = (unsigned)(unsigned char)rest->at[i] - '0';
        if (digit <= 9) {
            value = value * 10 + digit;
            count++;
            behind += behind >= 0;
        } else if (rest->at[i] == '.' && behind < 0) {
            behind = 0;
        } else {
            break;
        }
    }
    *rest = pj_str_from(*rest, i);
    *digits = value;
    *power = behind > 0 ? -behind : 0;
    return count > 0 && count <= 19;
}

/// A product or quotient of two exact numbers is rounded once, so that it is what strtod gives
/// (W. D. Clinger, How to read floating point numbers accurately, 1990).
static bool scale_exactly(uint64_t digits, int power, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits > UINT64_C(1) << 53 || power < -22 || power > 22)
        return false;
    *out = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
    return true;
}

/// Whether all of it are characters of decimal numbers.
static bool is_decimal(pj_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.at[i];
        if (!(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E')
            return false;
    }
    return s.len > 0;
}

bool pj_parse_decimal(pj_str s, double *out)
{
    bool negative = s.len && s.at[0] == '-';
    pj_str rest = negative ? pj_str_from(s, 1) : s;
    uint64_t digits;
    int power;
    double value;
    if (take_digits(&rest, &digits, &power) && !rest.len && scale_exactly(digits, power, &value)) {
        *out = negative ? -value : value;
        return true;
    }
    return is_decimal(s) && pj_parse_double(s, out) && isfinite(*out);
}

/// Splits "12.5ms" into the number and its unit.
static bool cut_unit(pj_str s, double *number, pj_str *unit)
{
    size_t n = 0;
    while (n < s.len && ((s.at[n] >= '0' && s.at[n] <= '9') || s.at[n] == '.'))
        n++;
    *unit = pj_str_trim(pj_str_from(s, n));
    return pj_parse_double(pj_str_head(s, n), number) && *number >= 0;
}

typedef struct unit {
    pj_str name;
    double factor;
} unit;

static bool scale_by(const unit *units, size_t n, pj_str name, double *value)
{
    for (size_t i = 0; i < n; i++)
        if (pj_str_equal(units[i].name, name)) {
            *value *= units[i].factor;
            return true;
        }
    return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

bool pj_parse_duration(pj_str s, double *ns)
{
    static const unit units[] = {
        {{"ns", 2}, 1}, {{"us", 2}, 1e3}, {{"ms", 2}, 1e6}, {{"s", 1}, 1e9}};
    pj_str name;
    return cut_unit(s, ns, &name) &&
           (scale_by(units, COUNT_OF(units), name, ns) || (name.len == 0 && *ns == 0));
}

/// By "G", "GB" (powers of 1000) or "GiB" (of 1024); `step`: of a letter alone. Letters may be
/// small, but a small b would be bits.
static bool scale_bytes(pj_str name, double step, double *value)
{
    static const char letters[] = "kmgt";
    pj_str letter = name;
    if (pj_str_ends(name, PJ_S("iB"))) {
        step = 1024;
        letter.len -= 2;
    } else if (pj_str_ends(name, PJ_S("B"))) {
        step = 1000;
        letter.len--;
    }
    if (letter.len == 0)
        return name.len < 2;
    const char *at = letter.len == 1 ? strchr(letters, letter.at[0] | ' ') : NULL;
    for (const char *power = letters; at && power <= at; power++)
        *value *= step;
    return at != NULL;
}

bool pj_parse_size(pj_str s, uint64_t *bytes)
{
    double value;
    pj_str name;
    if (!cut_unit(s, &value, &name) || !scale_bytes(name, 1024, &value) ||
        value >= 18446744073709551615.0)
        return false;
    *bytes = (uint64_t)value;
    return true;
}

bool pj_parse_rate(pj_str s, double *bytes_per_second)
{
    if (pj_str_equal(s, PJ_S("inf"))) {
        *bytes_per_second = INFINITY;
        return true;
    }
    pj_str name;
    if (!cut_unit(s, bytes_per_second, &name))
        return false;
    if (pj_str_ends(name, PJ_S("B/s")))
        name = pj_str_head(name, name.len - 2);
    return *bytes_per_second > 0 && scale_bytes(name, 1000, bytes_per_second);
}

/// snprintf of a double with a point whatever the locale.
static size_t print_double(char *out, size_t size, const char *format, int precision, double value)
{
    locale_t before = uselocale(c_locale());
    int len = snprintf(out, size, format, precision, value);
    uselocale(before);
    return (size_t)len;
}

/// As print_double, but what rounds to 0 has no sign: "-0.000" would say that there is less.
static size_t print_unsigned_zero(char *out, size_t size, int decimals, double value)
{
    size_t len = print_double(out, size, "%.*f", decimals, value);
    if (*out != '-' || out[strspn(out, "-0.")])
        return len;
    memmove(out, out + 1, len);
    return len - 1;
}

size_t pj_format_double(double value, char *out)
{
    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    size_t len = 0;
    for (int precision = 15; precision <= 17; precision++) {
        len = print_double(out, 32, "%.*g", precision, value);
        double back;
        if (isinf(value) || (pj_parse_double((pj_str){out, len}, &back) && back == value))
            break;
    }
    return len;
}

size_t pj_format_fixed(double value, int decimals, char *out)
{
    if (fabs(value) >= 1e15)
        return print_double(out, 32, "%.*g", 6, value);
    return print_unsigned_zero(out, 32, decimals < 12 ? decimals : 12, value);
}

/// Three significant digits in the largest unit that leaves at least 1.
static size_t format_scaled(double value, const unit *units, size_t n, char *out)
{
    size_t i = 0;
    while (i + 1 < n && value >= 999.5 * units[i].factor)
        i++;
    double scaled = value / units[i].factor;
    int decimals = i == 0 && scaled == floor(scaled) ? 0
                   : scaled < 9.995                  ? 2
                   : scaled < 99.95                  ? 1
                                                     : 0;
    size_t len = print_double(out, 24, "%.*f", decimals, scaled);
    len += (size_t)snprintf(out + len, 32 - len, " " PJ_STR_FMT, PJ_STR_ARG(units[i].name));
    return len;
}

size_t pj_format_duration(double ns, char *out)
{
    static const unit units[] = {
        {{"ns", 2}, 1}, {{"us", 2}, 1e3}, {{"ms", 2}, 1e6}, {{"s", 1}, 1e9}};
    return format_scaled(ns, units, COUNT_OF(units), out);
}

size_t pj_format_bytes(uint64_t bytes, char *out)
{
    static const unit units[] = {
        {{"B", 1}, 1}, {{"kB", 2}, 1e3}, {{"MB", 2}, 1e6}, {{"GB", 2}, 1e9}, {{"TB", 2}, 1e12}};
    return format_scaled((double)bytes, units, COUNT_OF(units), out);
}

size_t pj_format_grouped(int64_t value, char *out)
{
    char digits[24];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    size_t len = 0;
    if (value < 0)
        out[len++] = '-';
    for (int i = 0; i < n; i++) {
        out[len++] = digits[i];
        if (i + 1 < n && (n - 1 - i) % 3 == 0)
            out[len++] = ',';
    }
    out[len] = 0;
    return len;
}
