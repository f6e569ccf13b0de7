/* SPDX-License-Identifier: MIT */
/* The reader's two hot loops, in the fastest form for this processor. */
#ifndef LIB_DUMP_READER_CODEC_H
#define LIB_DUMP_READER_CODEC_H

#include "lib/dump/dump_code.h"

const struct dump_codec *codec_fastest(void);

#endif
