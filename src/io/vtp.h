// SPDX-License-Identifier: MIT
// VTK PolyData (.vtp): the arrays of a file that heddle wants, whether they stand as numbers in the
// text or as raw bytes behind it. What they mean is for the readers of curves and of meshes.
#ifndef HED_IO_VTP_H
#define HED_IO_VTP_H

#include "base/array.h"
#include "base/status.h"
#include "base/text.h"
#include "heddle/vec.h"

#include <stddef.h>

typedef enum HedVtpRole {
    HED_VTP_POINTS,
    HED_VTP_LINE_CORNERS,
    HED_VTP_LINE_ENDS,
    HED_VTP_POLY_CORNERS,
    HED_VTP_POLY_ENDS,
    HED_VTP_STRIP_CORNERS,
    HED_VTP_RADIUS, // of cells
    HED_VTP_COLOR,  // of cells, red, green and blue from 0 to 255
    HED_VTP_ROLE_COUNT
} HedVtpRole;

/// A tag, from '<' to '>'.
typedef struct HedVtpTag {
    HedSpan text; ///< Its data are NULL if there is no such tag.
    HedSpan name; ///< With '/' if it ends something.
} HedVtpTag;

typedef struct HedVtpArray {
    HedVtpTag tag;
    HED_ARRAY(double) values; // filled by read
} HedVtpArray;

/// A file of one Piece. Fill with hed_vtp_begin; free with hed_vtp_free.
typedef struct HedVtp {
    const char* name;
    const char* data;
    const char* end;
    const char* at;
    const char* raw; // the bytes behind the text; NULL if there are none
    size_t header;   // bytes of the size before each array there
    HedVtpTag piece;
    HedVtpArray arrays[HED_VTP_ROLE_COUNT];
    HedError* error;
} HedVtp;

/// Finds the tags of a file, whose bytes stay with the caller. Reads no array.
HedStatus hed_vtp_begin(HedVtp* vtp, const char* data, size_t size, const char* name,
                        HedError* error);
void hed_vtp_free(HedVtp* vtp);

/// Reads the values of an array, none if the file has no such array. All are finite.
HedStatus hed_vtp_read(HedVtp* vtp, HedVtpRole role);

/// A count that the Piece states, such as "NumberOfLines"; -1 if it does not.
HedStatus hed_vtp_count(const HedVtp* vtp, const char* attribute, int32_t* count);

/// Where a line or polygon ends in the array of its corners, given where it begins; the array of
/// ends follows that of corners in HedVtpRole. Checks that its corners are indices of points. Both
/// arrays and the points have been read.
HedStatus hed_vtp_cell(const HedVtp* vtp, HedVtpRole corners, int32_t number, int32_t first,
                       int32_t* end);

/// The point with an index that has been checked.
static inline HedVec3 hed_vtp_point(const HedVtp* vtp, double index) {
    const double* x = vtp->arrays[HED_VTP_POINTS].values.data + 3 * (int64_t)index;
    return (HedVec3){x[0], x[1], x[2]};
}

/// Byte of the tag of an array, for messages.
ptrdiff_t hed_vtp_place(const HedVtp* vtp, HedVtpRole role);

#endif
