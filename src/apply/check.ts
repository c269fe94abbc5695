import { type Check, defineFindings } from '../core/checks.ts'
import type { Applying } from './service.ts'

const most = 20

const remedy = 'apply with the declaration puts it back; or declare it as it is now'
const findings = defineFindings({
  'declared-deleted': { message: '{kind} {key} was deleted, and {source} declares it', remedy },
  'declared-changed': { message: '{kind} {key} is otherwise than {source} declares it: {fields}', remedy },
  'declared-more': { message: '{count} more objects are otherwise than declared', remedy },
})

/** Objects that are otherwise than a declaration made them. The next start, or `apply`, puts them back. */
export const createDriftCheck = ({ drift }: Pick<Applying, 'drift'>): Check => ({
  name: 'declarations',
  texts: findings.texts,
  run: async () => {
    const found = await drift()
    const named = found
      .slice(0, most)
      .map(({ kind, key, source, fields, isGone }) =>
        isGone
          ? findings.found('notice', 'declared-deleted', { kind, key, source })
          : findings.found('notice', 'declared-changed', { kind, key, source, fields: fields.join(', ') }),
      )
    const count = found.length - named.length
    return count <= 0 ? named : [...named, findings.found('notice', 'declared-more', { count })]
  },
})
