// SPDX-License-Identifier: MIT
// The text of knitout programs: a header in comments, then one operation per line.
#include "heddle/knitout.h"
#include "base/file.h"
#include "base/words.h"
#include "fabric/warnings.h"
#include "knit/knit.h"
#include "knit/machine.h"

#include <math.h>
#include <string.h>

enum { LONG_FLOAT = 6, EXTENSION_MOST = 32 };

struct HedKnitout {
    HedLoops graph;
    HedBedLog log;
    char* name; // of the file, for messages
    HedKnitoutFacts facts;
    HED_ARRAY(char*) notes;
    int32_t carriers[HED_CARRIER_MOST]; // per carrier: the first yarn that it brought
};

typedef struct KnitoutReader {
    HedMachine machine;
    HedKnitout* program;
    HedSpan extensions[EXTENSION_MOST]; // that a note was made of
    int32_t extension_count;
    bool has_magic;
    HedSpan size;                     // of stitches, as the program says it,
    const struct Operation* sized_by; // and by which operation
    bool has_sizes;                   // different ones
} KnitoutReader;

static HedStatus HED_PRINTF(2, 3) note(KnitoutReader* r, const char* format, ...) {
    HedKnitout* program = r->program;
    va_list arguments;
    va_start(arguments, format);
    bool ok = hed_warnings_add(&program->notes.data, &program->notes.count,
                               &program->notes.capacity, format, arguments);
    va_end(arguments);
    return ok ? HED_OK : hed_fail_memory(r->machine.error, r->machine.name);
}

// --- header ---

static bool starts_with(HedSpan line, const char* text) {
    size_t size = strlen(text);
    return line.size >= (int32_t)size && memcmp(line.data, text, size) == 0;
}

static HedSpan after(HedSpan line, const char* text) {
    int32_t size = (int32_t)strlen(text);
    return hed_span_trim((HedSpan){line.data + size, line.size - size});
}

// ";;Carriers: 1 2 3"; a rail may hold several, "1,2;3".
static HedStatus read_carriers(KnitoutReader* r, HedSpan list) {
    HedStatus status = HED_OK;
    int32_t start = 0;
    for (int32_t i = 0; i <= list.size && status == HED_OK; ++i) {
        bool is_end = i == list.size || strchr(" \t,;", list.data[i]);
        int32_t carrier = 0;
        if (is_end && i > start) {
            status =
                hed_machine_carrier(&r->machine, (HedSpan){list.data + start, i - start}, &carrier);
        }
        start = is_end ? i + 1 : start;
    }
    r->machine.has_carriers = r->machine.carrier_count > 0;
    return status;
}

static HedStatus read_comment(KnitoutReader* r, HedSpan line) {
    int64_t version = 0;
    if (starts_with(line, ";!knitout-")) {
        r->has_magic = true;
        HedSpan number = after(line, ";!knitout-");
        if (!hed_span_int64(number, &version)) {
            return hed_machine_fail(&r->machine, "expected ;!knitout- and a version, got '%s'",
                                    hed_quote(line).text);
        }
        return version > 2 ? note(r, "line %d: version %lld is read as version 2", r->machine.line,
                                  (long long)version)
                           : HED_OK;
    }
    if (starts_with(line, ";;Carriers:") && !r->machine.has_carriers) {
        return read_carriers(r, after(line, ";;Carriers:"));
    }
    return HED_OK;
}

// --- operands ---

static HedStatus missing(KnitoutReader* r, const char* what, HedSpan found) {
    return hed_machine_fail(&r->machine, "expected %s, got '%s'", what, hed_quote(found).text);
}

static HedStatus take_direction(KnitoutReader* r, HedSpan* rest, bool* is_leftward) {
    HedSpan word = {0};
    bool is_there = hed_span_word(rest, &word);
    *is_leftward = is_there && hed_span_equal(word, "-");
    return *is_leftward || (is_there && hed_span_equal(word, "+"))
               ? HED_OK
               : missing(r, "a direction, + or -", word);
}

