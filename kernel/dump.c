/* SPDX-License-Identifier: MIT */
#include "kernel/dump.h"

#include "arch/x86/cpu.h"
#include "arch/x86/image.h"
#include "arch/x86/msr.h"
#include "arch/x86/processor_number.h"
#include "arch/x86/string.h"
#include "pebs/layout/arch_pebs.h"
#include "lib/dump/dump_write.h"
#include "lib/text.h"
#include "kernel/console.h"
#include "version.h"

#define NOTE_HEAD_SIZE 16u      /* bytes of an ELF note's header with the name "GNU" */
#define WAITING_SIZE   0x10000u /* bytes of frames kept until an interrupt has ended */

_Static_assert(LBR_DEPTH_MAX <= DUMP_DEPTH_MAX, "a frame has room for the deepest LBR stack");

static bool wanted, held;
static unsigned self; /* the number of the processor that the tests call 0 */
static const struct caps *dumped;
static struct dump_writer writer;
static char waiting[WAITING_SIZE]; /* lines, each NUL-terminated */
static size_t waiting_used;

void dump_waiting(void)
{
    for (size_t at = 0; at < waiting_used; at += text_length(waiting + at) + 1)
        console_text(waiting + at);
    waiting_used = 0;
}

static void take_line(void *context, const char *text)
{
    size_t size = text_length(text) + 1;

    (void)context;
    if (!held) {
        dump_waiting();
        console_text(text);
    } else if (size <= WAITING_SIZE - waiting_used) {
        memcpy(waiting + waiting_used, text, size);
        waiting_used += size;
    }
}

static const struct line_sink lines = { take_line, NULL };

/* Notes what the tests' processor samples. For other processors the test calls dump_event() itself. */
static void note_event(const struct pebs_sampling *sampling)
{
    if (processor_number() == 0)
        dump_event(0, sampling);
}

/* The number of a processor in the dump. */
static unsigned dump_cpu(unsigned cpu)
{
    return cpu ? cpu : self;
}

void dump_start(const struct caps *caps, unsigned number)
{
    const uint8_t *id = build_id_start + NOTE_HEAD_SIZE;
    struct dump_machine machine = { .version = DSTEST86_VERSION "+" DSTEST86_REVISION,
                                    .cpu_width = 8 * sizeof(void *),
                                    .signature = caps->signature,
                                    .perf_capabilities = caps->perf_capabilities,
                                    .misc_enable = msr_get(MSR_IA32_MISC_ENABLE),
                                    .ds_width = caps->ds ? caps->ds_width : 0,
                                    .bts_prediction = caps->bts_prediction,
                                    .pebs = caps->pebs_form,
                                    .data_source = caps->data_source };

    if (caps->pebs_method == PEBS_METHOD_ADAPTIVE)
        machine.pebs_data_cfg = msr_get(MSR_PEBS_DATA_CFG);
    while (id < build_id_end && machine.build_id_length < DUMP_BUILD_ID_MAX)
        machine.build_id[machine.build_id_length++] = *id++;
    dump_end();
    wanted = true;
    dumped = caps;
    self = number;
    dump_writer_init(&writer, &lines);
    dump_write_head(&writer, &machine);
    pebs_observe(note_event);
}

void dump_test(const char *id)
{
    if (!wanted)
        return;
    held = false; /* in case a test was ended inside its interrupt routine */
    dump_write_test(&writer, id);
    dump_waiting();
}

void dump_event(unsigned cpu, const struct pebs_sampling *s)
{
    struct dump_sampling event = { .cpu = dump_cpu(cpu),
                                   .counter = s->counter,
                                   .fixed = s->fixed,
                                   .select = s->fixed ? 0 : s->event->select,
                                   .period = s->period,
                                   .name = s->fixed ? "" : s->event->name };

    if (!wanted)
        return;
    if (!s->fixed && s->event->role == PEBS_ROLE_LOAD_LATENCY)
        event.threshold = s->threshold;
    if (dumped->pebs_method == PEBS_METHOD_ADAPTIVE && !s->basic)
        event.data_cfg = s->data_cfg;
    dump_write_event(&writer, &event);
}

void dump_bts(unsigned cpu, const struct ds_log *log)
{
    if (wanted)
        dump_write_bts(&writer, dump_cpu(cpu), dumped->ds_width, dumped->bts_prediction, log->bytes, log->records);
}

/* Records that vary in size. Each frame has consecutive records of one size. */
static void dump_varied(unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding)
{
    for (unsigned n = 0; n < log->records; n++) {
        size_t left, size;
        const uint8_t *bytes = ds_log_record(log, n, &left);
        if (arch_pebs_extent(bytes, left, &size) == PEBS_DECODE_OK)
            dump_write_pebs(&writer, dump_cpu(cpu), &dumped->pebs_form, encoding, (unsigned)size, bytes, 1);
    }
}

void dump_pebs(unsigned cpu, const struct ds_log *log, enum data_source_encoding encoding)
{
    if (wanted && log->places)
        dump_varied(cpu, log, encoding);
    else if (wanted)
        dump_write_pebs(&writer, dump_cpu(cpu), &dumped->pebs_form, encoding, log->record_size, log->bytes,
                        log->records);
}

void dump_lbr(unsigned cpu, const struct lbr_stack *stack)
{
    const struct dump_lbr dump = {
        .depth = stack->depth, .shifts = stack->shifts, .tos = stack->tos, .registers = stack->registers
    };

    if (wanted)
        dump_write_lbr(&writer, dump_cpu(cpu),
                       dumped->lbr_layout == LBR_LAYOUT_ARCH     ? DUMP_LBR_ARCH
                       : dumped->lbr_layout == LBR_LAYOUT_PACKED ? DUMP_LBR_PACKED
                                                                 : dumped->lbr_format,
                       &dump);
}

void dump_flush(void)
{
    if (!wanted)
        return;
    dump_write_flush(&writer);
    dump_waiting();
}

void dump_hold(void)
{
    held = true;
}

void dump_resume(void)
{
    held = false;
}

void dump_end(void)
{
    if (!wanted)
        return;
    held = false;
    dump_write_end(&writer);
    wanted = false;
}
