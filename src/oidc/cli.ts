import type { Core } from '../core/core.ts'
import type { Commands } from '../feature.ts'
import type { Applications } from './clients/applications.ts'
import { changeClients } from './clients/cli/change.ts'
import { getClient, listClients } from './clients/cli/list.ts'
import { registerClient } from './clients/cli/register.ts'
import { rotateClientSecret } from './clients/cli/secrets.ts'
import type { ClientLogos } from './clients/logos.ts'
import type { ClientSecrets } from './clients/secrets.ts'
import type { Clients } from './clients/service.ts'
import { grantCommands } from './grants/cli.ts'
import type { Grants } from './grants/service.ts'
import { initialAccessTokenCommands } from './initial-access-tokens/cli.ts'
import type { InitialAccessTokens } from './initial-access-tokens/service.ts'
import type { Keys, ListedKey } from './keys/service.ts'
import { listLogoutNotices } from './logout/cli.ts'
import type { Logouts } from './logout/service.ts'
import { apiCommands } from './resource-servers/cli.ts'
import type { ResourceServers } from './resource-servers/service.ts'

interface Needs {
  readonly core: Pick<Core, 'remedies'>
  readonly oidc: {
    readonly clients: Clients
    readonly applications: Applications
    readonly clientLogos: ClientLogos
    readonly clientSecrets: ClientSecrets
    readonly keys: Keys
    readonly grants: Grants
    readonly initialAccessTokens: InitialAccessTokens
    readonly logouts: Logouts
    readonly apis: ResourceServers
  }
}

const keyRow = (key: ListedKey) => ({
  kid: key.kid,
  alg: key.alg,
  state: key.state,
  createdAt: key.createdAt.toISOString(),
  signsFrom: key.signsFrom.toISOString(),
  signsUntil: key.signsUntil?.toISOString() ?? null,
  retiresAt: key.retiresAt?.toISOString() ?? null,
})

const rotateKeys: Commands<Needs> = (program, cli) => {
  program
    .command('rotate-jwks')
    .inGroup('Applications')
    .description(
      'Add the next signing keys before they come by themselves (oidc.keyRotationDays). They are published at once, sign after oidc.keyOverlapSeconds, and the keys before them stay published until nothing they signed is valid.',
    )
    .option('--leaked', 'withdraw all keys at once, because one leaked: new ones sign, and the former are published no more')
    .examples('rotate-jwks', 'rotate-jwks --leaked')
    .action(async ({ leaked }: { readonly leaked?: boolean }) => {
      await cli.run(async ({ oidc }, principal) => {
        if (leaked === true) {
          const keys = (await oidc.keys.revoke(principal)).map(keyRow)
          const { cachedSeconds } = oidc.keys
          const text = `The former keys are withdrawn, and new ones sign. Applications may keep what they have read of /jwks for ${cachedSeconds} seconds (oidc.documentCacheSeconds), and some for longer: have those read it anew.`
          return { json: { keys, cachedSeconds }, text }
        }
        const rows = (await oidc.keys.rotate(principal)).map(keyRow)
        return { json: rows, rows }
      })
    })
}

const listKeys: Commands<Needs> = (program, cli) => {
  program
    .command('list-keys')
    .inGroup('Applications')
    .description(
      'List the signing keys: next (published, not signing yet), signing, retiring (published until nothing it signed is valid). Keys change by themselves every oidc.keyRotationDays: signsUntil is the date.',
    )
    .examples('list-keys', 'list-keys -o jsonl')
    .action(async () => {
      await cli.run(async ({ oidc }) => {
        const rows = (await oidc.keys.list()).map(keyRow)
        return { json: rows, rows }
      })
    })
}

export const oidcCommands: Commands<Needs> = (program, cli) => {
  for (const add of [registerClient, listClients, getClient, changeClients, rotateClientSecret]) add(program, cli)
  for (const add of [apiCommands, initialAccessTokenCommands, grantCommands, rotateKeys, listKeys, listLogoutNotices])
    add(program, cli)
}
