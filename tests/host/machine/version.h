/* SPDX-License-Identifier: MIT */
/* The test's own version, instead of the version of the build. */
#define DSTEST86_VERSION  "1.2"
#define DSTEST86_REVISION "abc"
