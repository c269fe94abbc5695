import { type Check, defineFindings, type Finding } from '../core/checks.ts'
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
  'secret-readable': {
    message: 'Others than its owner can read {file}, which holds the master secret (mode {mode})',
    remedy:
      'chmod 600 {file}; where the volume sets the mode again, as fsGroup of Kubernetes does, set GATEHOUSE_SECRET_FILE in its place',
  },
})

interface Deps {
  readonly remedies: Pick<Remedies, 'reencrypt'>
  readonly masterSecrets: Pick<MasterSecrets, 'countOutdated'>
  /** Returns the file of the master secret if users other than its owner can read it. Otherwise returns undefined. */
  readonly readable: () => { readonly file: string; readonly mode: string } | undefined
}

/** Finds values that are not sealed with the newest master secret, and a file with a master secret that other users can read. */
export const secretCheck = ({ masterSecrets, readable, remedies }: Deps): Check => ({
  name: 'master-secret',
  texts: findings.texts,
  run: async () => {
    const open = readable()
    return [
      ...(open === undefined ? [] : [findings.found('warning', 'secret-readable', open)]),
      ...(await sealFindings(masterSecrets, remedies)),
    ]
  },
})

const sealFindings = async (masterSecrets: Deps['masterSecrets'], remedies: Deps['remedies']): Promise<readonly Finding[]> => {
  const counts = await masterSecrets.countOutdated()
  const sum = (state: string) => counts.reduce((all, one) => all + (one.state === state ? one.count : 0), 0)
  const columns = counts.flatMap(({ state, column, count }) => (state === 'unknown' ? [`${column}: ${count}`] : []))
  if (sum('unknown') > 0)
    return [findings.found('failed', 'secret-unknown', { count: sum('unknown'), columns: columns.join(', ') })]
  if (sum('older') === 0) return []
  return [findings.found('warning', 'secret-older', { count: sum('older'), command: remedies.reencrypt() })]
}
