import { type Check, defineFindings, type Finding } from '../../core/checks.ts'
import type { Core } from '../../core/core.ts'
import type { Remedies } from '../../core/remedies.ts'
import type { ClientKeys } from './keys.ts'
import type { ClientLogos } from './logos.ts'
import type { ClientSecrets } from './secrets.ts'
import type { Clients } from './service.ts'
import { listWithKeysElsewhere } from './store.ts'

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

const keyFindings = defineFindings({
  'client-keys-unreadable': {
    message: 'The keys of the application {clientId} cannot be read from {address}: {why}',
    remedy: 'ask who runs the application to mend the address, or name another one with {command}',
  },
  'client-keys-stale': {
    message:
      'The keys of the application {clientId} cannot be read from {address}: {why}; the keys from {at} are used for a day at most',
    remedy: 'ask who runs the application to mend the address, or name another one with {command}',
  },
})

/** The largest number of applications whose keys this check fetches. */
const mostAsked = 20

/** Fetches the keys of applications that publish them at a URL, and reports each URL that returns no keys. */
const clientKeyCheck = ({ db, clientKeys, remedies }: Pick<Deps, 'db' | 'clientKeys' | 'remedies'>): Check => ({
  name: 'client-keys',
  asksElsewhere: true,
  texts: keyFindings.texts,
  run: async () => {
    const clients = await listWithKeysElsewhere(db, mostAsked)
    const asked = clients.map(async (client): Promise<readonly Finding[]> => {
      const problem = await clientKeys.probe(client)
      if (problem === undefined) return []
      const { clientId, metadata } = client
      const { why, readAt } = problem
      const address = metadata.jwksUri ?? ''
      const values = { clientId, address, why, command: remedies.updateClient(clientId, '--jwks-uri', address) }
      if (readAt === undefined) return [keyFindings.found('warning', 'client-keys-unreadable', values)]
      return [keyFindings.found('warning', 'client-keys-stale', { ...values, at: readAt.toISOString() })]
    })
    return (await Promise.all(asked)).flat()
  },
})

/** Reports secrets that expire soon and are still in use. */
const clientSecretCheck = (secrets: Pick<ClientSecrets, 'endingInUse'>): Check => ({
  name: 'client-secrets',
  texts: secretFindings.texts,
  run: async () =>
    (await secrets.endingInUse()).map(({ clientId, expiresAt }) =>
      secretFindings.found('warning', 'client-secret-ends', { clientId, at: expiresAt.toISOString() }),
    ),
})

/** Reports applications whose logo could not be fetched from its URL. */
const clientLogoCheck = (logos: Pick<ClientLogos, 'unfetched'>, remedies: Pick<Remedies, 'updateClient'>): Check => ({
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

/** Reports applications to which people sign in without PKCE. */
const clientPkceCheck = (clients: Pick<Clients, 'withoutPkce'>, remedies: Pick<Remedies, 'updateClient'>): Check => ({
  name: 'client-pkce',
  texts: pkceFindings.texts,
  run: async () =>
    (await clients.withoutPkce()).map(({ clientId }) => {
      const command = remedies.updateClient(clientId, '--pkce', 'required')
      return pkceFindings.found('notice', 'client-without-pkce', { clientId, command })
    }),
})

interface Deps extends Pick<Core, 'db' | 'remedies'> {
  readonly clientSecrets: Pick<ClientSecrets, 'endingInUse'>
  readonly clientKeys: Pick<ClientKeys, 'probe'>
  readonly clients: Pick<Clients, 'withoutPkce'>
  readonly clientLogos: Pick<ClientLogos, 'unfetched'>
}

/** All checks of `doctor` about applications. */
export const clientChecks = (deps: Deps): readonly Check[] => [
  clientSecretCheck(deps.clientSecrets),
  clientKeyCheck(deps),
  clientPkceCheck(deps.clients, deps.remedies),
  clientLogoCheck(deps.clientLogos, deps.remedies),
]
