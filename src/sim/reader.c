// SPDX-License-Identifier: MIT
#include "sim/reader.h"

// Terms of what has been copied are those of the copy.
static void rebind(HedSim* sim, const void* from, void* to) {
    for (int32_t k = 0; k < sim->term_count; ++k) {
        if (sim->terms[k].self == from) {
            sim->terms[k].self = to;
        }
    }
}

static void clone_scratch(HedSim* sim, HedClones* clones) {
    HED_CLONE(clones, sim->team.partial, sim->team.partial_capacity);
    HED_CLONE(clones, sim->range_energy, (int64_t)HED_TERM_COLUMNS * sim->ranges.count);
    HED_CLONE(clones, sim->force, sim->x.count);
    HED_CLONE(clones, sim->implicit.scratch, sim->x.count);
    HED_CLONE(clones, sim->contacts.list.data, sim->contacts.list.count);
    sim->contacts.team = &sim->team;
    sim->profile = NULL;
}

static void clone_ties(const HedSim* from, HedSim* sim, HedClones* clones) {
    HED_CLONE(clones, sim->ties.list.data, sim->ties.list.count);
    rebind(sim, &from->ties, &sim->ties);
}

static void clone_rods(const HedSim* from, HedSim* sim, HedClones* clones) {
    HED_CLONE(clones, sim->rods, 1);
    if (sim->rods) {
        sim->rods->is_at_start = false;
        hed_rods_clone(&sim->rods->rods, clones);
        rebind(sim, &from->rods->rods, &sim->rods->rods);
    }
}

static void clone_period(HedSim* sim, HedClones* clones) {
    HED_CLONE(clones, sim->period, 1);
    if (sim->period) {
        hed_copies_clone(&sim->period->copies, clones);
    }
}

static void clone_parts(HedSim* sim, HedClones* clones) {
    HED_CLONE(clones, sim->parts.list.data, sim->parts.list.count);
    for (int32_t k = 0; !clones->is_out && k < sim->parts.list.count; ++k) {
        HedPart* part = &sim->parts.list.data[k];
        part->self = part->type->clone(part->self, clones);
        clones->is_out = clones->is_out || !part->self;
    }
}

// A contact of its own, as one that goes on from a checkpoint has.
static HedStatus make_contact(const HedYarnDynamics* from, HedSim* sim, HedError* error) {
    HedStatus status = HED_OK;
    HedYarnContact* contact = &sim->yarn_dynamics->contact;
    const HedVec3* x = hed_period_spread(sim, HED_YARN_ROOM_X, sim->x.data);
    HedYarnMemory memory = {0};
    HED_TRY(hed_yarn_contact_copy(contact, &from->contact, &sim->team, error));
    HED_TRY(from->owed ? HED_OK : hed_yarn_save(&from->contact, &memory, error));
    HED_TRY(hed_yarn_restore(contact, x, from->owed ? from->owed : &memory, error));
done:
    hed_yarn_memory_free(&memory);
    return status;
}

static HedStatus clone_yarns(const HedYarnDynamics* from, HedSimReader* reader, HedError* error) {
    HedClones* clones = &reader->clones;
    HedSim* sim = reader->sim;
    HedYarnDynamics* own = HED_CLONE(clones, sim->yarn_dynamics, 1);
    if (!own) {
        return HED_OK;
    }
    own->contact = (HedYarnContact){0};
    reader->contact = &own->contact;
    HED_CLONE(clones, own->scratch, hed_period_spread_count(sim));
    HED_CLONE(clones, own->regions.motion, own->regions.count);
    HED_CLONE(clones, own->pairs.motion, own->pairs.count);
    return own->has_contact && !clones->is_out ? make_contact(from, sim, error) : HED_OK;
}

HedStatus hed_reader_open(const HedSim* sim, HedSimReader* reader, HedError* error) {
    *reader = (HedSimReader){0};
    HedSim* copy = reader->sim = hed_clone(&reader->clones, sim, sizeof *sim);
    if (!copy) {
        return hed_fail_memory(error, "reading a simulation");
    }
    HedClones* clones = &reader->clones;
    clone_scratch(copy, clones);
    clone_ties(sim, copy, clones);
    clone_rods(sim, copy, clones);
    clone_period(copy, clones);
    clone_parts(copy, clones);
    HedStatus status = clones->is_out ? HED_OK : clone_yarns(sim->yarn_dynamics, reader, error);
    return clones->is_out ? hed_fail_memory(error, "reading a simulation") : status;
}

void hed_reader_close(HedSimReader* reader) {
    hed_yarn_contact_free(reader->contact);
    hed_clones_free(&reader->clones);
}
