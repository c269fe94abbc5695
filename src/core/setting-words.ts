/** Sources of configuration values, the weakest first. */
export const settingSources = ['default', 'database', 'file', 'environment', 'flag'] as const
export type SettingSource = (typeof settingSources)[number]

/**
 * Which changes of a key lower security: none (`never`), all (`always`, the default), a lower or a higher number, switching it on or off,
 * or adding or removing an entry.
 */
export const weakenings = ['never', 'always', 'lower', 'higher', 'on', 'off', 'added', 'removed'] as const
export type Weakening = (typeof weakenings)[number]