static HedStatus take_needle(KnitoutReader* r, HedSpan* rest, HedNeedle* needle) {
    HedSpan word = {0};
    int64_t number = 0;
    if (!hed_span_word(rest, &word) || (word.data[0] != 'f' && word.data[0] != 'b')) {
        return missing(r, "a needle such as f3, b-2 or fs7", word);
    }
    needle->bed = word.data[0] == 'f' ? HED_BED_FRONT : HED_BED_BACK;
    needle->is_slider = word.size > 1 && word.data[1] == 's';
    int32_t skip = needle->is_slider ? 2 : 1;
    HedSpan digits = {word.data + skip, word.size - skip};
    if (!hed_span_int64(digits, &number) || number < -HED_NEEDLE_MOST || number > HED_NEEDLE_MOST) {
        return missing(r, "a needle with a number from -4096 to 4096", word);
    }
    needle->number = (int32_t)number;
    return hed_machine_reach(&r->machine, needle->number);
}

static HedStatus take_carriers(KnitoutReader* r, HedSpan* rest, HedCarrierSet* set) {
    HedSpan word;
    HedStatus status = HED_OK;
    set->count = 0;
    while (status == HED_OK && hed_span_word(rest, &word)) {
        if (set->count == HED_CARRIER_MOST) {
            return missing(r, "fewer carriers", word);
        }
        status = hed_machine_carrier(&r->machine, word, &set->items[set->count]);
        set->count += status == HED_OK;
    }
    return status;
}

static HedStatus take_end(KnitoutReader* r, HedSpan* rest) {
    HedSpan word;
    return hed_span_word(rest, &word) ? missing(r, "the end of the line", word) : HED_OK;
}

// --- operations ---

// What an operation does; work and carry are for those that only differ in what the machine does.
typedef struct Operation {
    const char* name;
    HedStatus (*run)(KnitoutReader* r, const struct Operation* operation, HedSpan rest);
    HedStatus (*work)(HedMachine* machine, HedNeedle needle, bool is_leftward,
                      const HedCarrierSet* set);
    HedStatus (*carry)(HedMachine* machine, const HedCarrierSet* set);
} Operation;

static HedStatus do_carry(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    HedCarrierSet set = {.count = 0};
    HedStatus status = take_carriers(r, &rest, &set);
    return status == HED_OK ? operation->carry(&r->machine, &set) : status;
}

static HedStatus do_work(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    HedStatus status = HED_OK;
    bool is_leftward = false;
    HedNeedle needle = {0};
    HedCarrierSet set = {.count = 0};
    HED_TRY(take_direction(r, &rest, &is_leftward));
    HED_TRY(take_needle(r, &rest, &needle));
    HED_TRY(take_carriers(r, &rest, &set));
    HED_TRY(operation->work(&r->machine, needle, is_leftward, &set));
done:
    return status;
}

static HedStatus do_split(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedStatus status = HED_OK;
    bool is_leftward = false;
    HedNeedle needle = {0}, to = {0};
    HedCarrierSet set = {.count = 0};
    HED_TRY(take_direction(r, &rest, &is_leftward));
    HED_TRY(take_needle(r, &rest, &needle));
    HED_TRY(take_needle(r, &rest, &to));
    HED_TRY(take_carriers(r, &rest, &set));
    HED_TRY(hed_machine_split(&r->machine, needle, to, is_leftward, &set));
done:
    return status;
}

static HedStatus do_xfer(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedStatus status = HED_OK;
    HedNeedle from = {0}, to = {0};
    HED_TRY(take_needle(r, &rest, &from));
    HED_TRY(take_needle(r, &rest, &to));
    HED_TRY(take_end(r, &rest));
    HED_TRY(hed_machine_transfer(&r->machine, from, to));
done:
    return status;
}

static HedStatus do_drop(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedStatus status = HED_OK;
    HedNeedle needle = {0};
    HedCarrierSet none = {.count = 0};
    HED_TRY(take_needle(r, &rest, &needle));
    HED_TRY(take_end(r, &rest));
    HED_TRY(hed_machine_knit(&r->machine, needle, false, &none));
done:
    return status;
}

static HedStatus do_amiss(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedNeedle needle = {0};
    return take_needle(r, &rest, &needle);
}

static HedStatus do_rack(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedSpan word = {0};
    double value = 0.0;
    if (!hed_span_word(&rest, &word)) {
        return missing(r, "a number of needles", word);
    }
    HedSpan number = word;
    if (number.data[0] == '+') {
        number = (HedSpan){number.data + 1, number.size - 1};
    }
    return hed_span_double(number, &value) ? hed_machine_rack(&r->machine, value)
                                           : missing(r, "a number of needles", word);
}

static HedStatus do_nothing(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)r;
    (void)operation;
    (void)rest;
    return HED_OK;
}

