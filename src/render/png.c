// SPDX-License-Identifier: MIT
// The door to libspng.
#include "base/alloc.h"
#include "base/file.h"
#include "base/part.h"
#include "render/image.h"

#if defined(HED_HAVE_SPNG)

#include <spng.h>

static void* allocate_items(size_t count, size_t size) {
    return hed_alloc_array((int64_t)count, size);
}

static int write_bytes(spng_ctx* context, void* user, void* data, size_t size) {
    (void)context;
    hed_writer_bytes(user, data, size); // failures are kept until the commit
    return 0;
}

// One row of shown colours: bytes, or 16-bit words in the machine's order, as libspng wants them.
static void fill_row(const HedImage* image, int32_t row, int32_t bits, void* out) {
    uint8_t* bytes = out;
    uint16_t* words = out;
    for (int32_t x = 0; x < image->width; ++x) {
        float srgb[3];
        hed_image_shown(image, (size_t)row * (size_t)image->width + (size_t)x, srgb);
        for (int c = 0; c < 3; ++c) {
            size_t at = 3 * (size_t)x + (size_t)c;
            if (bits == 8) {
                bytes[at] = (uint8_t)(255.0f * srgb[c] + 0.5f);
            } else {
                words[at] = (uint16_t)(65535.0f * srgb[c] + 0.5f);
            }
        }
    }
}

static int encode(spng_ctx* context, const HedImage* image, int32_t bits, void* row) {
    struct spng_ihdr header = {.width = (uint32_t)image->width,
                               .height = (uint32_t)image->height,
                               .bit_depth = (uint8_t)bits,
                               .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
    int result = spng_set_ihdr(context, &header);
    result = result ? result : spng_set_srgb(context, 0);
    result = result ? result
                    : spng_encode_image(context, NULL, 0, SPNG_FMT_PNG,
                                        SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
    size_t size = 3 * (size_t)image->width * (size_t)(bits / 8);
    for (int32_t y = 0; result == 0 && y < image->height; ++y) {
        fill_row(image, y, bits, row);
        result = spng_encode_row(context, row, size);
    }
    return result == SPNG_EOI ? 0 : result;
}

HedStatus hed_png_write(const HedImage* image, const char* path, int32_t bits, HedError* error) {
    struct spng_alloc heap = {hed_alloc, hed_realloc, allocate_items, hed_free};
    HedWriter writer = {0};
    HedStatus status = HED_OK;
    void* row = hed_alloc_array(6 * (int64_t)image->width, 1);
    spng_ctx* context = spng_ctx_new2(&heap, SPNG_CTX_ENCODER);
    if (!row || !context) {
        HED_TRY(hed_fail_memory(error, path));
    }
    hed_part_sweep(path);
    HED_TRY(hed_writer_open(&writer, path, error));
    int result = spng_set_png_stream(context, write_bytes, &writer);
    result = result ? result : encode(context, image, bits, row);
    // zlib can fail to start for one reason only.
    if (result == SPNG_EMEM || result == SPNG_EZLIB_INIT) {
        HED_TRY(hed_fail_memory(error, path));
    } else if (result) {
        HED_TRY(hed_fail(error, HED_IO, "%s: libspng: %s", path, spng_strerror(result)));
    }
    HED_TRY(hed_writer_commit(&writer, error));
done:
    hed_writer_abandon(&writer);
    spng_ctx_free(context);
    hed_free(row);
    return status;
}

#else

HedStatus hed_png_write(const HedImage* image, const char* path, int32_t bits, HedError* error) {
    (void)image;
    (void)bits;
    return hed_fail(error, HED_UNSUPPORTED, "%s: this heddle was built without libspng: no PNG",
                    path);
}

#endif
