// SPDX-License-Identifier: MIT
// Things to look at: what they consist of, their frames and values.
#include "base/alloc.h"
#include "base/file.h"
#include "geom/curvature.h"
#include "show/internal.h"

#include <inttypes.h>
#include <string.h>

enum { VERTEX_LIMIT = 100000000 }; // keeps the size of a message below 4 GiB

HedShowOptions hed_show_options_default(void) {
    return (HedShowOptions){.scale = 1.0, .tiles = {1, 1}};
}

// The square that stands for a plane (geom/shape_mesh.c): y is 0, and all corners are as far out
// along x as along z. No other body has as few vertices: they are closed.
bool hed_show_is_plane(HedVec3View vertices, int32_t triangle_count) {
    bool is_square = vertices.count == 4 && triangle_count == 2;
    for (int32_t k = 0; k < vertices.count && is_square; ++k) {
        HedVec3 p = vertices.data[k];
        double half = fabs(vertices.data[0].x);
        is_square = p.y == 0.0 && fabs(p.x) == half && fabs(p.z) == half;
    }
    return is_square;
}

static void list_run_objects(HedShow* show) {
    for (int32_t i = 0; i < show->object_count; ++i) {
        show->objects[i] = hed_run_object(show->run, i);
        bool is_body = show->objects[i].kind == HED_OBJECT_BODY;
        show->is_ground[i] = is_body && hed_show_is_plane(hed_run_body_vertices(show->run, i),
                                                          show->objects[i].triangle_count);
    }
}

static void list_file_objects(HedShow* show) {
    int32_t count = 0;
    if (show->mesh.vertex_count > 0) {
        show->objects[count++] = (HedSeriesObject){.name = "mesh",
                                                   .kind = HED_OBJECT_SHEET,
                                                   .vertex_count = show->mesh.vertex_count,
                                                   .triangles = show->mesh.triangles,
                                                   .triangle_count = show->mesh.triangle_count};
    }
    if (show->curves.vertex_count > 0) {
        show->objects[count++] = (HedSeriesObject){.name = "yarns",
                                                   .kind = HED_OBJECT_YARNS,
                                                   .vertex_count = show->curves.vertex_count,
                                                   .curves = show->curves.curves,
                                                   .curve_count = show->curves.curve_count};
    }
}

static void list_still_objects(HedShow* show) {
    for (int32_t i = 0; i < show->object_count; ++i) {
        show->objects[i] = show->still.objects[i];
        show->is_ground[i] = show->still.is_ground[i];
    }
}

static int32_t count_objects(const HedShow* show) {
    int32_t in_file = (show->mesh.vertex_count > 0) + (show->curves.vertex_count > 0);
    return show->run ? hed_run_object_count(show->run)
                     : (show->still.count > 0 ? show->still.count : in_file);
}

static HedStatus list_objects(HedShow* show, HedError* error) {
    show->object_count = count_objects(show);
    show->objects = HED_NEW_ARRAY(HedSeriesObject, show->object_count);
    show->is_ground = HED_NEW_ARRAY(bool, show->object_count);
    if (!show->objects || !show->is_ground) {
        return hed_fail_memory(error, show->path);
    }
    if (show->run) {
        list_run_objects(show);
    } else if (show->still.count > 0) {
        list_still_objects(show);
    } else {
        list_file_objects(show);
    }
    for (int32_t i = 0; i < show->object_count; ++i) {
        bool is_body = show->objects[i].kind == HED_OBJECT_BODY;
        show->body_count += is_body;
        show->vertex_count += show->objects[i].vertex_count;
        show->sent_count += is_body ? 0 : show->objects[i].vertex_count;
    }
    if (show->vertex_count > VERTEX_LIMIT) {
        return hed_fail(error, HED_UNSUPPORTED, "%s: has %" PRId64 " vertices, the limit is %d",
                        show->path, show->vertex_count, VERTEX_LIMIT);
    }
    return HED_OK;
}

