// SPDX-License-Identifier: MIT
// heddle export: runs and files as one page that stands alone.
#include "cli/export.h"
#include "cli/frames.h"
#include "cli/page_file.h"
#include "cli/progress.h"
#include "cli/size.h"
#include "cli/verbs.h"
#include "server/answer.h"
#include "server/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    KEY_INTERVAL = 32,      // frames from one without a reference to the next
    MANY_BYTES = 100000000, // a page to think about
    MOST_BYTES = 500000000, // browsers hold a text of 2^29 characters at most
};

static const char DATA_PLACE[] = "<!--DATA-->"; // in the page (web/src/index.html)

ExportDef export_def_default(void) {
    return (ExportDef){.every = 1,
                       .show = hed_show_options_default(),
                       .way_out = "--frame A:B or --every N writes fewer frames, --no-values no "
                                  "colours"};
}

// Opens one show and leaves in it what is to be kept.
static int open_show(const ExportDef* def, const char* path, HedShow** show) {
    HedError error = {0};
    if (hed_show_open(path, &def->show, show, &error) != HED_OK) {
        return cli_error(&error);
    }
    int32_t first = 0;
    int32_t last = hed_show_frame_count(*show) - 1;
    if (def->frames) {
        int code = cli_frames(def->frames, last + 1, &first, &last);
        if (code != CLI_GO) {
            return code;
        }
    }
    if (hed_show_select(*show, first, last, def->every, &error) != HED_OK) {
        return cli_error(&error);
    }
    bool some = def->no_values || def->quantities.count > 0;
    if (some && hed_show_select_quantities(*show, def->quantities.items, def->quantities.count,
                                           &error) != HED_OK) {
        return cli_error(&error);
    }
    return CLI_GO;
}

static void put_buffer(PageFile* file, PageMessage kind, HedBuffer* buffer) {
    page_file_message(file, kind, buffer->data, (size_t)buffer->size);
    buffer->size = 0;
}

// A frame by the one before it, then once more for each quantity by itself.
static HedStatus put_frame(PageFile* file, HedShow* show, int32_t run, int32_t frame,
                           HedBuffer* buffer, HedError* error) {
    HedFrameRequest request = {frame, frame % KEY_INTERVAL == 0 ? -1 : frame - 1, -1};
    HedStatus status = hed_show_encode_frame(show, run, request, buffer, error);
    for (int32_t q = 0; status == HED_OK && q < hed_show_quantity_count(show); ++q) {
        put_buffer(file, PAGE_BINARY, buffer);
        request = (HedFrameRequest){frame, frame, q};
        status = hed_show_encode_frame(show, run, request, buffer, error);
    }
    if (status == HED_OK) {
        put_buffer(file, PAGE_BINARY, buffer);
    }
    return status;
}

static HedStatus put_tables(PageFile* file, HedShow* show, int32_t run, HedBuffer* buffer,
                            HedError* error) {
    static const char* const NAMES[] = {"energy", "measure"};
    for (size_t i = 0; hed_show_is_run(show) && i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        HedStatus status = hed_show_encode_table(show, run, NAMES[i], 0, buffer, error);
        if (status == HED_OK) {
            put_buffer(file, PAGE_TEXT, buffer);
        } else if (status != HED_NOT_FOUND) {
            return status;
        }
        buffer->size = 0;
    }
    return HED_OK;
}

static HedStatus put_what_stays(PageFile* file, HedShow* show, int32_t run, HedBuffer* buffer,
                                HedError* error) {
    HedStatus status = hed_show_encode_about(show, run, buffer, error);
    if (status == HED_OK) {
        put_buffer(file, PAGE_TEXT, buffer);
        status = hed_show_encode_geometry(show, run, buffer, error);
    }
    if (status == HED_OK) {
        put_buffer(file, PAGE_BINARY, buffer);
        status = put_tables(file, show, run, buffer, error);
    }
    return status;
}

static int put_show(PageFile* file, HedShow* show, int32_t run) {
    HedError error = {0};
    HedBuffer buffer = {0};
    int code = CLI_GO;
    HedStatus status = put_what_stays(file, show, run, &buffer, &error);
    int32_t count = hed_show_frame_count(show);
    for (int32_t frame = 0; status == HED_OK && code == CLI_GO && frame < count; ++frame) {
        status = put_frame(file, show, run, frame, &buffer, &error);
        if (cli_progress_stop(NULL)) {
            code = cli_fail(CLI_STOPPED, "stopped; nothing was written");
        } else if (file->size > MOST_BYTES) {
            code = cli_fail(CLI_BAD_INPUT,
                            "%s: would be larger than %d MB with all frames, and no browser opens "
                            "that; leave out frames (--every N) or values (--no-values)",
                            file->path, MOST_BYTES / 1000000);
        } else if (file->failure) {
            break; // said at the end
        }
    }
    hed_buffer_free(&buffer);
    return status == HED_OK ? code : cli_error(&error);
}

