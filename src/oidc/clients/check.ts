import type { Check } from '../../core/checks.ts'
import type { ClientSecrets } from './secrets.ts'

/** Secrets of applications that end soon although the application still uses them. */
export const clientSecretCheck = (secrets: Pick<ClientSecrets, 'endingInUse'>): Check => ({
  name: 'client-secrets',
  run: async () =>
    (await secrets.endingInUse()).map(({ clientId, expiresAt }) => ({
      severity: 'warning',
      message: `The application ${clientId} still uses a secret that ends at ${expiresAt.toISOString()}`,
      remedy: 'give the application its new secret',
    })),
})