static HedStatus make_room(HedShow* show, HedError* error) {
    show->room = HED_NEW_ARRAY(HedVec3, show->vertex_count);
    show->value_room = HED_NEW_ARRAY(float, show->vertex_count);
    show->positions = HED_NEW_ARRAY(HedVec3*, show->object_count);
    show->values = HED_NEW_ARRAY(float*, show->object_count);
    if (!show->room || !show->value_room || !show->positions || !show->values) {
        return hed_fail_memory(error, show->path);
    }
    int64_t at = 0;
    for (int32_t i = 0; i < show->object_count; ++i) {
        show->positions[i] = show->room + at;
        show->values[i] = show->value_room + at;
        at += show->objects[i].vertex_count;
    }
    return HED_OK;
}

static HedShowQuantity describe_quantity(const char* name) {
    HedShowQuantity quantity = {.name = name, .unit = ""};
    for (int32_t k = 0; k < HED_QUANTITY_COUNT; ++k) {
        if (strcmp(name, hed_quantity_name((HedQuantity)k)) == 0) {
            quantity.unit = hed_quantity_unit((HedQuantity)k);
            quantity.is_signed = k == HED_QUANTITY_STRAIN || k == HED_QUANTITY_TENSION;
        }
    }
    return quantity;
}

static void list_quantities(HedShow* show) {
    if (show->still.count > 0) {
        return;
    }
    if (!show->run) {
        const char* name = hed_quantity_name(HED_QUANTITY_CURVATURE);
        show->quantities[show->quantity_count++] = describe_quantity(name);
        return;
    }
    int32_t count = hed_run_quantity_count(show->run);
    for (int32_t i = 0; i < count && i < HED_SHOW_QUANTITIES; ++i) {
        const char* name = hed_run_quantity_name(show->run, i);
        show->quantities[show->quantity_count++] = describe_quantity(name);
    }
}

HedStatus hed_show_open(const char* path, const HedShowOptions* options, HedShow** out,
                        HedError* error) {
    HedStatus status = HED_OK;
    HedShowOptions defaults = hed_show_options_default();
    *out = NULL;
    HedShow* show = HED_NEW(HedShow);
    if (!show) {
        return hed_fail_memory(error, path);
    }
    show->path = hed_text_copy(path);
    if (!show->path) {
        status = hed_fail_memory(error, path);
        goto done;
    }
    HED_TRY(hed_show_load(show, options ? options : &defaults, error));
    HED_TRY(list_objects(show, error));
    HED_TRY(make_room(show, error));
    HED_TRY(hed_show_find_step(show, error)); // needs a frame: a show has at least one
    list_quantities(show);
    *out = show;
done:
    if (status != HED_OK) {
        hed_show_close(show);
    }
    return status;
}

void hed_show_close(HedShow* show) {
    if (!show) {
        return;
    }
    for (int32_t i = 0; i < HED_SHOW_SLOTS; ++i) {
        hed_free(show->slots[i].q);
        hed_free(show->slots[i].poses);
    }
    hed_scene_destroy(show->scene);
    hed_run_close(show->run);
    hed_mesh_free(&show->mesh);
    hed_curves_free(&show->curves);
    hed_still_free(&show->still);
    hed_free(show->objects);
    hed_free(show->is_ground);
    hed_free(show->room);
    hed_free(show->value_room);
    hed_free(show->positions);
    hed_free(show->values);
    hed_free(show->path);
    hed_free(show->title);
    hed_free(show);
}

const char* hed_show_title(const HedShow* show) {
    return show->title;
}

const char* hed_show_path(const HedShow* show) {
    return show->path;
}

bool hed_show_is_run(const HedShow* show) {
    return show->run != NULL;
}

bool hed_show_is_growing(const HedShow* show) {
    return show->run && show->selection.count == 0 && hed_run_is_growing(show->run);
}

bool hed_show_is_ground(const HedShow* show, int32_t object) {
    return object >= 0 && object < show->object_count && show->is_ground[object];
}

int32_t hed_show_object_count(const HedShow* show) {
    return show->object_count;
}

HedSeriesObject hed_show_object(const HedShow* show, int32_t index) {
    return show->objects[index];
}

