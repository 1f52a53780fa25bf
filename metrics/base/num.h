// Numbers to and from text without locale. Ownership: none.
#ifndef PJ_NUM_H
#define PJ_NUM_H

#include "metrics/base/str.h"

#include <stdint.h>

/// The whole of `s` must be the number; false otherwise, or when it does not fit.
bool pj_parse_u64(pj_str s, uint64_t *out);
bool pj_parse_i64(pj_str s, int64_t *out);
bool pj_parse_double(pj_str s, double *out);
/// A finite number in decimals ("-1.5e3"): neither nan nor inf nor hexadecimal. Of the usual
/// lengths many times as fast, to the same bit.
bool pj_parse_decimal(pj_str s, double *out);
/// "12.5ms" -> nanoseconds; units ns, us, ms, s.
bool pj_parse_duration(pj_str s, double *ns);
/// "32k", "64M", "2G", "2GiB" (powers of 1024), "2GB" (of 1000); a bare number is bytes.
bool pj_parse_size(pj_str s, uint64_t *bytes);
/// "10G", "10GB", "10GB/s" (powers of 1000), "10GiB" (of 1024) bytes per second, or "inf".
bool pj_parse_rate(pj_str s, double *bytes_per_second);

/// Shortest text that reads back as the same double; NaN gives "nan". `out` holds 32 bytes.
size_t pj_format_double(double value, char *out);
/// Fixed decimals ("21.900"); from 1e15 on six significant digits. `out` holds 32 bytes.
size_t pj_format_fixed(double value, int decimals, char *out);
/// "21.9 s", "341 us": three significant digits with the fitting unit. `out` holds 32 bytes.
size_t pj_format_duration(double ns, char *out);
/// "2.3 MB" (powers of 1000). `out` holds 32 bytes.
size_t pj_format_bytes(uint64_t bytes, char *out);
/// "10,380,609,993". `out` holds 32 bytes.
size_t pj_format_grouped(int64_t value, char *out);

#endif
