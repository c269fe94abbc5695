/** The dependency table of the architecture: which files may import which. It only computes; `architecture.ts` reads the files. */
import { posix } from 'node:path'

export interface Import {
  /** The imported path as written, for example `./store.ts`, `node:crypto` or `knex`. */
  readonly from: string
  /** True for `import type`, which leaves nothing at run time. */
  readonly typeOnly: boolean
  /** Names that are imported as values; `*` for all of them. */
  readonly names?: readonly string[]
}

/** The kind of import that is allowed. `value` also allows types. */
type Permit = 'type' | 'value'

const featureRoles = [
  'contract',
  'errors',
  'events',
  'rules',
  'table',
  'store',
  'service',
  'routes',
  'cli',
  'jobs',
  'mails',
  'config',
  'index',
] as const
type FeatureRole = (typeof featureRoles)[number] | 'part'

/** Folders whose files all have one role. The shapes of billing events are pure, and stores, rules and commands import them. */
const rolesByFolder: Readonly<Record<string, FeatureRole>> = {
  'src/billing/events': 'rules',
}

interface Rights {
  readonly own: Partial<Record<FeatureRole, Permit>>
  readonly core: Permit
  readonly http?: Permit
  readonly feature?: Permit
}

const service: Rights = {
  own: {
    service: 'value',
    part: 'value',
    store: 'value',
    rules: 'value',
    errors: 'value',
    events: 'value',
    mails: 'value',
    contract: 'type',
    config: 'type',
  },
  core: 'value',
}

/**
 * The imports that each role of a file in a feature may have: from its own feature, core, http and `src/feature.ts`. Browser-safe files
 * of core are always allowed.
 */
const rights: Readonly<Record<FeatureRole, Rights>> = {
  contract: { own: { contract: 'value', errors: 'value', events: 'value' }, core: 'type' },
  errors: { own: { errors: 'value' }, core: 'type' },
  events: { own: { events: 'value' }, core: 'type' },
  rules: { own: { rules: 'value', contract: 'value', errors: 'value' }, core: 'type' },
  table: { own: { table: 'value', contract: 'value', rules: 'value', part: 'type' }, core: 'value' },
  store: { own: { table: 'value', store: 'value', contract: 'value', rules: 'value', part: 'type' }, core: 'value' },
  service,
  part: service,
  routes: {
    own: { routes: 'value', contract: 'value', errors: 'value', rules: 'value', part: 'value', service: 'type', config: 'type' },
    core: 'value',
    http: 'value',
    feature: 'type',
  },
  cli: {
    own: { cli: 'value', contract: 'value', errors: 'value', rules: 'value', service: 'type', part: 'type', config: 'type' },
    core: 'value',
    feature: 'type',
  },
  jobs: {
    own: { jobs: 'value', service: 'type', part: 'type', contract: 'type', config: 'type' },
    core: 'value',
    feature: 'type',
  },
  mails: { own: { mails: 'value', contract: 'type', config: 'type', part: 'type' }, core: 'value' },
  config: { own: { config: 'value', contract: 'value', rules: 'value' }, core: 'value' },
  index: {
    own: Object.fromEntries([...featureRoles, 'part'].map((role) => [role, 'value'])),
    core: 'value',
    http: 'value',
    feature: 'value',
  },
}

