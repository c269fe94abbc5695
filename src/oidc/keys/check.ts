import { type Check, defineFindings } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import { dayMs } from '../../core/time.ts'
import type { OidcConfig } from '../config.ts'
import { keyLeadSeconds } from './rules.ts'
import type { Keys } from './service.ts'

/** The age in days after which a signing key should be replaced if automatic rotation is off. */
const rotateAfterDays = 365

const findings = defineFindings({
  'signing-key-next': {
    message: 'The next signing key signs from {at}',
    remedy: '',
  },
  'signing-key-late': {
    message: 'A signing key should have made way for the next one {days} days ago: keys do not change by themselves',
    remedy: 'see in the log of the daemon why the task oidc.rotate-keys fails, or run {command}',
  },
  'signing-key-old': {
    message: 'A signing key is older than {days} days',
    remedy: '{command}: applications notice nothing',
  },
  'signing-key-ahead': {
    message: 'A signing key is dated {days} days ahead: the clock was wrong when it was made',
    remedy: '{command}',
  },
})

/**
 * Reports when the next signing key starts. Also reports a signing key that is older than a year, or older than the automatic rotation
 * allows. Also reports a key that starts later than any rotation would plan it: the clock was ahead when that key was made.
 */
export const signingKeyCheck = (
  keys: Pick<Keys, 'list'>,
  { clock, remedies }: Pick<Core, 'clock' | 'remedies'>,
  config: OidcConfig,
): Check => {
  const { keyRotationDays } = config
  const daysSince = (at: Date) => (clock.now().getTime() - at.getTime()) / dayMs
  return {
    name: 'signing-key-age',
    texts: findings.texts,
    run: async () => {
      const all = await keys.list()
      const latest = clock.after(keyLeadSeconds(config))
      const ahead = all.filter(({ state, signsFrom }) => state !== 'retired' && signsFrom > latest)
      const isReplaced = all.some(({ state, signsFrom }) => state === 'next' && signsFrom <= latest)
      if (ahead.length > 0 && !isReplaced) {
        const days = Math.ceil(-Math.min(...ahead.map(({ signsFrom }) => daysSince(signsFrom))))
        return [findings.found('warning', 'signing-key-ahead', { days, command: remedies.rotateJwks() })]
      }
      const age = Math.max(0, ...all.filter(({ state }) => state === 'signing').map(({ signsFrom }) => daysSince(signsFrom)))
      const isWaiting = all.some(({ state }) => state === 'next')
      if (keyRotationDays > 0) {
        // One day is tolerated, because the task of a rotation may have to wait.
        const late = Math.floor(age - keyRotationDays)
        if (late >= 1 && !isWaiting)
          return [findings.found('warning', 'signing-key-late', { days: late, command: remedies.rotateJwks() })]
        const dates = all.flatMap(({ state, signsUntil }) =>
          state === 'signing' && signsUntil !== null ? [signsUntil.getTime()] : [],
        )
        return dates.length === 0
          ? []
          : [findings.found('ok', 'signing-key-next', { at: new Date(Math.min(...dates)).toISOString() })]
      }
      if (age <= rotateAfterDays || isWaiting) return []
      return [findings.found('notice', 'signing-key-old', { days: rotateAfterDays, command: remedies.rotateJwks() })]
    },
  }
}
