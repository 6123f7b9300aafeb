// SPDX-License-Identifier: MIT
#include "eol/part_view.h"
#include "base/alloc.h"
#include "eol/state.h"

// Whether its loops clasp each other.
static bool is_knit(const HedEol* eol) {
    return eol->view.net.clasp_count > 0;
}

HedStatus hed_eol_part_prepare(void* self, const HedPartSetup* setup, HedError* error) {
    HedEol* eol = self;
    if (setup->load) {
        eol->load = HED_NEW_ARRAY(HedVec3, eol->node_count);
        if (!eol->load) {
            return hed_fail_memory(error, "loads");
        }
    }
    for (int32_t k = 0; setup->load && k < eol->node_count; ++k) {
        eol->load[eol->number[k]] = setup->load[k];
    }
    return setup->has_self && is_knit(eol) ? hed_eol_set_self(eol, setup->friction, error) : HED_OK;
}

void hed_eol_part_destroy(void* self) {
    hed_eol_destroy(self);
}

// What an evaluation without a matrix writes in the model.
static void clone_model(HedEolModel* model, HedClones* clones) {
    int64_t nodes = model->node_count;
    int64_t steps = (int64_t)model->bands.step_count + 1;
    HED_CLONE(clones, model->quadrants, 4 * nodes);
    HED_CLONE(clones, model->normal, nodes);
    HED_CLONE(clones, model->couple, nodes);
    HED_CLONE(clones, model->stars, model->star_count);
    HED_CLONE(clones, model->own, steps * 10 * HED_YARN_PACK);
    HED_CLONE(clones, model->sum, steps * 4 * HED_YARN_PACK);
    HED_CLONE(clones, model->band_energy, (int64_t)model->bands.count * HED_EOL_SUMS);
    HED_CLONE(clones, model->node_energy,
              (int64_t)hed_block_count(model->node_count) * HED_EOL_SUMS);
    HED_CLONE(clones, model->star_energy, (int64_t)model->star_count * HED_EOL_SUMS);
}

void* hed_eol_part_clone(const void* self, HedClones* clones) {
    HedEol* eol = hed_clone(clones, self, sizeof *eol);
    HedTeam* team = eol ? hed_clone(clones, eol->team, sizeof *team) : NULL;
    if (!team) {
        return NULL;
    }
    int64_t size = (int64_t)HED_NODE_SIZE * eol->node_count;
    HED_CLONE(clones, team->partial, team->partial_capacity);
    eol->team = eol->model.team = team;
    clone_model(&eol->model, clones);
    HED_CLONE(clones, eol->gradient, size);
    HED_CLONE(clones, eol->mass, eol->node_count);
    HED_CLONE(clones, eol->start, size);
    HED_CLONE(clones, eol->guess, size);
    HED_CLONE(clones, eol->is_held, size);
    HED_CLONE(clones, eol->scratch, 2 * size);
    HED_CLONE(clones, eol->node_sum, hed_block_count(eol->node_count));
    if (eol->spheres) {
        HED_CLONE(clones, eol->spheres, 1);
    }
    if (eol->spheres) {
        HED_CLONE(clones, eol->spheres->pairs.data, eol->spheres->pairs.count);
    }
    return clones->is_out ? NULL : eol;
}

// Loops of a knit keep their own distance (eol/spheres.h).
HedPartSkin hed_eol_part_skin(const void* self) {
    const HedEol* eol = self;
    const HedEolView* view = &eol->view;
    return (HedPartSkin){.triangles = view->skin.triangles.data,
                         .size = view->skin.triangles.count,
                         .ends = view->ends.data,
                         .end_size = view->ends.count,
                         .is_apart = is_knit(eol)};
}

bool hed_eol_part_has_segment(const void* self, int32_t a, int32_t b) {
    return hed_eol_view_has_segment(self, a, b);
}

HedPartSize hed_eol_part_size(const void* self) {
    const HedNet* net = &((const HedEol*)self)->view.net;
    return (HedPartSize){.springs = net->visit_count - net->yarn_count,
                         .bends = net->visit_count - 2 * net->yarn_count};
}

int64_t hed_eol_part_state_count(const void* self) {
    return hed_eol_state_count(self);
}

void hed_eol_part_save(const void* self, double* state) {
    hed_eol_save(self, state);
}

void hed_eol_part_restore(void* self, const double* state) {
    hed_eol_restore(self, state);
    hed_eol_view_follow(self);
}

HedStatus hed_eol_part_start(void* self, const double* state, int64_t count, const int32_t* row,
                             bool is_at_rest, HedError* error) {
    HedStatus status = hed_eol_start(self, state, count, row, is_at_rest, error);
    hed_eol_view_follow(self);
    return status;
}

int32_t hed_eol_part_row(const void* self, int32_t point) {
    return ((const HedEol*)self)->number[point];
}

int32_t hed_eol_part_gone_count(const void* self) {
    return ((const HedEol*)self)->pullout.count;
}

void hed_eol_part_tell_gone(const void* self, const char* name, char* text, size_t size) {
    hed_eol_view_tell_gone(self, name, text, size);
}

int32_t hed_eol_part_vertex_count(const void* self) {
    return ((const HedEol*)self)->view.vertex_count;
}

void hed_eol_part_vertices(const void* self, const HedVec3* points, HedVec3* vertices) {
    hed_eol_view_vertices(self, points, vertices);
}

void hed_eol_part_velocities(const void* self, HedVec3* velocities) {
    hed_eol_view_velocities(self, velocities);
}

void hed_eol_part_quantity(const void* self, HedQuantity quantity, const double* push,
                           double* values) {
    hed_eol_view_quantity(self, quantity, push, values);
}

void hed_eol_part_strain(const void* self, double values[2]) {
    hed_eol_view_strain(self, values);
}
