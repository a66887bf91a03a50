/*
 * The inner loops of intervals.py, which does the same with NumPy where this was not built. Called through
 * ctypes, without headers of Python. Times are int64 nanoseconds and are only compared.
 */

#include <stdint.h>

#ifdef _WIN32
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

/* Lets setuptools link this as if it were a module; nothing imports it. */
PUBLIC void *PyInit__intervals(void)
{
    return 0;
}

/* Has to grow with every change of what the functions take or give; intervals.py knows which it can call. */
PUBLIC int tfperf_version(void)
{
    return 1;
}

/*
 * The time covered by any of `count` ranges, normalised, into arrays of as many; returns how many are left, or
 * -1 if the ranges are not sorted by their begin.
 */
PUBLIC int64_t tfperf_union(
    const int64_t *begin, const int64_t *end, int64_t count, int64_t *to_begin, int64_t *to_end)
{
    int64_t found = 0;
    int64_t last = INT64_MIN;
    for (int64_t at = 0; at < count; at++) {
        if (end[at] <= begin[at])
            continue;
        if (begin[at] < last)
            return -1;
        last = begin[at];
        if (found && last <= to_end[found - 1]) {
            if (end[at] > to_end[found - 1])
                to_end[found - 1] = end[at];
        } else {
            to_begin[found] = last;
            to_end[found++] = end[at];
        }
    }
    return found;
}

/* For each of `count` ascending points whether normalised intervals cover it: 1, else 0. */
PUBLIC void tfperf_cover(
    const int64_t *points, int64_t count, const int64_t *begin, const int64_t *end, int64_t intervals,
    uint8_t *covered)
{
    int64_t at = 0;
    for (int64_t point = 0; point < count; point++) {
        while (at < intervals && end[at] <= points[point])
            at++;
        covered[point] = at < intervals && begin[at] <= points[point];
    }
}
