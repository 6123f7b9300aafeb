// SPDX-License-Identifier: MIT
// What is known of curl from before.
#ifndef HED_CALIBRATE_CURL_H
#define HED_CALIBRATE_CURL_H

#include "heddle/curl.h"

/// Reads what was found for a def; false if nothing was, or its file is damaged.
bool hed_curl_find(const HedCurlDef* def, HedCurl* curl);

/// hed_curl_calibrate would only read a file.
bool hed_curl_is_known(const HedCurlDef* def);

/// Keeps it, if there is a place to.
void hed_curl_keep(const HedCurlDef* def, const HedCurl* curl);

#endif
