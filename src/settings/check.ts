import { type Check, defineFindings } from '../core/checks.ts'
import type { Core } from '../core/core.ts'
import * as store from './store.ts'

const findings = defineFindings({
  'settings-not-followed': {
    message: 'A node goes on with former settings, since it cannot take the newest up: {problem}',
    remedy: 'correct what it names on that node, or bring the settings back: {command}',
  },
})

/** If a daemon was not seen for this many seconds, it counts as stopped. */
const unseenSeconds = 150

/** Finds running nodes that could not put the newest settings into effect. */
export const settingsCheck = ({ db, clock, remedies }: Pick<Core, 'db' | 'clock' | 'remedies'>): Check => ({
  name: 'settings',
  texts: findings.texts,
  run: async () =>
    (await store.listProblems(db, clock.after(-unseenSeconds))).map((problem) =>
      findings.found('warning', 'settings-not-followed', { problem, command: remedies.settingsHistory() }),
    ),
})
