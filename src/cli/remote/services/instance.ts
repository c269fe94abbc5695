import { adminApiKeyContract } from '../../../api-keys/contract.ts'
import { declarationContract, sentText } from '../../../apply/calls/contract.ts'
import type { Declaration } from '../../../apply/contract.ts'
import { auditContract, type ExportFormat } from '../../../audit/contract.ts'
import { configSchema } from '../../../composition.ts'
import { listKeys } from '../../../core/config-keys.ts'
import { nextAfter } from '../../../core/page.ts'
import { UsageError } from '../../../core/terminal.ts'
import { healthAdminContract } from '../../../health/diagnosis/contract.ts'
import type { Send } from '../../../http/client.ts'
import { mailContract } from '../../../mail/contract.ts'
import { settingsContract } from '../../../settings/contract.ts'
import { setupStepContract } from '../../../setup/contract.ts'
import { taskContract } from '../../../tasks/contract.ts'
import { calls, firstOf, pieces } from './calls.ts'

interface OwnerName {
  readonly kind: 'user' | 'organization' | 'instance'
}

/** Throws `UsageError` if a command would make an API key for a user or organization. Only the owners of such keys can make them. */
const requireOfInstance = ({ kind }: OwnerName) => {
  if (kind === 'user') throw new UsageError('--user: people make their API keys themselves, in the account area')
  if (kind === 'organization')
    throw new UsageError('--org: its members make the API keys of an organization, in the account area or by their calls')
}

const newestEventFirst = { sort: 'occurredAt', order: 'desc' } as const

/** The services for settings, declarations, API keys, mails, tasks, audit events and checks of the instance. */
export const instanceServices = (send: Send) => {
  const apiKeys = calls(adminApiKeyContract, send)
  const declarations = calls(declarationContract, send)
  const settings = calls(settingsContract, send)
  const tasks = calls(taskContract, send)
  const mails = calls(mailContract, send)
  const events = calls(auditContract, send)
  const steps = calls(setupStepContract, send)
  const health = calls(healthAdminContract, send)
  return {
    apiKeys: {
      list: async (filter: object, { limit }: { readonly limit: number }) => {
        const keys = await firstOf(limit, async (page) => {
          const { apiKeys: rows, next } = await apiKeys.adminListApiKeys({ query: { ...filter, ...page } })
          return { rows, next }
        })
        return { found: keys.map((row) => ({ row })), lookedTo: undefined }
      },
      find: (id: string) => apiKeys.adminGetApiKey({ params: { id } }),
      create: async (_: unknown, owner: OwnerName, body: unknown) => {
        requireOfInstance(owner)
        return apiKeys.adminCreateApiKey({ body })
      },
      rotate: (_: unknown, __: unknown, id: string, body: unknown) => apiKeys.adminRotateApiKey({ params: { id }, body }),
      revoke: async (_: unknown, __: unknown, id: string) => void (await apiKeys.adminDeleteApiKey({ params: { id } })),
    },
    applying: {
      plan: (_: unknown, declaration: Declaration, { prune }: { readonly prune: boolean }) =>
        declarations.applyDeclaration({ body: { declaration: sentText(declaration), prune, dryRun: true } }),
      applyShown: (_: unknown, declaration: Declaration, options: object) =>
        declarations.applyDeclaration({ body: { declaration: sentText(declaration), ...options } }),
    },
    declarations: {
      export: async (_: unknown, { sections, source }: { readonly sections: readonly string[]; readonly source: string }) =>
        (await declarations.exportDeclaration({ query: { sections: sections.join(','), source } })).declaration,
    },
    settings: {
      keys: listKeys(configSchema),
      list: async () => {
        const { version, settings: all } = await settings.listSettings()
        // Converts a setting from the API to the form that services use, in which the stored value also contains the key.
        const withKey = ({ key, stored, ...one }: (typeof all)[number]) => ({
          ...one,
          key,
          stored: stored === null ? null : { ...stored, key },
        })
        return { version, settings: all.map(withKey) }
      },
      change: (_: unknown, wanted: ReadonlyMap<string, unknown>, manner: object) => {
        const given = [...wanted].filter(([, value]) => value !== undefined)
        const unset = [...wanted].flatMap(([key, value]) => (value === undefined ? [key] : []))
        return settings.updateSettings({ body: { set: Object.fromEntries(given), unset, ...manner } })
      },
      revert: (_: unknown, version: number, manner: object) => settings.revertSettings({ body: { version, ...manner } }),
      history: (_: unknown, after: number | undefined, limit: number) =>
        settings.listSettingsVersions({ query: { after, limit } }),
    },
    tasks: {
      list: (kind: string | undefined, status: string | undefined, limit: number) =>
        firstOf(limit, async (page) => {
          const { tasks: rows, next } = await tasks.listTasks({ query: { kind, status, ...page } })
          return { rows, next }
        }),
      requeue: (_: unknown, id: string) => tasks.requeueTask({ params: { id } }),
      drop: (_: unknown, id: string) => tasks.deleteTask({ params: { id } }),
    },
    mail: {
      list: (state: string | undefined, limit: number) =>
        firstOf(limit, async (page) => {
          const { mails: rows, next } = await mails.listMails({ query: { state, ...page } })
          return { rows: rows.map(({ address: toAddress, ...mail }) => ({ ...mail, toAddress })), next }
        }),
      requeue: (_: unknown, id: string) => mails.retryMail({ params: { id } }),
    },
    audit: {
      list: async ({ before: id, ...query }: { readonly before?: string }, limit: number) => {
        const before = id === undefined ? undefined : await events.getEvent({ params: { id } })
        const place = before && nextAfter(newestEventFirst, { value: before.occurredAt.getTime(), id: before.id })
        return firstOf(limit, async ({ after = place, ...page }) => {
          const { events: rows, next } = await events.listEvents({ query: { ...query, ...page, after } })
          return { rows, next }
        })
      },
      /** The events that calls return already contain names, so nothing is added. */
      named: async (_: unknown, listed: readonly unknown[]) => listed,
    },
    auditExports: {
      start: async (_: unknown, query: object, format: ExportFormat) => ({
        chunks: pieces(auditContract.exportEvents, send, { ...query, format }),
      }),
    },
    setupSteps: {
      list: async () => (await steps.listSetupSteps()).steps,
      update: (_: unknown, name: string, body: unknown) => steps.updateSetupStep({ params: { name }, body }),
    },
    diagnosis: { run: async () => (await health.diagnose()).checks.map(({ since: _, ...check }) => check) },
  }
}
