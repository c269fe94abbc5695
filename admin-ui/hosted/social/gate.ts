import type { Mark } from './marks.ts'

/** The mark of unknown providers. */
export const gate: Mark = [['currentColor', 'M3 23V11a9 9 0 0 1 18 0v12h-4V11a5 5 0 0 0-10 0v12Z']]