// Sizes of stitches are numbers of a machine, which nothing here says the length of.
static HedStatus do_size(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    HedSpan size = hed_span_trim(rest);
    HedSpan old = r->size;
    bool is_same = r->sized_by == operation && old.size == size.size &&
                   memcmp(old.data, size.data, (size_t)size.size) == 0;
    bool is_change = r->sized_by == operation && !is_same && r->machine.graph->loops.count > 0;
    r->size = size;
    r->sized_by = operation;
    if (!is_change || r->has_sizes) {
        return HED_OK;
    }
    r->has_sizes = true;
    return note(r, "line %d: '%s' changes to %s: all loops are as long as others all the same",
                r->machine.line, operation->name, hed_quote(size).text);
}

// "x-vis-color #rrggbb carrier"
static HedStatus do_color(KnitoutReader* r, const Operation* operation, HedSpan rest) {
    (void)operation;
    HedSpan word = {0}, name = {0};
    int32_t carrier = 0;
    uint32_t color = 0;
    bool fits = hed_span_word(&rest, &word) && word.size == 7 && word.data[0] == '#' &&
                hed_span_word(&rest, &name);
    for (int32_t i = 1; i < 7 && fits; ++i) {
        char c =
            word.data[i] >= 'A' && word.data[i] <= 'F' ? (char)(word.data[i] + 32) : word.data[i];
        bool is_digit = c >= '0' && c <= '9';
        fits = is_digit || (c >= 'a' && c <= 'f');
        color = color << 4 | (uint32_t)(is_digit ? c - '0' : c - 'a' + 10);
    }
    HedStatus status = fits ? hed_machine_carrier(&r->machine, name, &carrier) : HED_OK;
    if (fits && status == HED_OK) {
        r->machine.carriers[carrier].color = color & 0xFFFFFF;
        r->machine.carriers[carrier].has_color = true;
    }
    return status;
}

// Extensions are left out, with one note for each kind.
static HedStatus do_extension(KnitoutReader* r, HedSpan name) {
    for (int32_t i = 0; i < r->extension_count; ++i) {
        HedSpan known = r->extensions[i];
        if (known.size == name.size && memcmp(known.data, name.data, (size_t)name.size) == 0) {
            return HED_OK;
        }
    }
    if (r->extension_count == EXTENSION_MOST) {
        return HED_OK;
    }
    r->extensions[r->extension_count++] = name;
    return note(r, "line %d: '%s' is left out", r->machine.line, hed_quote(name).text);
}

static const Operation OPERATIONS[] = {
    {.name = "knit", .run = do_work, .work = hed_machine_knit},
    {.name = "xfer", .run = do_xfer},
    {.name = "tuck", .run = do_work, .work = hed_machine_tuck},
    {.name = "miss", .run = do_work, .work = hed_machine_miss},
    {.name = "drop", .run = do_drop},
    {.name = "rack", .run = do_rack},
    {.name = "split", .run = do_split},
    {.name = "in", .run = do_carry, .carry = hed_machine_in},
    {.name = "inhook", .run = do_carry, .carry = hed_machine_inhook},
    {.name = "releasehook", .run = do_carry, .carry = hed_machine_release},
    {.name = "out", .run = do_carry, .carry = hed_machine_out},
    {.name = "outhook", .run = do_carry, .carry = hed_machine_outhook},
    {.name = "amiss", .run = do_amiss},
    {.name = "stitch", .run = do_size},
    {.name = "pause", .run = do_nothing},
    {.name = "x-vis-color", .run = do_color},
    {.name = "x-stitch-number", .run = do_size},
};

static HedStatus read_operation(KnitoutReader* r, HedSpan line) {
    const char* comment = memchr(line.data, ';', (size_t)line.size);
    HedSpan rest = {line.data, comment ? (int32_t)(comment - line.data) : line.size};
    HedSpan word;
    if (!hed_span_word(&rest, &word)) {
        return HED_OK;
    }
    ++r->machine.facts.operation_count;
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof OPERATIONS[0]; ++i) {
        if (hed_span_equal(word, OPERATIONS[i].name)) {
            return OPERATIONS[i].run(r, &OPERATIONS[i], rest);
        }
    }
    return starts_with(word, "x-") ? do_extension(r, word)
                                   : missing(r, "an operation such as knit or xfer", word);
}

// --- the program ---