int32_t hed_show_quantity_count(const HedShow* show) {
    return show->quantity_count;
}

HedShowQuantity hed_show_quantity(const HedShow* show, int32_t index) {
    return show->quantities[index];
}

int32_t hed_show_find_quantity(const HedShow* show, const char* name) {
    for (int32_t i = 0; i < show->quantity_count; ++i) {
        if (strcmp(show->quantities[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t hed_show_frame_count(HedShow* show) {
    if (show->selection.count > 0) {
        return show->selection.count;
    }
    return show->run ? hed_run_frame_count(show->run) : 1;
}

HedStatus hed_show_check_frames(HedShow* show, int32_t first, int32_t last, HedError* error) {
    int32_t count = hed_show_frame_count(show);
    if (first >= 0 && first <= last && last < count) {
        return HED_OK;
    }
    if (first == last) {
        return hed_fail(error, HED_NOT_FOUND,
                        "%s: has no frame %" PRId32 ", they are 0 to %" PRId32, show->path, first,
                        count - 1);
    }
    return hed_fail(error, HED_NOT_FOUND,
                    "%s: has no frames %" PRId32 " to %" PRId32 ", they are 0 to %" PRId32,
                    show->path, first, last, count - 1);
}

HedStatus hed_show_check_quantity(const HedShow* show, int32_t quantity, HedError* error) {
    if (quantity >= 0 && quantity < show->quantity_count) {
        return HED_OK;
    }
    return hed_fail(error, HED_NOT_FOUND, "%s: has no quantity %" PRId32 ", there are %" PRId32,
                    show->path, quantity, show->quantity_count);
}

HedStatus hed_show_frame(HedShow* show, int32_t frame, double* time, HedVec3* const* positions,
                         HedError* error) {
    HedStatus status = hed_show_check_selected(show, frame, error);
    if (status != HED_OK) {
        return status;
    }
    if (show->run) {
        return hed_run_frame(show->run, hed_show_source(show, frame), time, positions, error);
    }
    if (time) {
        *time = 0.0;
    }
    for (int32_t i = 0; positions && i < show->object_count; ++i) {
        bool is_mesh = show->objects[i].kind == HED_OBJECT_SHEET;
        const HedVec3* from = is_mesh ? show->mesh.vertices : show->curves.vertices;
        memcpy(positions[i], show->still.count > 0 ? show->still.positions[i] : from,
               (size_t)show->objects[i].vertex_count * sizeof(HedVec3));
    }
    return HED_OK;
}

// The one quantity of files.
static HedStatus find_curvature(const HedShow* show, float* const* values, HedError* error) {
    double* mesh = HED_NEW_ARRAY(double, show->mesh.vertex_count);
    if (!mesh) {
        return hed_fail_memory(error, show->path);
    }
    HedSurfacePart part = {show->mesh.vertices, 0, show->mesh.vertex_count, show->mesh.triangles,
                           show->mesh.triangle_count};
    HedStatus status = hed_surface_curvature(part, mesh, error);
    for (int32_t i = 0; status == HED_OK && i < show->object_count; ++i) {
        const HedSeriesObject* object = &show->objects[i];
        for (int32_t k = 0; object->kind == HED_OBJECT_SHEET && k < object->vertex_count; ++k) {
            values[i][k] = (float)mesh[k];
        }
        for (int32_t k = 0; k < object->curve_count; ++k) {
            const HedCurve* curve = &object->curves[k];
            hed_curve_curvature(show->curves.vertices, curve, values[i] + curve->first);
        }
    }
    hed_free(mesh);
    return status;
}

HedStatus hed_show_values(HedShow* show, int32_t frame, int32_t quantity, float* const* values,
                          HedError* error) {
    HedStatus status = hed_show_check_quantity(show, quantity, error);
    if (status != HED_OK) {
        return status;
    }
    status = hed_show_check_selected(show, frame, error);
    if (status != HED_OK) {
        return status;
    }
    return show->run ? hed_run_values(show->run, hed_show_source(show, frame),
                                      show->quantities[quantity].name, values, error)
                     : find_curvature(show, values, error);
}