static int put_page(PageFile* file, const Page* page, HedShow* const* shows, int32_t count) {
    static const char OPENING[] = "<script type=\"application/octet-stream\" id=\"heddle-data\">";
    static const char CLOSING[] = "</script>";
    const char* place = strstr(page->text, DATA_PLACE);
    if (!place) {
        return cli_fail(CLI_MACHINE, "the page of this build has no place for data");
    }
    Message welcome = {0};
    message_welcome(count, &welcome);
    page_file_text(file, page->text, (size_t)(place - page->text));
    page_file_text(file, OPENING, sizeof OPENING - 1);
    page_file_message(file, PAGE_TEXT, welcome.data, welcome.size);
    message_free(&welcome);
    int code = CLI_GO;
    for (int32_t run = 0; run < count && code == CLI_GO; ++run) {
        code = put_show(file, shows[run], run);
    }
    page_file_end_data(file);
    page_file_text(file, CLOSING, sizeof CLOSING - 1);
    place += sizeof DATA_PLACE - 1;
    page_file_text(file, place, (size_t)(page->text + page->size - place));
    return code;
}

static void tell_size(const PageFile* file, HedShow* const* shows, int32_t count) {
    char text[CLI_NUMBER_TEXT];
    int32_t frames = 0;
    for (int32_t i = 0; i < count; ++i) {
        frames += hed_show_frame_count(shows[i]);
    }
    printf("%s: %s, %" PRId32 " frame%s\n", file->path, cli_bytes_text((double)file->size, text),
           frames, frames == 1 ? "" : "s");
    if (file->size > MANY_BYTES) {
        fputs("heddle: warning: browsers are slow with pages above 100 MB; --every N leaves out "
              "frames, --no-values the colours\n",
              stderr);
    }
}

static int write_page(const ExportDef* def, const Page* page, HedShow* const* shows) {
    PageFile file = {0};
    int32_t count = def->paths.count;
    int code = page_file_open(&file, def->page, def->force);
    if (code == CLI_GO) {
        cli_size_tell(def->page, cli_size_of_page(shows, count, page->size), def->way_out);
        code = put_page(&file, page, shows, count);
    }
    if (code == CLI_GO) {
        code = page_file_commit(&file);
    }
    if (code == CLI_DONE) {
        tell_size(&file, shows, count);
    }
    page_file_abandon(&file);
    return code;
}

int export_page(const ExportDef* def) {
    HedShow* shows[SHOW_LIST_LIMIT] = {NULL};
    Page page = page_get();
    if (!page.is_viewer) {
        return cli_fail(CLI_BAD_INPUT, "this build has no viewer page to export; 'make' builds it");
    }
    cli_progress_catch_signals();
    int code = CLI_GO;
    for (int32_t i = 0; i < def->paths.count && code == CLI_GO; ++i) {
        code = open_show(def, def->paths.items[i], &shows[i]);
    }
    if (code == CLI_GO) {
        code = write_page(def, &page, shows);
    }
    for (int32_t i = 0; i < def->paths.count; ++i) {
        hed_show_close(shows[i]);
    }
    return code;
}

int cli_export(int argc, char** argv) {
    ExportDef def = export_def_default();
    CliList set = {.count = 0};
    const CliOption options[] = {
        {"html", 0, CLI_TEXT, &def.page, "PAGE", "the file to write; its name ends in .html"},
        {"frame", 0, CLI_TEXT, &def.frames, "N|last|A:B", "frames of a run (default: all)"},
        {"every", 0, CLI_COUNT, &def.every, "N", "only each N-th of these frames"},
        {"quantity", 0, CLI_LIST, &def.quantities, "NAME",
         "values to colour by; may be given several times (default: all)"},
        {"no-values", 0, CLI_FLAG, &def.no_values, NULL, "no values: a smaller page"},
        {"scale", 0, CLI_LENGTH, &def.show.scale, "LENGTH",
         "what a unit of a yarn or mesh file is long: 0.01 or 1cm (default: 1 m)"},
        {"radius", 0, CLI_LENGTH, &def.show.radius, "LENGTH",
         "of yarns whose file gives none (default: from their distances)"},
        {"set", 0, CLI_LIST, &set, "KEY=VALUE", "change a value of a scene by its dotted path"},
        {"tiles", 0, CLI_PAIR, def.show.tiles, "NxM",
         "cells of yarns that repeat (.pyp) side by side (default: 1x1)"},
        {"force", 0, CLI_FLAG, &def.force, NULL, "replace PAGE if it is there"},
    };
    const CliCommand command = {
        .usage = "export RUN|FILE [RUN|FILE] --html PAGE [--frame A:B] [--every N] [--no-values]",
        .about = "Writes one page with the viewer and a run directory or a FILE inside; two side "
                 "by side.\n"
                 "It needs no program and no network: mail it to somebody, who opens it in a "
                 "browser.\n" CLI_SHOWN,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .least = 1,
        .most = SHOW_LIST_LIMIT,
        .missing = "RUN or FILE",
    };
    int code = cli_parse(&command, argc, argv, &def.paths);
    if (code != CLI_GO) {
        return code;
    }
    if (!def.page) {
        return cli_fail(CLI_BAD_INPUT, "export needs --html PAGE");
    }
    const char* extension = cli_extension(def.page);
    if (strcasecmp(extension, "html") != 0 && strcasecmp(extension, "htm") != 0) {
        return cli_fail(CLI_BAD_INPUT, "--html needs a name that ends in .html, got '%s'",
                        def.page);
    }
    if (def.no_values && def.quantities.count > 0) {
        return cli_fail(CLI_BAD_INPUT, "--no-values and --quantity exclude each other");
    }
    def.show.overrides = set.items;
    def.show.override_count = set.count;
    cli_show_notes();
    return export_page(&def);
}
