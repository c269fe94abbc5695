import type { Check } from '../core/checks.ts'
import type { MasterSecrets } from './service.ts'

/** Values that the newest master secret has not sealed. */
export const sealCheck = (masterSecrets: Pick<MasterSecrets, 'count'>): Check => ({
  name: 'master-secret',
  run: async () => {
    const counts = await masterSecrets.count()
    const sum = (state: string) => counts.reduce((all, one) => all + (one.state === state ? one.count : 0), 0)
    const columns = counts.flatMap(({ state, column, count }) => (state === 'unknown' ? [`${column}: ${count}`] : []))
    if (sum('unknown') > 0)
      return [
        {
          severity: 'failed',
          message: `${sum('unknown')} values are sealed with a secret that is not configured (${columns.join(', ')})`,
          remedy: 'put that secret back behind the others in GATEHOUSE_SECRET',
        },
      ]
    if (sum('older') === 0) return []
    return [
      {
        severity: 'warning',
        message: `${sum('older')} values are sealed with an older secret`,
        remedy: 'gatehouse reencrypt; then take the older secret away',
      },
    ]
  },
})
