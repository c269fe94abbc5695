import { z } from 'zod'
import { billingOperationsContract } from '../../billing/administration/contract.ts'
import { plainText } from '../../core/wire.ts'
import { contract, type PermittedAccess } from '../../http/contract.ts'
import { applicationContract } from '../../oidc/clients/contract.ts'
import { apiContract } from '../../oidc/resource-servers/contract.ts'
import { organizationAdministrationContract } from '../../organizations/administration/contract.ts'
import { teamAdministrationContract } from '../../organizations/teams/contract.ts'
import { settingsContract } from '../../settings/contract.ts'
import { type Declaration, declarationSections, type ObjectKind, objectKinds } from '../contract.ts'

const { getApplication, createApplication, updateApplication, deleteApplication, rotateSecret } = applicationContract
const { getApi, createApi, updateApi, deleteApi } = apiContract
const { adminGetOrganization, adminCreateOrganization, adminPatchOrganization, adminDeleteOrganization, adminAddMember } =
  organizationAdministrationContract
const { adminGetTeam, adminCreateTeam, adminPatchTeam, adminDeleteTeam } = teamAdministrationContract
const { listSettings, updateSettings, trySettings } = settingsContract
const { webhookEndpoints, addWebhookEndpoint, rotateWebhookSecret, removeWebhookEndpoint } = billingOperationsContract

/** The query schemas of the lists from which an export reads its objects. */
export const exportedLists = {
  ...{ clients: applicationContract.listApplications.query, apis: apiContract.listApis.query },
  organizations: organizationAdministrationContract.adminListOrganizations.query,
  teams: teamAdministrationContract.adminListTeams.query,
} as const

/** The access that a principal needs for a call. */
export type RequiredAccess = PermittedAccess

interface ObjectAccess {
  readonly read: RequiredAccess
  readonly create: RequiredAccess
  readonly update: RequiredAccess
  readonly delete: RequiredAccess
  /** The access for updates that also write a new secret. */
  readonly secret: RequiredAccess
}

/** The access that a declaration needs to read, create, update or delete an object. It is the access of the API call that does the same. */
export const objectAccess: Readonly<Record<ObjectKind, ObjectAccess>> = {
  setting: {
    ...{ read: listSettings.access, create: updateSettings.access, update: updateSettings.access },
    ...{ delete: updateSettings.access, secret: updateSettings.access },
  },
  organization: {
    ...{ read: adminGetOrganization.access, create: adminCreateOrganization.access, update: adminPatchOrganization.access },
    ...{ delete: adminDeleteOrganization.access, secret: adminPatchOrganization.access },
  },
  team: {
    ...{ read: adminGetTeam.access, create: adminCreateTeam.access, update: adminPatchTeam.access },
    ...{ delete: adminDeleteTeam.access, secret: adminPatchTeam.access },
  },
  client: {
    ...{ read: getApplication.access, create: createApplication.access, update: updateApplication.access },
    ...{ delete: deleteApplication.access, secret: rotateSecret.access },
  },
  api: {
    ...{ read: getApi.access, create: createApi.access, update: updateApi.access },
    ...{ delete: deleteApi.access, secret: updateApi.access },
  },
  endpoint: {
    ...{ read: webhookEndpoints.access, create: addWebhookEndpoint.access, update: rotateWebhookSecret.access },
    ...{ delete: removeWebhookEndpoint.access, secret: rotateWebhookSecret.access },
  },
}

const calls = [
  ...[createApplication, updateApplication, deleteApplication, rotateSecret, createApi, updateApi, deleteApi],
  ...[adminCreateOrganization, adminPatchOrganization, adminDeleteOrganization, adminAddMember],
  ...[adminCreateTeam, adminPatchTeam, adminDeleteTeam, updateSettings, trySettings],
  ...[addWebhookEndpoint, rotateWebhookSecret, removeWebhookEndpoint],
] as const
/** Error codes that a declaration can be refused with: those of the use cases that it runs, and those of the rules for declarations. */
const refusals: readonly string[] = [
  ...['DECLARATION_IS_INVALID', 'DECLARATION_DOES_NOT_FIT', 'STATE_HAS_CHANGED', '404 USER_NOT_FOUND'],
  ...calls.flatMap(({ errors }): readonly string[] => errors),
]

