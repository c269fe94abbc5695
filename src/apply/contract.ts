import { z } from 'zod'
import { EndpointName } from '../billing/administration/contract.ts'
import { errorsOf } from '../core/errors.ts'
import { nameInput, pictureInput, plainText } from '../core/wire.ts'
import { maxOverlapSeconds, UpdateApplication } from '../oidc/clients/contract.ts'
import { clientTypes, newFurther } from '../oidc/metadata/contract.ts'
import { CreateApi } from '../oidc/resource-servers/contract.ts'
import { MetadataInput, Slug } from '../organizations/contract.ts'

export { commandLineId } from '../oidc/contract.ts'

/** The kinds of objects that a declaration can contain. */
export const objectKinds = ['organization', 'team', 'client', 'endpoint', 'setting', 'api'] as const
export type ObjectKind = (typeof objectKinds)[number]

/** The names of a declaration's sections. */
export const declarationSections = ['settings', 'organizations', 'clients', 'apis', 'webhookEndpoints'] as const

const { shape } = UpdateApplication

/**
 * A reference to a secret. In a file, it names another file or an environment variable, or says that the stored secret is kept. In an API
 * call, it contains the secret itself.
 */
const secretReference = {
  secret: z.string().min(1).max(20_000).optional(),
  secretFile: plainText(4096, 1).optional(),
  secretEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')
    .optional(),
  /** True to keep the stored secret. `export-declaration` writes this field. */
  keepSecret: z.literal(true).optional(),
} as const

interface SecretReference {
  readonly secret?: string | undefined
  readonly secretFile?: string | undefined
  readonly secretEnv?: string | undefined
  readonly keepSecret?: true | undefined
}

const countOf = ({ secret, secretFile, secretEnv, keepSecret }: SecretReference) =>
  [secret, secretFile, secretEnv, keepSecret].filter((one) => one !== undefined).length
const onlyOne = (reference: SecretReference) => countOf(reference) <= 1
const hasNone = (reference: SecretReference) => countOf(reference) === 0
const hasOne = (reference: SecretReference) => countOf(reference) === 1

export const DeclaredClient = z
  .strictObject({
    name: nameInput,
    type: z.enum(clientTypes).default('web'),
    redirectUris: shape.redirectUris.default([]),
    postLogoutRedirectUris: shape.postLogoutRedirectUris.default([]),
    webOrigins: shape.webOrigins.default([]),
    /** If absent, a new application gets all scopes of its type, and an existing application keeps its scopes. */
    scopes: shape.scopes,
    /** If absent, a new application gets the algorithm in `oidc.idTokenAlg`, and an existing application keeps its algorithm. */
    idTokenAlg: shape.idTokenAlg,
    pkce: shape.pkce.default(null),
    unknownScopes: shape.unknownScopes.default(null),
    requireAcr: shape.requireAcr.default(null),
    skipConsent: shape.skipConsent.default(false),
    understandsAct: shape.understandsAct.default(false),
    /**
     * If absent, the application stays enabled or disabled as it is. An application that was disabled in an emergency therefore stays
     * disabled.
     */
    disabled: shape.disabled,
    permissions: shape.permissions.default([]),
    icon: shape.icon.default(null),
    uri: shape.uri.default(null),
    policyUri: shape.policyUri.default(null),
    tosUri: shape.tosUri.default(null),
    /** If one of these fields is absent, its stored value is kept. */
    ...{ color: shape.color, translations: shape.translations, contacts: shape.contacts, jwks: shape.jwks },
    ...{ softwareId: shape.softwareId, softwareVersion: shape.softwareVersion },
    deviceFlow: shape.deviceFlow,
    ...{ defaultMaxAge: shape.defaultMaxAge, requireAuthTime: shape.requireAuthTime, review: shape.review },
    ...{ organizations: shape.organizations, mayAct: shape.mayAct },
    ...{ profile: shape.profile, claimsIn: shape.claimsIn, dpopBoundAccessTokens: shape.dpopBoundAccessTokens },
    ...{ requestObjectAlg: shape.requestObjectAlg, requireSignedRequestObject: shape.requireSignedRequestObject },
    userinfoAlg: shape.userinfoAlg,
    ...{ authMethod: shape.authMethod, jwksUri: shape.jwksUri, subjectType: shape.subjectType },
    ...{ sectorIdentifierUri: shape.sectorIdentifierUri, initiateLoginUri: shape.initiateLoginUri },
    ...{ backchannelLogoutUri: shape.backchannelLogoutUri },
    ...{ backchannelLogoutSessionRequired: shape.backchannelLogoutSessionRequired },
    ...{ requirePushedAuthorizationRequests: shape.requirePushedAuthorizationRequests },
    ...secretReference,
    /** How many seconds the former secret stays valid after the declaration has changed the secret. */
    secretOverlapSeconds: z.int().min(0).max(maxOverlapSeconds).default(604_800),
  })
  .refine(onlyOne, { path: ['secretEnv'], message: 'secretFile is set, too; keep one of them' })
  .refine(({ type, ...client }) => /web|machine/.test(type) || hasNone(client), {
    path: ['type'],
    message: 'a client that keeps a secret (web or machine), or no secretFile and no secretEnv',
  })
  .refine(({ authMethod, ...client }) => authMethod !== 'private_key_jwt' || hasNone(client), {
    path: ['authMethod'],
    message: 'private_key_jwt leaves no secret: no secretFile and no secretEnv',
  })

