/*
 * The inner loops of intervals.py, which does the same with NumPy where this was not built. Called through
 * ctypes, without headers of Python. Times are int64 nanoseconds; differences wrap as NumPy's do.
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
    return 3;
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

/* The begins and ends of intervals as one ascending row of points. */
static inline int64_t boundary(const int64_t *begin, const int64_t *end, int64_t at)
{
    return at & 1 ? end[at >> 1] : begin[at >> 1];
}

/*
 * The time in which, of two normalised lists of intervals, the first (1), the second (2), both (3) or none (0)
 * covers as `wanted` says: a bit for each of these numbers, not for 0. Normalised, into arrays of as many as
 * both lists have together; returns how many there are.
 */
PUBLIC int64_t tfperf_combine(
    const int64_t *begin_a, const int64_t *end_a, int64_t count_a, const int64_t *begin_b, const int64_t *end_b,
    int64_t count_b, int wanted, int64_t *to_begin, int64_t *to_end)
{
    int64_t a = 0, b = 0, found = 0;
    int was = 0;
    while (a < 2 * count_a || b < 2 * count_b) {
        int64_t point = INT64_MAX;
        if (a < 2 * count_a)
            point = boundary(begin_a, end_a, a);
        if (b < 2 * count_b && boundary(begin_b, end_b, b) < point)
            point = boundary(begin_b, end_b, b);
        while (a < 2 * count_a && boundary(begin_a, end_a, a) == point)
            a++;
        while (b < 2 * count_b && boundary(begin_b, end_b, b) == point)
            b++;
        int is = wanted >> ((a & 1) | (b & 1) << 1) & 1;
        if (is && !was)
            to_begin[found] = point;
        if (was && !is)
            to_end[found++] = point;
        was = is;
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

/*
 * How many of the ascending values are less than the point, or, if `right`, not greater: from `near` on, the
 * answer for some other point, outwards.
 */
static inline int64_t rank(const int64_t *values, int64_t size, int64_t point, int right, int64_t near)
{
    int64_t low = 0, high = size, step = 1;
#define IS_BEFORE(at) (values[at] < point || (right && values[at] == point))
    if (near < size && IS_BEFORE(near)) {
        for (low = near + 1; near + step < size && IS_BEFORE(near + step); step *= 2)
            low = near + step + 1;
        if (near + step < size)
            high = near + step;
    } else {
        for (high = near; near - step >= 0 && !IS_BEFORE(near - step); step *= 2)
            high = near - step;
        if (near - step >= 0)
            low = near - step + 1;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (IS_BEFORE(middle))
            low = middle + 1;
        else
            high = middle;
    }
#undef IS_BEFORE
    return low;
}

/* The rank of each of `count` points, in any order; quick where they mostly ascend. */
PUBLIC void tfperf_ranks(
    const int64_t *values, int64_t size, const int64_t *points, int64_t count, int right, int64_t *ranks)
{
    int64_t near = 0;
    for (int64_t at = 0; at < count; at++)
        ranks[at] = near = rank(values, size, points[at], right, near);
}

/* For each of `count` points the time before it that intervals cover; `before[i]`: that of the first i. */
PUBLIC void tfperf_covered_before(
    const int64_t *begin, const int64_t *end, const int64_t *before, int64_t intervals, const int64_t *points,
    int64_t count, int64_t *covered)
{
    int64_t near = 0;
    for (int64_t at = 0; at < count; at++) {
        near = rank(begin, intervals, points[at], 1, near);
        int64_t over = near ? (int64_t)((uint64_t)end[near - 1] - (uint64_t)points[at]) : 0;
        covered[at] = (int64_t)((uint64_t)before[near] - (uint64_t)(over > 0 ? over : 0));
    }
}