/** The files that may import a library. Other files use them in its place. */
const homes: Readonly<Record<string, { readonly where: RegExp; readonly says: string }>> = {
  knex: {
    where: /^(src\/core|migrations)\/|\/store(\.ts$|\/)/,
    says: 'src/core, store.ts and migrations',
  },
  pg: { where: /^src\/core\/db\/postgres\.ts$/, says: 'src/core/db/postgres.ts' },
  sqlite3: { where: /^src\/core\/db\/database\.ts$/, says: 'src/core/db/database.ts' },
  argon2: { where: /^src\/core\/crypto\.ts$/, says: 'src/core/crypto.ts' },
  'node:crypto': {
    where: /^src\/core\/(crypto|passphrase|random)\.ts$/,
    says: 'src/core/crypto.ts, src/core/passphrase.ts and src/core/random.ts',
  },
  pino: { where: /^src\/core\/log\.ts$/, says: 'src/core/log.ts' },
  yaml: { where: /^src\/core\//, says: 'src/core' },
  express: { where: /^src\/http\//, says: 'src/http' },
  helmet: { where: /^src\/http\//, says: 'src/http' },
  'zod-openapi': { where: /^src\/http\//, says: 'src/http' },
  'oidc-provider': { where: /^src\/oidc\//, says: 'src/oidc' },
  commander: { where: /^src\/main\.ts$|\/cli(\.ts$|\/)/, says: 'src/main.ts, src/cli and cli.ts' },
  sharp: { where: /^src\/images\/bitmap\.ts$/, says: 'src/images/bitmap.ts' },
  nodemailer: { where: /^src\/mail\//, says: 'src/mail' },
  '@simplewebauthn/server': {
    where: /^src\/authentication\/methods\/passkey\/webauthn\.ts$/,
    says: 'src/authentication/methods/passkey/webauthn.ts',
  },
  passport: { where: /^src\/authentication\/methods\/federated\//, says: 'src/authentication/methods/federated' },
  'passport-oauth2': { where: /^src\/authentication\/methods\/federated\//, says: 'src/authentication/methods/federated' },
  'passport-github2': { where: /^src\/authentication\/methods\/federated\//, says: 'src/authentication/methods/federated' },
  otplib: { where: /^src\/authentication\/methods\/totp\//, says: 'src/authentication/methods/totp' },
  'openid-client': { where: /^src\/authentication\/methods\/federated\//, says: 'src/authentication/methods/federated' },
  standardwebhooks: { where: /^src\/(billing|audit\/copies)\//, says: 'src/billing and src/audit/copies' },
}

const isBrowserSafe = (path: string): boolean =>
  /^src\/core\/(wire|idna|locale|json-value|web|redirect-address|time|page|resource-tag|setting-words|errors|authentication-classes|events\/types)\.ts$|^src\/access\/(key-)?permissions\.ts$|^src\/http\/(client|contract|conditional|painted)\.ts$|^src\/brand\/rules\/[\w-]+\.ts$/.test(
    path,
  ) || ['contract', 'errors', 'events'].includes(featureFile(path)?.role ?? '')

/** True for files that build and serve the pages during development. They run in Node. */
const isTool = (path: string): boolean => /^admin-ui\/(vite\.config|development|texts)\.ts$/.test(path)

/** Pages may import only types of these files, because their values would bring zod into the browser (decision 0162). */
const bringsSchemas = (path: string): boolean =>
  /^src\/core\/(wire|json-value|page|resource-tag|events\/types)\.ts$|^src\/http\/(contract|conditional)\.ts$/.test(path)

interface FeatureFile {
  readonly feature: string
  readonly role: FeatureRole
}

const isRole = (name: string): name is (typeof featureRoles)[number] => featureRoles.some((role) => role === name)

/** Folders that contain features. Every other folder of `src`, except access, core, http and cli, is a feature itself. */
const groups = /^(identity|authentication\/methods|authentication)\//

/** True for files that every feature may import: core, http, and the principal with its permissions. */
const isBase = (path: string) => /^src\/(core|http|access)\//.test(path)

/** True for the program around the features. It knows the composition, and no feature by name. */
const isProgram = (path: string) => /^src\/(main\.ts$|cli\/)/.test(path)

const withoutGroups = (path: string) => path.replace(/^src\//, '').replace(groups, '')

/** The feature and role of a file: `src/organizations/members/service/accept.ts` is a `service` of `organizations`. */
const featureFile = (path: string): FeatureFile | undefined => {
  if (!path.startsWith('src/') || isBase(path) || isProgram(path)) return undefined
  const [feature = '', ...rest] = withoutGroups(path).split('/')
  if (rest.length === 0) return undefined
  const name = rest.at(-1)?.replace(/\.tsx?$/, '') ?? ''
  // A `documentation` file has the texts of a contract for the API document. It is separate so that the pages stay small.
  if (name === 'documentation') return { feature, role: 'contract' }
  const role = rolesByFolder[posix.dirname(path)] ?? [name, ...rest.slice(0, -1)].find(isRole) ?? 'part'
  return { feature, role }
}

/** The feature that a file of `src` belongs to. Undefined for core, access and http, and for the program. */
export const featureOf = (path: string): string | undefined => featureFile(path)?.feature

const allows = (permit: Permit | undefined, typeOnly: boolean) => permit === 'value' || (permit === 'type' && typeOnly)

/** A contract may also contain errors and events. An import of these alone imports no calls, so it counts as their role. */
const roleOfNames = (role: FeatureRole, names: readonly string[]): FeatureRole => {
  if (role !== 'contract' || names.length === 0) return role
  if (names.every((name) => name.endsWith('Events'))) return 'events'
  return names.every((name) => /(Events|Errors?)$/.test(name)) ? 'errors' : role
}

const refuseFromFeature = (file: FeatureFile, target: string, { typeOnly, names = [] }: Import): string | undefined => {
  const { own, core, http, feature } = rights[file.role]
  const asValue = typeOnly ? '' : ' (only its types)'
  if (
    isBrowserSafe(target) &&
    (/^src\/(core|access)\//.test(target) || (file.role === 'contract' && target.endsWith('contract.ts')))
  )
    return undefined
  if (/^src\/(core|access)\//.test(target))
    return allows(core, typeOnly) ? undefined : `${file.role} may not import core${asValue}`
  if (target.startsWith('src/http/'))
    return allows(http, typeOnly) ? undefined : `${file.role} knows no http${http ? asValue : ''}`
  if (target === 'src/feature.ts')
    return allows(feature, typeOnly) ? undefined : `${file.role} may not import src/feature.ts${feature ? asValue : ''}`
  const other = featureFile(target)
  if (other === undefined) return `a feature may not import ${target}`
  const role = roleOfNames(other.role, names)
  if (other.feature === file.feature) {
    const permit = own[role]
    return allows(permit, typeOnly) ? undefined : `${file.role} may not import ${other.role}${permit ? asValue : ''}`
  }
  // Types of events are data, like a contract. Features that react to events import them.
  if (role === 'events') return undefined
  // Columns of a table are data, too: a join has to decode them in the same way as the owner of the table.
  if (other.role === 'table' && file.role === 'store') return undefined
  if (!typeOnly) return "from another feature only 'import type'"
  return /^[^/]+\/index\.ts$/.test(withoutGroups(target)) ? undefined : 'from another feature only its index.ts'
}

/** True for the English texts. Code imports the types of their keys and parameters. */
const isTexts = (path: string): boolean => /^admin-ui\/locales\/(mails\/en\.json|parameters\.ts)$/.test(path)

/**
 * The area of a file in admin-ui. `hosted` has the sign-in and the account area. `hosted` and `console` import `shared`, which imports
 * neither.
 */
const areaOf = (path: string): string | undefined => /^admin-ui\/(hosted|console|shared)\//.exec(path)?.[1]

/** Files that the states of the development page are made from: the renderer of real mails, and the documented configuration keys. */
const sourcesOfStates: ReadonlySet<string> = new Set([
  'src/mail/template.ts',
  'docs/reference/config.md',
  'docs/reference/config.md?raw',
])

const refuseFile = (path: string, target: string, asked: Import): string | undefined => {
  const { typeOnly } = asked
  const file = featureFile(path)
  const toFeature = featureFile(target)
  if (isBrowserSafe(path) && !isBrowserSafe(target)) return 'a browser-safe file may import only browser-safe files and zod'
  if (path.startsWith('admin-ui/')) {
    if (bringsSchemas(target) && !typeOnly) return 'pages have only its types: zod stays on the server'
    const [area, other] = [areaOf(path), areaOf(target)]
    const isOfArea = other === 'hosted' || (other === 'console' && target !== 'admin-ui/console/texts.ts')
    if (area !== undefined && isOfArea && area !== other)
      return `${area} may not import ${other}: what both use is in admin-ui/shared`
    if (target.startsWith('admin-ui/') || isBrowserSafe(target)) return undefined
    if (path.startsWith('admin-ui/states/') && sourcesOfStates.has(target)) return undefined
    if (isTool(path) && typeOnly && target.startsWith('src/http/')) return undefined
    return 'admin-ui may import only contract.ts and errors.ts of src'
  }
  if (path.startsWith('migrations/'))
    return target.startsWith('migrations/') ? undefined : 'a migration may import only migrations'
  if (path === 'src/core/mail-texts.ts' && isTexts(target) && typeOnly) return undefined
  if (path.startsWith('src/core/') && !/^(src\/core|migrations)\//.test(target)) return 'core knows neither http nor features'
  if (path.startsWith('src/access/') && !/^src\/(core|access)\//.test(target)) return 'access knows only core'
  if (path.startsWith('src/http/') && !isBase(target)) return 'http knows only core and access'
  if (path === 'src/feature.ts' && !isBase(target) && !(typeOnly && target === 'src/cli/command.ts'))
    return 'src/feature.ts knows only core, access and http'
  if (path === 'src/feature-list.ts' && !isBase(target) && target !== 'src/feature.ts')
    return 'src/feature-list.ts knows only src/feature.ts, core, access and http'
  if (path === 'src/composition.ts') {
    if (toFeature && !['index', 'config', 'contract', 'errors', 'cli'].includes(toFeature.role)) {
      return 'composition may import only index, config, contract, errors and cli of a feature'
    }
    return undefined
  }
  if (file) return refuseFromFeature(file, target, asked)
  // Commands for an instance on another machine build their services from the contracts of all features.
  if (path.startsWith('src/cli/remote/services/') && toFeature?.role === 'contract') return undefined
  if (toFeature) return 'only src/composition.ts knows the features'
  return undefined
}

/** The reason why `path` may not have this import; undefined if it may. `packages` are the dependencies of the released program. */
export const refuseImport = (path: string, asked: Import, packages: ReadonlySet<string>): string | undefined => {
  const { from } = asked
  if (from.startsWith('.')) return refuseFile(path, posix.join(posix.dirname(path), from), asked)
  if (isBrowserSafe(path) && from !== 'zod') return 'a browser-safe file may import only browser-safe files and zod'
  if (path.startsWith('admin-ui/') && !isTool(path) && from.startsWith('node:')) return 'admin-ui runs in the browser'
  if (path.startsWith('admin-ui/') && from === 'zod') return 'zod stays on the server'
  if (!/^(src|migrations)\//.test(path)) return undefined
  const name = from.startsWith('node:') ? from : from.split('/', from.startsWith('@') ? 2 : 1).join('/')
  const home = homes[name]
  if (home && !home.where.test(path)) return `${name} may be imported only in ${home.says}`
  if (name.startsWith('node:') || packages.has(name)) return undefined
  return `${name} is not in the dependencies of package.json`
}

/** The reason why a file may not be at its path; undefined if it may. */
export const refusePlace = (path: string): string | undefined => {
  const [src, ...rest] = path.split('/')
  if (src !== 'src') return undefined
  if (rest.length === 1)
    return /^(main|feature|feature-list|composition)\.ts$/.test(rest[0] ?? '')
      ? undefined
      : 'src has only main, feature, feature-list and composition'
  const folders = withoutGroups(path)
    .split('/')
    .slice(0, -1)
    .filter((folder) => !isRole(folder))
  return folders.length > 2 ? 'features have subfolders one level deep, no deeper' : undefined
}
