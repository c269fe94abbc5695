/** Who may import whom: the dependency table of the architecture, as data. Pure; `architecture.ts` feeds it. */
import { posix } from 'node:path'

export interface Import {
  /** As written: `./store.ts`, `node:crypto`, `knex`. */
  readonly from: string
  /** `import type`: nothing is left of it at run time. */
  readonly typeOnly: boolean
  /** What is imported as values; `*` is all of it. */
  readonly names?: readonly string[]
}

/** `value` includes types. */
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

/** Folders whose files are all of one role: the shapes of the billing events are pure, and stores, rules and commands read them too. */
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

/** What a file of a feature may import of its own feature, of core, of http and of `src/feature.ts`. Browser-safe files of core are always allowed. */
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

/** The one home of a library: which files may import it. */
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

/** What builds and serves the pages during development runs in Node. */
const isTool = (path: string): boolean => /^admin-ui\/(vite\.config|development|texts)\.ts$/.test(path)

/** Of these pages have only the types: with them zod would come into the browser (decision 0162). */
const bringsSchemas = (path: string): boolean =>
  /^src\/core\/(wire|json-value|page|resource-tag|events\/types)\.ts$|^src\/http\/(contract|conditional)\.ts$/.test(path)

interface FeatureFile {
  readonly feature: string
  readonly role: FeatureRole
}

const isRole = (name: string): name is (typeof featureRoles)[number] => featureRoles.some((role) => role === name)

/** Folders that hold features; every other folder of `src` but access, core, http and cli is a feature itself. */
const groups = /^(identity|authentication\/methods|authentication)\//

/** What every feature may build on: core and the principal with its permissions. */
const isBase = (path: string) => /^src\/(core|http|access)\//.test(path)

/** The program around the features: it knows the composition, and no feature by name. */
const isProgram = (path: string) => /^src\/(main\.ts$|cli\/)/.test(path)

const withoutGroups = (path: string) => path.replace(/^src\//, '').replace(groups, '')

/** `src/organizations/members/service/accept.ts` is a `service` of `organizations`. */
const featureFile = (path: string): FeatureFile | undefined => {
  if (!path.startsWith('src/') || isBase(path) || isProgram(path)) return undefined
  const [feature = '', ...rest] = withoutGroups(path).split('/')
  if (rest.length === 0) return undefined
  const name = rest.at(-1)?.replace(/\.tsx?$/, '') ?? ''
  // What the API document says about a contract is data of the same kind, kept apart for the size of the pages.
  if (name === 'documentation') return { feature, role: 'contract' }
  const role = rolesByFolder[posix.dirname(path)] ?? [name, ...rest.slice(0, -1)].find(isRole) ?? 'part'
  return { feature, role }
}

/** The feature that a file of `src` belongs to; undefined for the ground and the program around the features. */
export const featureOf = (path: string): string | undefined => featureFile(path)?.feature

const allows = (permit: Permit | undefined, typeOnly: boolean) => permit === 'value' || (permit === 'type' && typeOnly)

/** Errors and events of a feature may stand in its contract: what imports them alone imports no calls. */
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
  // Types of events are data, like a contract: who reacts to them names them.
  if (role === 'events') return undefined
  // So are the columns of a table: a join decodes what it reads of it as the owner of the table does.
  if (other.role === 'table' && file.role === 'store') return undefined
  if (!typeOnly) return "from another feature only 'import type'"
  return /^[^/]+\/index\.ts$/.test(withoutGroups(target)) ? undefined : 'from another feature only its index.ts'
}

/** The English texts, of which code has keys and parameters as types. */
const isTexts = (path: string): boolean => /^admin-ui\/locales\/(mails\/en\.json|parameters\.ts)$/.test(path)

/** `hosted` (sign-in and account area), `console`, or `shared`, which both import and which imports neither. */
const areaOf = (path: string): string | undefined => /^admin-ui\/(hosted|console|shared)\//.exec(path)?.[1]

/** What states of the development page are made of: the renderer of real mails, and the documented keys of the configuration. */
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
  // A second composition: the services of an instance elsewhere, made of the calls of all features.
  if (path.startsWith('src/cli/remote/services/') && toFeature?.role === 'contract') return undefined
  if (toFeature) return 'only src/composition.ts knows the features'
  return undefined
}

/** Why `path` may not have this import; undefined when it may. `packages` are those the released program has. */
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

/** Why a file may not be where it is. */
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
