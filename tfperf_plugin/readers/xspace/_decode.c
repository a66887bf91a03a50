/*
 * The events of a plane and their stats, decoded in one go: what events.py and stats.py do with NumPy, to the
 * same columns and the same counts of what was skipped. compiled.py calls it through ctypes, so it needs no
 * headers of Python or NumPy, holds no reference and no lock, and is the same for every version of Python.
 *
 * Nothing in the bytes is trusted: no read reaches beyond the end that the caller gives, no write beyond the
 * room that it has made, and numbers wrap as NumPy's do.
 */

#include <stdint.h>

#ifdef _WIN32
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

typedef const uint8_t *place;

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
#define KEY(number, wire_type) ((number) << 3 | (wire_type))
enum { MAX_EVENT_FIELDS = 256, MAX_STAT_FIELDS = 16, LENGTH_BITS = 31 };

/* The order of compiled.Counts. */
enum {
    UNKNOWN_FIELDS,
    DAMAGED_EVENTS,
    AGGREGATED,
    NEGATIVE_DURATIONS,
    IMPOSSIBLE_TIMES,
    DAMAGED_STATS,
    UNKNOWN_STATS,
    COUNTS
};

typedef struct {
    uint32_t key;
    uint64_t value;   /* the number itself, or the bits of a double, or the length of the content */
    place content;
} field;

/* The number at `at` and the position behind it, or null where it is too long or not all there. */
static inline place read_varint(place at, place end, uint64_t *value)
{
    if (at < end && *at < 0x80) {
        *value = *at;
        return at + 1;
    }
    uint64_t found = 0;
    for (int shift = 0; shift < 70 && at < end; shift += 7) {
        uint8_t byte = *at++;
        found |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = found;
            return at;
        }
    }
    return 0;
}

/* The field at `at` and the position behind it, or null where it breaks the format. */
static inline place read_field(place at, place end, field *found)
{
    uint64_t key;
    at = read_varint(at, end, &key);
    if (!at || key < 8 || key >> 32)
        return 0;
    found->key = (uint32_t)key;
    found->value = 0;
    found->content = at;
    switch (key & 7) {
    case VARINT:
        return read_varint(at, end, &found->value);
    case BYTES:
        at = read_varint(at, end, &found->value);
        if (!at || found->value > (uint64_t)(end - at))
            return 0;
        found->content = at;
        return at + found->value;
    case FIXED64:
        if (end - at < 8)
            return 0;
        for (int byte = 0; byte < 8; byte++)
            found->value |= (uint64_t)at[byte] << (8 * byte);
        return at + 8;
    case FIXED32:
        return end - at < 4 ? 0 : at + 4;
    default:
        return 0;
    }
}

/* The codes of the names that metadata ids stand for: by table for small ids, by search for the others. */
typedef struct {
    const int64_t *ids;   /* ascending */
    const int32_t *codes;
    int64_t count;
    const int32_t *direct;
    int64_t direct_count;
} names;

