import type { Check } from '../../core/checks.ts'
import type { Clock } from '../../core/clock.ts'
import { dayMs } from '../../core/time.ts'
import type { Keys } from './service.ts'

/** Age at which a signing key should have made way for the next one. */
const rotateAfterDays = 365

/** Signing keys that are older than a year. */
export const signingKeyCheck = (keys: Pick<Keys, 'list'>, clock: Clock): Check => ({
  name: 'signing-key-age',
  run: async () => {
    const all = await keys.list()
    const signing = all.filter(({ state }) => state === 'signing')
    const isDue = signing.some(({ signsFrom }) => clock.now().getTime() - signsFrom.getTime() > rotateAfterDays * dayMs)
    if (!isDue || all.some(({ state }) => state === 'next')) return []
    const message = `A signing key is older than ${rotateAfterDays} days`
    return [{ severity: 'notice', message, remedy: 'gatehouse rotate-jwks: applications notice nothing' }]
  },
})
