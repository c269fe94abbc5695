import { z } from 'zod'
import { cursorOf } from '../../../core/page.ts'
import { parseFlags } from '../../../core/terminal.ts'
import type { Commands } from '../../../feature.ts'
import { clientTypes } from '../../rules.ts'
import type { Application } from '../application.ts'
import type { Applications } from '../applications.ts'
import { applicationContract } from '../contract.ts'
import type { ClientSecrets } from '../secrets.ts'
import { rowOf, secretRow } from './rows.ts'

interface Needs {
  readonly oidc: { readonly applications: Applications; readonly clientSecrets: ClientSecrets }
}

const { query } = applicationContract.listApplications
const ListClients = z
  .object({
    ...query.shape,
    limit: z.coerce.number().int().min(1).max(100_000),
    after: z.string().max(2048).optional(),
    disabled: z.boolean(),
    enabled: z.boolean(),
  })
  .superRefine((flags, context) => {
    const { sort, order, after } = flags
    if (after !== undefined && cursorOf({ sort, order, limit: 1, after }).after === undefined)
      context.addIssue({ code: 'custom', path: ['after'], message: 'is not the next of a list in this order' })
    if (flags.disabled && flags.enabled)
      context.addIssue({ code: 'custom', path: ['disabled'], message: 'excludes --enabled: pass one of them, or none for both' })
  })
const pageSize = 100

export const listClients: Commands<Needs> = (program, cli) => {
  program
    .command('list-clients')
    .inGroup('Applications')
    .description(
      'List the registered applications, newest first, or in the order of their names when they are searched. Secrets are not shown: only their hashes are kept.',
    )
    .option('--search <text>', 'only applications with this text in their names')
    .choice('--type <type>', 'only of this type', clientTypes)
    .option('--disabled', 'only disabled applications', false)
    .option('--enabled', 'only enabled applications', false)
    .choice('--sort <field>', 'the column to sort by', ['createdAt', 'name'], 'createdAt')
    .choice('--order <order>', 'smallest or largest first', ['asc', 'desc'], 'desc')
    .option('--limit <number>', 'how many at most', '100')
    .option('--after <next>', 'where the page before said that the list goes on')
    .watchable()
    .examples('list-clients --search shop', 'list-clients -o csv --columns client_id,name,type,disabled')
    .action(async (flags: unknown) => {
      const { limit, disabled, enabled, ...rest } = parseFlags(ListClients, flags)
      await cli.run(async ({ oidc }, principal) => {
        const found: Application[] = []
        const state = disabled || enabled ? { disabled } : {}
        let next: string | null | undefined = rest.after
        do {
          const size = Math.min(pageSize, limit - found.length)
          const page = await oidc.applications.list(principal, { ...rest, ...state, limit: size, after: next })
          found.push(...page.clients)
          next = page.next
        } while (next !== null && found.length < limit)
        const json = found.map(rowOf)
        const rows = json.map(({ client_id, name, type, disabled: isOff, redirect_uris, registered_by, review, created_at }) => ({
          ...{ client_id, name, type, state: isOff ? 'disabled' : 'enabled', redirect_uris: redirect_uris.join(' ') },
          ...{ registered_by: review === null ? registered_by : `${registered_by}, ${review}`, created_at },
        }))
        return { json, rows, next }
      })
    })
}

const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

export const getClient: Commands<Needs> = (program, cli) => {
  program
    .command('get-client')
    .inGroup('Applications')
    .description(
      'Show an application with its secrets: when each was made, ends and was last used. A secret itself is never shown.',
    )
    .argument('<client id>', 'as list-clients shows it')
    .examples('get-client shop', 'get-client shop --json')
    .action(async (clientId: string) => {
      await cli.run(async ({ oidc }, principal) => {
        const client = rowOf(await oidc.applications.get(principal, clientId))
        const secrets = (await oidc.clientSecrets.list(principal, clientId)).map(secretRow)
        const rows = Object.entries(client).map(([field, value]) => ({
          ...{ field, value: isMap(value) ? JSON.stringify(value) : [value ?? ''].flat().join(' ') },
        }))
        const sections = [{ title: clientId, rows }, ...(secrets.length === 0 ? [] : [{ title: 'Secrets', rows: secrets }])]
        return { json: { ...client, secrets }, sections }
      })
    })
}