static inline int32_t code_of(const names *table, int64_t id)
{
    if ((uint64_t)id < (uint64_t)table->direct_count)
        return table->direct[id];
    int64_t low = 0, high = table->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (table->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && table->ids[low] == id ? table->codes[low] : -1;
}

typedef struct {
    int64_t id;
    int kind; /* the field number of its value, 0 for none */
    uint64_t value;
} stat_value;

/* Whether the stat follows the format. */
static inline int read_stat(place data, int64_t begin, place at, place end, stat_value *found)
{
    found->id = 0;
    found->kind = 0;
    found->value = 0;
    for (int count = 0; at < end; count++) {
        field part;
        if (count == MAX_STAT_FIELDS || !(at = read_field(at, end, &part)))
            return 0;
        switch (part.key) {
        case KEY(1, VARINT):
            found->id = (int64_t)part.value;
            break;
        case KEY(5, BYTES):
        case KEY(6, BYTES):
        case KEY(8, BYTES):
            part.value |= (uint64_t)(part.content - data + begin) << LENGTH_BITS;
            /* fall through */
        case KEY(2, FIXED64):
        case KEY(3, VARINT):
        case KEY(4, VARINT):
        case KEY(7, VARINT):
            found->kind = (int)(part.key >> 3);
            found->value = part.value;
            break;
        default:
            break;
        }
    }
    return 1;
}

typedef struct {
    int64_t name_id, offset_ps, duration_ps;
    int is_aggregated, stat_count;
    int64_t unknown_count;
    place stat_at[MAX_EVENT_FIELDS];
    uint64_t stat_length[MAX_EVENT_FIELDS];
} event;

/* Whether the event follows the format. */
static inline int read_event(place at, place end, event *found)
{
    found->name_id = found->offset_ps = found->duration_ps = found->unknown_count = 0;
    found->is_aggregated = found->stat_count = 0;
    for (int count = 0; at < end; count++) {
        field part;
        if (count == MAX_EVENT_FIELDS || !(at = read_field(at, end, &part)))
            return 0;
        switch (part.key) {
        case KEY(1, VARINT):
            found->name_id = (int64_t)part.value;
            break;
        case KEY(2, VARINT): /* of the two members of the oneof the last one counts */
            found->offset_ps = (int64_t)part.value;
            found->is_aggregated = 0;
            break;
        case KEY(3, VARINT):
            found->duration_ps = (int64_t)part.value;
            break;
        case KEY(4, BYTES):
            found->stat_at[found->stat_count] = part.content;
            found->stat_length[found->stat_count++] = part.value;
            break;
        case KEY(5, VARINT):
            found->is_aggregated = 1;
            break;
        default:
            found->unknown_count++;
        }
    }
    return 1;
}

static inline int64_t wrapped(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Whole nanoseconds, rounded down. */
static inline int64_t whole_ns(int64_t ps)
{
    return ps / 1000 - (ps % 1000 < 0);
}

/* Start and end of an event from its line's begin, and whether it is a span at all: events._times. */
static inline int times(const event *found, int64_t *start, int64_t *end, int64_t *counts)
{
    int64_t duration_ps = found->duration_ps < 0 ? 0 : found->duration_ps;
    int64_t end_ps = wrapped(found->offset_ps, duration_ps);
    *start = whole_ns(found->offset_ps);
    *end = whole_ns(end_ps);
    if (found->is_aggregated) {
        counts[AGGREGATED]++;
        return 0;
    }
    counts[NEGATIVE_DURATIONS] += found->duration_ps < 0;
    if (end_ps < found->offset_ps) {
        counts[IMPOSSIBLE_TIMES]++;
        return 0;
    }
    return 1;
}

/* Lets setuptools link this as if it were a module; nothing imports it. */
PUBLIC void *PyInit__decode(void)
{
    return 0;
}

/* Has to grow with every change of what the functions take or give; compiled.py knows which it can call. */
PUBLIC int tfperf_version(void)
{
    return 3;
}

/*
 * Walks the events at the begin of data[at:end], a part of a line: writes the bounds of those with content and
 * counts the others. Stops at the end, at anything else than a whole event, or when `capacity` bounds are
 * written; returns where.
 */
PUBLIC uint64_t tfperf_find_events(
    place data, uint64_t at, uint64_t end, uint32_t *bounds, int64_t capacity, int64_t *found_count,
    int64_t *empty_count)
{
    int64_t found = 0, empty = 0;
    while (at < end && data[at] == KEY(4, BYTES) && found < capacity) {
        uint64_t length;
        place content = read_varint(data + at + 1, data + end, &length);
        if (!content || length > (uint64_t)(data + end - content))
            break;
        at = (uint64_t)(content - data) + length;
        if (length) {
            bounds[2 * found] = (uint32_t)(content - data);
            bounds[2 * found++ + 1] = (uint32_t)at;
        } else
            empty++;
    }
    *found_count = found;
    *empty_count = empty;
    return at;
}

/* The stats of events in the order of the file; `used` of them, where there is room for `room`. */
typedef struct {
    int64_t *values;
    int32_t *codes;
    uint8_t *kinds;
    uint16_t *counts; /* how many each event has */
    int64_t used, room;
} stat_list;

/*
 * Decodes events, and appends their stats to a list; `data` lies at `begin` in the file. Of the stats of each code: how many there are,
 * of which kinds (a bit each), and whether an event has several. Returns the first event for whose stats there
 * may be no room, or `last`.
 */
PUBLIC int64_t tfperf_read_events(
    place data, int64_t begin, const uint32_t *bounds, int64_t first, int64_t last,
    const names *event_names, const names *stat_names, int64_t *start_ns, int64_t *end_ns, int32_t *name,
    uint8_t *keep, stat_list *stats, int64_t *stat_counts, uint16_t *stat_kinds, uint8_t *stat_repeats,
    int64_t *stat_last, int64_t *counts)
{
    event found;
    int64_t row = first, used = stats->used;
    for (; row < last && used + MAX_EVENT_FIELDS <= stats->room; row++) {
        int is_intact = read_event(data + bounds[2 * row], data + bounds[2 * row + 1], &found);
        counts[UNKNOWN_FIELDS] += found.unknown_count;
        name[row] = code_of(event_names, found.name_id);
        stats->counts[row] = 0;
        if (!is_intact) {
            counts[DAMAGED_EVENTS]++;
            start_ns[row] = end_ns[row] = 0;
            keep[row] = 0;
            continue;
        }
        keep[row] = (uint8_t)times(&found, start_ns + row, end_ns + row, counts);
        int64_t before = used;
        for (int index = 0; index < found.stat_count; index++) {
            stat_value stat;
            place at = found.stat_at[index];
            if (!read_stat(data, begin, at, at + found.stat_length[index], &stat)) {
                counts[DAMAGED_STATS]++;
                continue;
            }
            int32_t code = stat.kind ? code_of(stat_names, stat.id) : -1;
            if (code < 0) {
                counts[UNKNOWN_STATS]++;
                continue;
            }
            stats->values[used] = (int64_t)stat.value;
            stats->codes[used] = code;
            stats->kinds[used++] = (uint8_t)stat.kind;
            stat_counts[code]++;
            stat_kinds[code] |= (uint16_t)(1 << stat.kind);
            stat_repeats[code] |= stat_last[code] == row;
            stat_last[code] = row;
        }
        stats->counts[row] = (uint16_t)(used - before);
    }
    stats->used = used;
    return row;
}

/*
 * Puts the values of all stats in order, those of one code together from `value_at` on. The event, counted
 * from `first_event` on, and the kind of each go to `event_at` and `kind_at`, where these are not negative.
 */
PUBLIC void tfperf_order_stats(
    const stat_list *stats, int64_t count, int64_t first_event, int64_t *value_at, int64_t *event_at, int64_t *kind_at,
    int64_t *values, int32_t *events, uint8_t *kinds)
{
    int64_t at = 0;
    for (int64_t row = 0; row < count; row++) {
        for (int64_t end = at + stats->counts[row]; at < end; at++) {
            int32_t code = stats->codes[at];
            values[value_at[code]++] = stats->values[at];
            if (event_at[code] >= 0)
                events[event_at[code]++] = (int32_t)(first_event + row);
            if (kind_at[code] >= 0)
                kinds[kind_at[code]++] = stats->kinds[at];
        }
    }
}
