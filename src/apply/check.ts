import type { Check } from '../core/checks.ts'
import type { Applying } from './service.ts'

const most = 20

/** Objects that are otherwise than a declaration made them. The next start, or `apply`, puts them back. */
export const createDriftCheck = ({ drift }: Pick<Applying, 'drift'>): Check => ({
  name: 'declarations',
  run: async () => {
    const found = await drift()
    const remedy = 'gatehouse apply -f with the declaration puts it back; or declare it as it is now'
    const findings = found.slice(0, most).map(({ kind, key, source, fields, isGone }) => ({
      severity: 'notice' as const,
      message: isGone
        ? `${kind} ${key} was deleted, and ${source} declares it`
        : `${kind} ${key} is otherwise than ${source} declares it: ${fields.join(', ')}`,
      remedy,
    }))
    const rest = found.length - findings.length
    if (rest <= 0) return findings
    return [...findings, { severity: 'notice', message: `${rest} more objects are otherwise than declared`, remedy }]
  },
})
