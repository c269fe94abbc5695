import { type Check, defineFindings } from '../../core/checks.ts'
import type { Remedies } from '../../core/remedies.ts'
import type { ClientLogos } from './logos.ts'
import type { ClientSecrets } from './secrets.ts'
import type { Clients } from './service.ts'

const secretFindings = defineFindings({
  'client-secret-ends': {
    message: 'The application {clientId} still uses a secret that ends at {at}',
    remedy: 'give the application its new secret',
  },
})

const logoFindings = defineFindings({
  'client-logo-missing': {
    message: 'The logo of the application {clientId} was not fetched from {icon}{because}',
    remedy: '{command} tries again; with --logo in the place of --icon it takes a file',
  },
})

const pkceFindings = defineFindings({
  'client-without-pkce': {
    message:
      'The application {clientId} signs people in without PKCE, which protects it from codes that are stolen or slipped in',
    remedy: 'switch PKCE (S256) on in the application, then {command}',
  },
})

/** Finds secrets that end soon although their application still uses them. */
export const clientSecretCheck = (secrets: Pick<ClientSecrets, 'endingInUse'>): Check => ({
  name: 'client-secrets',
  texts: secretFindings.texts,
  run: async () =>
    (await secrets.endingInUse()).map(({ clientId, expiresAt }) =>
      secretFindings.found('warning', 'client-secret-ends', { clientId, at: expiresAt.toISOString() }),
    ),
})

/** Finds applications whose logo could not be fetched from its address. */
export const clientLogoCheck = (logos: Pick<ClientLogos, 'unfetched'>, remedies: Pick<Remedies, 'updateClient'>): Check => ({
  name: 'client-logos',
  texts: logoFindings.texts,
  run: async () =>
    (await logos.unfetched()).map(({ clientId, icon, logoProblem }) =>
      logoFindings.found('notice', 'client-logo-missing', {
        ...{ clientId, icon: icon ?? '', because: logoProblem === null ? '' : `: ${logoProblem}` },
        command: remedies.updateClient(clientId, '--icon', icon ?? ''),
      }),
    ),
})

/** Finds applications that could send PKCE but do not. */
export const clientPkceCheck = (clients: Pick<Clients, 'withoutPkce'>, remedies: Pick<Remedies, 'updateClient'>): Check => ({
  name: 'client-pkce',
  texts: pkceFindings.texts,
  run: async () =>
    (await clients.withoutPkce()).map(({ clientId }) => {
      const command = remedies.updateClient(clientId, '--pkce', 'required')
      return pkceFindings.found('notice', 'client-without-pkce', { clientId, command })
    }),
})
