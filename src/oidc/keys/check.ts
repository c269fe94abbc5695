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
  'signing-key-ahead': {
    message: 'A signing key is dated {days} days ahead: the clock was wrong when it was made',
    remedy: '{command}',
  },
})

/** Signing keys that are older than a year, and those of a clock that was ahead by more than the overlap of a rotation. */
export const signingKeyCheck = (
  keys: Pick<Keys, 'list'>,
  { clock, remedies }: Pick<Core, 'clock' | 'remedies'>,
  overlapSeconds: number,
): Check => ({
  name: 'signing-key-age',
  texts: findings.texts,
  run: async () => {
    const all = await keys.list()
    const latest = clock.after(overlapSeconds)
    const ahead = all.filter(({ state, signsFrom }) => state !== 'retired' && signsFrom > latest)
    const isReplaced = all.some(({ state, signsFrom }) => state === 'next' && signsFrom <= latest)
    if (ahead.length > 0 && !isReplaced) {
      const days = Math.ceil(Math.max(...ahead.map(({ signsFrom }) => signsFrom.getTime() - clock.now().getTime())) / dayMs)
      return [findings.found('warning', 'signing-key-ahead', { days, command: remedies.rotateJwks() })]
    }
    const signing = all.filter(({ state }) => state === 'signing')
    const isDue = signing.some(({ signsFrom }) => clock.now().getTime() - signsFrom.getTime() > rotateAfterDays * dayMs)
    if (!isDue || all.some(({ state }) => state === 'next')) return []
    return [findings.found('notice', 'signing-key-old', { days: rotateAfterDays, command: remedies.rotateJwks() })]
  },
})