static HedStatus add_notes(KnitoutReader* r) {
    HedStatus status = HED_OK;
    const HedKnitoutFacts* f = &r->machine.facts;
    if (!r->has_magic) {
        HED_TRY(note(r, "there is no line ;!knitout-2"));
    }
    if (!r->machine.has_carriers) {
        HED_TRY(note(r, "the header has no ;;Carriers:"));
    }
    if (f->longest_float > LONG_FLOAT) {
        HED_TRY(note(r, "line %d: a float of %d needles", f->float_line, f->longest_float));
    }
    if (f->live_count > 0) {
        HED_TRY(note(r, "%d loops are still on needles: the fabric would run", f->live_count));
    }
    if (f->dropped_count > 0) {
        HED_TRY(note(r, "%d loops were dropped", f->dropped_count));
    }
    if (f->active_count > 0) {
        HED_TRY(note(r, "%d carriers are never taken out", f->active_count));
    }
done:
    return status;
}

static HedStatus read_all(KnitoutReader* r, const char* data, size_t size) {
    HedStatus status = HED_OK;
    HedTextLines lines = hed_lines_begin(data, size);
    HED_TRY(hed_text_check(data, size, r->machine.name, r->machine.error));
    HED_TRY(hed_machine_begin(&r->machine));
    while (hed_lines_next(&lines)) {
        HedSpan line = hed_span_trim(lines.line);
        r->machine.line = lines.number;
        if (line.size == 0) {
            continue;
        }
        HED_TRY(line.data[0] == ';' ? read_comment(r, line) : read_operation(r, line));
    }
    HED_TRY(hed_machine_end(&r->machine));
    HED_TRY(add_notes(r));
done:
    return status;
}

// A carrier that comes in twice brings two yarns of one name.
static void list_carriers(HedKnitout* program) {
    const HedLoops* graph = &program->graph;
    int32_t count = 0;
    for (int32_t i = 0; i < graph->yarns.count; ++i) {
        int32_t k = 0;
        while (k < count &&
               strcmp(graph->names.data[program->carriers[k]], graph->names.data[i]) != 0) {
            ++k;
        }
        if (k == count) {
            program->carriers[count++] = i; // at most HED_CARRIER_MOST: each name is a carrier
        }
    }
    program->facts.carrier_count = count;
}

HedStatus hed_knitout_parse(const char* data, size_t size, const char* name, HedKnitout** program,
                            HedError* error) {
    KnitoutReader* r = HED_NEW(KnitoutReader);
    HedKnitout* made = HED_NEW(HedKnitout);
    HedStatus status = HED_OK;
    if (!r || !made) {
        HED_TRY(hed_fail_memory(error, name));
    }
    made->name = hed_text_copy(name);
    if (!made->name) {
        HED_TRY(hed_fail_memory(error, name));
    }
    r->program = made;
    r->machine.name = name;
    r->machine.error = error;
    r->machine.graph = &made->graph;
    r->machine.log = &made->log;
    status = read_all(r, data, size);
    made->facts = r->machine.facts;
    list_carriers(made);
    hed_machine_free(&r->machine);
done:
    hed_free(r);
    if (status != HED_OK) {
        hed_knitout_destroy(made);
        return status;
    }
    *program = made;
    return HED_OK;
}

HedStatus hed_knitout_load(const char* path, HedKnitout** program, HedError* error) {
    HedText text = {0};
    HedStatus status = hed_text_read(path, &text, error);
    if (status == HED_OK) {
        status = hed_knitout_parse(text.data, text.size, path, program, error);
    }
    hed_text_free(&text);
    return status;
}

void hed_knitout_destroy(HedKnitout* program) {
    if (!program) {
        return;
    }
    hed_warnings_free(program->notes.data, program->notes.count);
    hed_loops_free(&program->graph);
    hed_bed_log_free(&program->log);
    hed_free(program->name);
    hed_free(program);
}

HedKnitoutFacts hed_knitout_facts(const HedKnitout* program) {
    return program->facts;
}

const char* hed_knitout_carrier(const HedKnitout* program, int32_t index) {
    return program->graph.names.data[program->carriers[index]];
}

int32_t hed_knitout_note_count(const HedKnitout* program) {
    return program->notes.count;
}

const char* hed_knitout_note(const HedKnitout* program, int32_t index) {
    return program->notes.data[index];
}

HedStatus hed_knitout_build(const HedKnitout* program, const HedKnitDef* def, HedFabric* fabric,
                            HedKnitReport* report, HedError* error) {
    HedKnitDef copy = *def;
    copy.name = program->name;
    return hed_knit_build(&program->graph, &program->log, &copy, fabric, report, error);
}
