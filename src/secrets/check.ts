import { type Check, defineFindings } from '../core/checks.ts'
import type { Remedies } from '../core/remedies.ts'
import type { MasterSecrets } from './service.ts'

const findings = defineFindings({
  'secret-unknown': {
    message: '{count} values are sealed with a secret that is not configured ({columns})',
    remedy: 'put that secret back behind the others in GATEHOUSE_SECRET',
  },
  'secret-older': {
    message: '{count} values are sealed with an older secret',
    remedy: '{command}; then take the older secret away',
  },
})

/** Values that the newest master secret has not sealed. */
export const sealCheck = (masterSecrets: Pick<MasterSecrets, 'countOutdated'>, remedies: Pick<Remedies, 'reencrypt'>): Check => ({
  name: 'master-secret',
  texts: findings.texts,
  run: async () => {
    const counts = await masterSecrets.countOutdated()
    const sum = (state: string) => counts.reduce((all, one) => all + (one.state === state ? one.count : 0), 0)
    const columns = counts.flatMap(({ state, column, count }) => (state === 'unknown' ? [`${column}: ${count}`] : []))
    if (sum('unknown') > 0)
      return [findings.found('failed', 'secret-unknown', { count: sum('unknown'), columns: columns.join(', ') })]
    if (sum('older') === 0) return []
    return [findings.found('warning', 'secret-older', { count: sum('older'), command: remedies.reencrypt() })]
  },
})
