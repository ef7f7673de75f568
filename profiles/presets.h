/*
 * presets.h - the machines of profiles/machines/NAME.json as texts, made by
 * the build (tools/embed).
 */
#ifndef MW_PROFILES_PRESETS_H
#define MW_PROFILES_PRESETS_H

extern const char *const mw_preset_name[];
extern const char *const mw_preset_json[];
extern const int mw_preset_count;

#endif