const DeclaredOrganization = z.strictObject({
  name: nameInput,
  logo: pictureInput.nullable().default(null),
  /** If absent, the stored metadata is kept. */
  metadata: MetadataInput.optional(),
  /**
   * Email addresses or ids of the users who become owners when the declaration creates the organization. Later the members decide who is
   * an owner.
   */
  firstOwners: z.array(plainText(320, 1)).max(20).default([]),
  /** True to accept first owners whose email address is unverified. */
  unverified: z.boolean().optional(),
  /** Names of teams to create. An existing team that is not listed is kept. */
  teams: z.array(nameInput).max(200).default([]),
})

const DeclaredEndpoint = z
  .strictObject(secretReference)
  .refine(onlyOne, { path: ['secretEnv'], message: 'secretFile is set, too; keep one of them' })
  .refine((endpoint) => !hasNone(endpoint), {
    path: ['secretFile'],
    message: 'is missing: the file that holds the secret the sender shows; or secretEnv, the variable',
  })

/** An API in a declaration. An absent field gets its default, so the file always describes the whole API. */
export const DeclaredApi = z.strictObject(CreateApi.omit({ identifier: true }).shape)

/** A setting in a declaration: its value, or a reference to a secret. */
const DeclaredSetting = z.union([
  z
    .strictObject(secretReference)
    .refine(hasOne)
    .transform((reference) => ({ ...reference, value: undefined })),
  z
    .json()
    .transform((value) => ({ value, secret: undefined, secretFile: undefined, secretEnv: undefined, keepSecret: undefined })),
])

/** The values that these fields of an application get if a declaration omits them. */
export const unsaidOfClient: Readonly<Record<string, unknown>> = {
  ...newFurther,
  ...{ disabled: false, review: null },
  ...DeclaredClient.parse({ name: 'unsaid' }),
}

/** The content of a file that `gatehouse apply -f` reads. */
export const DeclarationFile = z.strictObject({
  /** The name that identifies the declaration for `--prune`. If absent, the path of the file is used. */
  source: plainText(1000, 1).optional(),
  /** Settings by configuration key, such as `password.minLength`. */
  settings: z.record(plainText(255, 1), DeclaredSetting).default({}),
  organizations: z.record(Slug, DeclaredOrganization).default({}),
  clients: z.record(plainText(128, 1), DeclaredClient).default({}),
  /** APIs by their identifiers. */
  apis: z.record(plainText(400, 1), DeclaredApi).default({}),
  webhookEndpoints: z.record(EndpointName, DeclaredEndpoint).default({}),
})

const inSettings = (what: string, key: string, document: string) =>
  `${what} are settings: declare them below settings, by the key ${key} (${document})`
const providers = inSettings('sign-in providers', 'social.<id>.clientId and so on', 'docs/reference/config.md')
const instanceRoles = inSettings('roles of the instance', 'access.roles', 'docs/reference/roles.md')
const organizationRoles = inSettings('roles of organizations', 'organizations.roles', 'docs/reference/config.md')
const entitlementRules = inSettings('entitlement rules', 'billing.entitlements', 'docs/how-to/billing.md')
const permissions = 'permissions of a machine stand at its client: clients.<client id>.permissions'

/**
 * Keys that people might write into a declaration although it cannot contain them, each with the place where they belong
 * (docs/how-to/apply.md, "What belongs where").
 */
export const elsewhere: Readonly<Record<string, string>> = {
  providers,
  social: providers,
  roles: inSettings('roles', 'access.roles for the instance, organizations.roles for organizations', 'docs/reference/roles.md'),
  instanceRoles,
  organizationRoles,
  entitlements: entitlementRules,
  entitlementRules,
  permissions,
  apiPermissions: permissions,
  apiKeys: 'API keys are made by create-api-key, which shows each once (docs/how-to/api-keys.md)',
  users: 'users are made by create-user, or sign up',
  brand: inSettings('parts of the brand', 'brand.name and so on', 'docs/how-to/brand.md'),
}

type FileContent = z.output<typeof DeclarationFile>
interface WithSecret {
  /** The value of the secret that the reference names. */
  readonly secret: string | undefined
}
export type Client = FileContent['clients'][string] & WithSecret
export type Endpoint = FileContent['webhookEndpoints'][string] & WithSecret
export type SettingDeclaration = FileContent['settings'][string] & WithSecret
export type ApiDeclaration = FileContent['apis'][string]
export type OrganizationDeclaration = FileContent['organizations'][string]

/** The content of one file of a declaration, with the values of its secrets. */
export interface DeclarationContent {
  readonly source?: string | undefined
  readonly settings: Readonly<Record<string, SettingDeclaration>>
  readonly organizations: Readonly<Record<string, OrganizationDeclaration>>
  readonly clients: Readonly<Record<string, Client>>
  readonly apis: Readonly<Record<string, ApiDeclaration>>
  readonly webhookEndpoints: Readonly<Record<string, Endpoint>>
}

/** A parsed declaration, with the values of its secrets. */
export interface Declaration extends DeclarationContent {
  readonly source: string
  /** True if the declaration has no `source`. The path of its file is then used as the source. Such a source differs between machines. */
  readonly isNamedByPath: boolean
}

export const applyErrors = errorsOf({
  DECLARATION_IS_INVALID: [400, 'Declaration is invalid'],
  DECLARATION_DOES_NOT_FIT: [409, 'Declaration does not fit'],
  STATE_HAS_CHANGED: [409, 'State has changed'],
})
