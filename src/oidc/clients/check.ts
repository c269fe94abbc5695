import type { Check } from '../../core/checks.ts'
import type { ClientLogos } from './logos.ts'
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

/** Applications whose address gave no logo. */
export const clientLogoCheck = (logos: Pick<ClientLogos, 'unfetched'>): Check => ({
  name: 'client-logos',
  run: async () =>
    (await logos.unfetched()).map(({ clientId, icon, logoProblem }) => ({
      severity: 'notice',
      message: `The logo of the application ${clientId} was not fetched from ${icon}${logoProblem === null ? '' : `: ${logoProblem}`}`,
      remedy: `gatehouse update-client ${clientId} --icon <address> tries again; --logo <file> takes a file`,
    })),
})
