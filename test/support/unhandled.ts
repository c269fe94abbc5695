import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** Writes beside the machine-readable results how many errors belong to no test: the results do not have them. */
export const unhandledReporter = (resultsFile: string): Reporter => ({
  onTestRunEnd: (_modules, errors) => writeFileSync(`${resultsFile}.unhandled`, String(errors.length)),
})
