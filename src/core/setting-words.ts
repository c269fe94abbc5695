/** Where the value of a configuration key can come from. A later source in this list wins over an earlier one. */
export const settingSources = ['default', 'database', 'file', 'environment', 'flag'] as const
export type SettingSource = (typeof settingSources)[number]

/**
 * Which changes of a configuration key lower security. `never`: none. `always` (the default): all. The others: a lower or higher number,
 * switching it on or off, adding or removing an entry.
 */
export const weakenings = ['never', 'always', 'lower', 'higher', 'on', 'off', 'added', 'removed'] as const
export type Weakening = (typeof weakenings)[number]
