import { type Check, defineFindings } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import { dayMs } from '../../core/time.ts'
import type { Keys } from './service.ts'

/** Age at which a signing key should have made way for the next one. */
const rotateAfterDays = 365

const findings = defineFindings({
  'signing-key-old': {
    message: 'A signing key is older than {days} days',
    remedy: '{command}: applications notice nothing',
  },
})

/** Signing keys that are older than a year. */
export const signingKeyCheck = (keys: Pick<Keys, 'list'>, { clock, remedies }: Pick<Core, 'clock' | 'remedies'>): Check => ({
  name: 'signing-key-age',
  texts: findings.texts,
  run: async () => {
    const all = await keys.list()
    const signing = all.filter(({ state }) => state === 'signing')
    const isDue = signing.some(({ signsFrom }) => clock.now().getTime() - signsFrom.getTime() > rotateAfterDays * dayMs)
    if (!isDue || all.some(({ state }) => state === 'next')) return []
    return [findings.found('notice', 'signing-key-old', { days: rotateAfterDays, command: remedies.rotateJwks() })]
  },
})
