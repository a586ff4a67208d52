/* What an interrupt costs before any walk. */
#pragma once

/* Fills channel.delivery_ticks and the first estimate of ticks_per_ms. Takes about a millisecond. */
void calibrate(void);