/** Longest text of a declaration, in characters. */
const longestText = 1_000_000

/** What a declaration does to one object: it creates, changes or deletes it. */
export const DeclarationChange = z
  .object({
    kind: z.enum(objectKinds),
    key: z.string(),
    /**
     * `kept` means that an earlier declaration of the same source contained the object and this declaration does not. Only `prune` would
     * delete it.
     */
    action: z.enum(['create', 'update', 'delete', 'unchanged', 'kept']),
    /** The changed fields. A secret is listed only by the name of its field. */
    fields: z.array(z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })),
    /** A text that names what is deleted together with the object. */
    lost: z.string().optional(),
  })
  .meta({ id: 'DeclarationChange' })

export const declarationContract = contract('Administration', {
  applyDeclaration: {
    method: 'POST',
    path: '/admin/declarations/apply',
    summary: 'Apply a declaration of settings, applications, APIs, organizations and webhook endpoints, completely or not at all',
    access: { permission: 'declarations:apply' },
    body: z.strictObject({
      /** The declaration as YAML or JSON. Its secrets are in `secret`, because `secretFile` is not allowed here. `source` is required. */
      declaration: z.string().min(1).max(longestText),
      /** True to delete objects that an earlier declaration of this source contained and this one does not. */
      prune: z.boolean().default(false),
      /** True to return the changes without making them. They are made in a transaction that is rolled back. */
      dryRun: z.boolean().default(false),
      /** True to store a mail server or identity provider even if it cannot be reached. */
      force: z.boolean().default(false),
      /** The `digest` of the changes that a person has approved. If the declaration would make other changes, the call is refused. */
      expected: z.string().max(200).optional(),
    }),
    response: z.object({
      source: z.string(),
      isApplied: z.boolean(),
      changes: z.array(DeclarationChange),
      digest: z.string(),
      /** Applications whose logo could not be fetched from the URL in `icon`, with the reason for each. */
      logoProblems: z.array(z.object({ key: z.string(), problem: z.string() })),
    }),
    errors: [...new Set(refusals)].toSorted(),
  },
  exportDeclaration: {
    method: 'GET',
    path: '/admin/declarations/export',
    summary: 'Export the current state of the instance as a declaration without secrets',
    access: { permission: 'settings:read' },
    query: z.object({
      /** Names of sections, separated by commas. If absent, all sections are exported. */
      sections: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.enum(declarationSections)))
        .default([...declarationSections]),
      /** The `source` to write into the exported declaration. */
      source: plainText(1000, 1).default('exported'),
    }),
    response: z.object({ declaration: z.string() }),
    errors: ['DECLARATION_DOES_NOT_FIT'],
  },
})

/** A declaration as the text that the API call sends. The values of secrets replace the references to them. */
export const sentText = ({ source, isNamedByPath, settings, clients, webhookEndpoints, ...rest }: Declaration): string => {
  const withoutReferences = <T extends object>(declared: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(declared).map(([key, one]) => [key, { ...one, secretFile: undefined, secretEnv: undefined }]),
    )
  return JSON.stringify({
    // If the declaration has no `source`, the path of its file is used as one, but a server cannot use such a path. It is left out, and
    // the server's error then names the missing field.
    source: isNamedByPath ? undefined : source,
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, { value, secret, keepSecret }]) => [
        key,
        keepSecret === true ? { keepSecret } : secret === undefined ? value : { secret },
      ]),
    ),
    clients: withoutReferences(clients),
    webhookEndpoints: withoutReferences(webhookEndpoints),
    ...rest,
  })
}
