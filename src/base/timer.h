// SPDX-License-Identifier: MIT
#ifndef HED_BASE_TIMER_H
#define HED_BASE_TIMER_H

/// Seconds of a clock that never goes back; only differences mean anything.
double hed_time_now(void);

#endif
