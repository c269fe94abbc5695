/** Where the value of a key of the configuration comes from; a later one wins. */
export const settingSources = ['default', 'database', 'file', 'environment', 'flag'] as const
export type SettingSource = (typeof settingSources)[number]

/**
 * Which changes of a key lower security: none (`never`), all (`always`, also for a key that does not say), changes to a lower or higher number, changes that
 * switch it on or off, or changes that add or remove an entry.
 */
export const weakenings = ['never', 'always', 'lower', 'higher', 'on', 'off', 'added', 'removed'] as const
export type Weakening = (typeof weakenings)[number]
