import type { Commands } from '../../../feature.ts'
import type { Clients } from '../service.ts'
import { rowOf } from './rows.ts'

interface Needs {
  readonly oidc: { readonly clients: Clients }
}

export const listClients: Commands<Needs> = (program, cli) => {
  program
    .command('list-clients')
    .inGroup('Applications')
    .description('List the registered applications. Secrets are not shown: only their hashes are kept.')
    .examples('list-clients', 'list-clients -o csv --columns client_id,name,type,disabled')
    .action(async () => {
      await cli.run(async ({ oidc }) => {
        const rows = (await oidc.clients.list()).map(rowOf)
        return {
          json: rows,
          rows: rows.map(({ client_id, name, type, redirect_uris }) => ({
            client_id,
            name,
            type,
            redirect_uris: redirect_uris.join(' '),
          })),
        }
      })
    })
}
