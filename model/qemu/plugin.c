/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin: set-up of the machine and its processors.
 *
 * Callbacks. Some translations have callbacks only for CPUID, RDMSR, WRMSR and RDPMC, so that a guest that does not use
 * the debug store runs at full speed. When a processor is programmed to need more (blocks, event classes, memory
 * accesses), it runs other translations, with these callbacks, until it no longer needs them. If it counts only events
 * outside ring 0, and its LBR stack records only branches that end there, as perf does for users, the guest's kernel
 * still runs the translations without them.
 */
#include "model/qemu/plugin.h"

#include <string.h>

#include "model/engine/branches.h"
#include "model/engine/data_cache.h"
#include "model/engine/engine.h"
#include "model/engine/event_class.h"
#include "model/engine/ring.h"
#include "model/faults/break.h"
#include "model/latitude/latitude.h"
#include "model/qemu/arena.h"
#include "model/referee/referee.h"

#define UNUSED_INTERRUPTIONS 64 /* after which data is no longer reported if no processor has used it */

QEMU_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

struct plugin model;

_Thread_local struct processor *thread_processor;

/* The scoreboard moves when it grows for more processors; QEMU then drops all translations. */
static void find_hot(void)
{
    for (unsigned i = 0; i < MAX_PROCESSORS; i++)
        if (model.processors[i] != NULL)
            model.processors[i]->vcpu.hot = qemu_plugin_scoreboard_find(model.score, i);
}

/* QEMU drops all translations. No processor runs. */
static void on_translations_flush(void *udata)
{
    (void)udata;
    find_hot();
    for (unsigned i = 0; i < MAX_PROCESSORS; i++)
        if (model.processors[i] != NULL)
            engine_keep_blocks(&model.processors[i]->vcpu);
    arena_free();
}

/* Processors initialise themselves on their own threads. */
static bool join_others(unsigned cpu, struct processor *p)
{
    static GMutex lock;
    unsigned other = 0;
    bool joined = true;

    g_mutex_lock(&lock);
    while (other < MAX_PROCESSORS && model.processors[other] == NULL)
        other++;
    if (other < MAX_PROCESSORS)
        joined = data_cache_join(p->vcpu.cache, model.processors[other]->vcpu.cache);
    model.processors[cpu] = p;
    g_mutex_unlock(&lock);
    return joined;
}

/* The profile of the processor's kind of core. The threads of a core are of one kind. */
static const struct profile *profile_of(unsigned cpu, struct processor *p)
{
    const struct profile *const profile = model.options.profile;
    const struct cores *const cores = &model.options.cores;
    const unsigned first = profile->kinds == NULL ? cpu : cpu - cpu % processor_threads(p);
    const unsigned kind = cores_kind(cores, profile, first, model.processors_most);

    if (cores->named > 0 && kind != cores_kind(cores, profile, cpu, model.processors_most)) {
        options_die("cores=: profile=%s has no core with threads of several kinds: name one kind for all threads of a "
                    "core (QEMU's -smp threads=)",
                    profile->name);
    }
    return profile_kind(profile, kind);
}

static void on_init(unsigned cpu, void *udata)
{
    const char *missing = NULL;

    (void)udata;
    model.icount = qemu_private_icount();
    if (model.icount && model.processors_most > 1) {
        options_die("QEMU's %s is not supported with several processors: callbacks would get the number of the wrong "
                    "processor; start QEMU without it",
                    "-icount");
    }
    if (model.processors_most > 1 && qemu_private_one_thread()) {
        options_die("QEMU's %s is not supported with several processors: callbacks would get the number of the wrong "
                    "processor; start QEMU without it",
                    "-accel tcg,thread=single");
    }
    if (cpu >= MAX_PROCESSORS)
        options_die("more than %s processors are not supported: lower -smp", "256");
    struct processor *p = g_new0(struct processor, 1);
    static const struct fault_set none;
    const struct fault_set *const faults = fault_set_is_of(&model.options.faults, cpu) ? &model.options.faults : &none;
    struct flip *const flip = cpu == 0 ? model.options.flip : NULL;
    const bool changed = faults->any || model.options.quirks != 0 || flip != NULL;
    const struct profile *profile;

    p->vcpu.truth = model.options.truth;
    p->vcpu.violations = model.options.violations;
    p->vcpu.shares_line = model.options.shares_line;
    p->vcpu.ipc = model.options.ipc;
    p->apic_id = cpu;
    if (!processor_init(p, &missing))
        options_die("this QEMU gives plugins no register named %s: use QEMU 11.1", missing);
    p->icount = model.icount;
    profile = profile_of(cpu, p);
    if (model.options.freedoms != 0 && !latitude_give(&p->vcpu, model.options.seed, model.options.freedoms))
        options_die("%s", "out of memory: latitude= cannot take effect");
    if (changed && (!break_rules(&p->vcpu, faults, model.options.quirks, flip) ||
                    (profile = break_profile(profile, faults, model.options.quirks)) == NULL))
        options_die("%s", "out of memory: fault= and quirk= cannot take effect");
    if (!engine_init(&p->vcpu, cpu, profile, &processor_host, p, qemu_plugin_scoreboard_find(model.score, cpu)))
        options_die("%s", "out of memory");
    if (!join_others(cpu, p))
        options_die("%s", "out of memory");
    thread_processor = p;
    find_hot(); /* the scoreboard may move when it grows for this processor */
}

static void on_exit_qemu(void *udata)
{
    (void)udata;
    report_triple_faults();
    for (unsigned i = 0; i < MAX_PROCESSORS && model.options.violations != NULL; i++)
        if (model.processors[i] != NULL)
            referee_end(&model.processors[i]->vcpu);
    options_finish_logs(&model.options);
}

