/* Waiting for another thread. */
#ifndef RINGFEN_IDLE_H
#define RINGFEN_IDLE_H

/* For some nanoseconds, without giving the processor to another thread. */
static inline void rf_spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* For a tenth of a millisecond. */
void rf_sleep_briefly(void);

#endif