static void register_callbacks(void *udata)
{
    (void)udata;
    qemu_plugin_register_vcpu_init_cb(model.id, on_init, NULL);
    qemu_plugin_register_vcpu_tb_trans_cb(model.id, on_translate, NULL);
    qemu_plugin_register_vcpu_discon_cb(model.id, QEMU_DISCON_INTERRUPT | QEMU_DISCON_EXCEPTION, on_discontinuity,
                                        NULL);
    qemu_plugin_register_flush_cb(model.id, on_translations_flush, NULL);
    qemu_plugin_register_atexit_cb(model.id, on_exit_qemu, NULL);
    if (model.options.state != NULL) {
        qemu_plugin_register_vcpu_idle_cb(model.id, on_rest, NULL);
        qemu_plugin_register_vcpu_resume_cb(model.id, on_resume, NULL);
    }
}

static GMutex sets_lock;

/* QEMU has dropped all translations, and no processor runs. */
static void on_dropped(void *udata)
{
    for (unsigned i = 0; i < MAX_PROCESSORS; i++)
        if (model.processors[i] != NULL)
            choose_translations(model.processors[i], NULL);
    register_callbacks(udata);
}

/* The set whose translations report these hooks. If there are too many sets, the last one reports those of several. */
static unsigned set_of(struct hooks hooks, unsigned most)
{
    unsigned i = 0;

    g_mutex_lock(&sets_lock);
    while (i < model.set_count && !hooks_are_equal(model.sets[i], hooks))
        i++;
    if (i < most) {
        model.sets[i] = hooks;
        model.set_count = MAX(model.set_count, i + 1);
    } else if (!hooks_are_among(hooks, model.sets[--i])) {
        model.sets[i] = hooks_of_both(model.sets[i], hooks);
        qemu_plugin_reset(model.id, on_dropped, NULL);
    }
    g_mutex_unlock(&sets_lock);
    return i;
}

/* Notes whether the processor uses data. If it is the first one, the translations of others must report data too. */
static void note_data(const struct vcpu *v)
{
    if (!v->uses.data)
        return;
    g_mutex_lock(&sets_lock);
    if (!model.data && model.processors_most > 1)
        qemu_plugin_reset(model.id, on_dropped, NULL);
    model.data = model.data_used = true;
    g_mutex_unlock(&sets_lock);
}

/* Whether code of ring 0 causes nothing that must be reported: only events and branches in other rings matter. */
static bool spares_ring_0(const struct vcpu *v)
{
    for (uint64_t left = v->uses.classes; left != 0; left &= left - 1)
        if (event_class_covers((unsigned)__builtin_ctzll(left), 0))
            return false;
    return !model.data && (!v->uses.ring || branches_spare_ring_0(v));
}

static void select_set(struct processor *p, bool spared)
{
    p->vcpu.hot->spared = spared;
    qemu_private_select_set(&p->private, spared ? 0 : p->set);
}

void enter_ring_0(struct processor *p)
{
    if (p->spares_ring_0 && !p->vcpu.watch.hit)
        select_set(p, true);
}

void leave_ring_0(struct processor *p, const struct block *last)
{
    if (!p->vcpu.hot->spared)
        return;
    engine_spared(&p->vcpu, last);
    select_set(p, false);
}

void choose_translations(struct processor *p, const struct block *running)
{
    const unsigned before = p->set;
    struct hooks hooks = p->vcpu.uses;

    note_data(&p->vcpu);
    if (model.data)
        hooks.data = hooks.blocks = true; /* a pause of its use then runs the same translations */
    if (p->vcpu.watch.hit)
        hooks = hooks_of_both(hooks, model.sets[before]); /* a hook must notice it */
    leave_ring_0(p, NULL);
    p->set = set_of(hooks, qemu_private_sets(&p->private));
    p->spares_ring_0 = p->set != 0 && spares_ring_0(&p->vcpu);
    select_set(p, false);
    if (p->set != before || !hooks_are_equal(model.sets[p->set], p->vcpu.wants))
        engine_hook(&p->vcpu, model.sets[p->set], running);
}

void narrow_translations(struct processor *p)
{
    if (!p->vcpu.wants.data)
        return;
    g_mutex_lock(&sets_lock);
    if (++model.interruptions == UNUSED_INTERRUPTIONS) {
        model.data = model.data_used;
        model.data_used = false;
        model.interruptions = 0;
        for (unsigned i = 0; i < MAX_PROCESSORS; i++)
            model.data = model.data || (model.processors[i] != NULL && model.processors[i]->vcpu.uses.data);
    }
    g_mutex_unlock(&sets_lock);
    if (!model.data)
        choose_translations(p, NULL);
}

static void check_qemu(const struct qemu_info *info)
{
    if (QEMU_PLUGIN_API < info->version.min || QEMU_PLUGIN_API > info->version.cur)
        options_die("this QEMU lacks version %s of the plugin interface: use QEMU 11.1", "7");
    if (!info->system_emulation ||
        (strcmp(info->target_name, "x86_64") != 0 && strcmp(info->target_name, "i386") != 0)) {
        options_die("this QEMU, for target %s, is not supported: use qemu-system-x86_64 or qemu-system-i386",
                    info->target_name);
    }
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    check_qemu(info);
    if (qemu_private_accelerated())
        options_die("this QEMU accelerator is not supported: start QEMU with %s", "-accel tcg");
    if (model.score != NULL)
        options_die("%s", "the plugin is loaded twice: name it in one -plugin option only");
    model.processors_most = (unsigned)info->system.max_vcpus;
    options_read(argc, argv, model.processors_most, &model.options);
    model.id = id;
    model.set_count = 1; /* set 0 reports nothing */
    model.score = qemu_plugin_scoreboard_new(sizeof(struct hot));
    register_callbacks(NULL);
    return 0;
}
