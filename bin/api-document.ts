/**
 * The OpenAPI document that describes every instance, without an address. `npm run build` writes it to `dist/openapi.json`; an instance
 * serves its own document at `/openapi.json`. The repository contains a digest of it, by which a review shows the operations and schemas
 * that a change affects.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../package.json' with { type: 'json' }
import { compose, configSchema } from '../src/composition.ts'
import { systemClock } from '../src/core/clock.ts'
import { loadConfig } from '../src/core/config.ts'
import { createLog } from '../src/core/log.ts'
import { systemRandom } from '../src/core/random.ts'
import { createOpenApi } from '../src/http/openapi.ts'

/** The application, composed for PostgreSQL. Nothing is opened, and no file is created. */
export const composed = () => {
  const flags = { databaseUrl: 'postgres://localhost/docs', secret: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }
  const world = { clock: systemClock, random: systemRandom, log: createLog('silent') }
  return compose(loadConfig(configSchema, { env: {}, flags }), world)
}

/** The parts of the document that go into the digest. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Record<string, { readonly operationId: string }>>>
  readonly components: Readonly<Record<'schemas' | 'responses' | 'securitySchemes', Record<string, object>>>
}

export const apiDocument = ({ routes, errorTables } = composed()): ApiDocument =>
  createOpenApi(routes, errorTables, { version: packageFile.version, cookieName: '__Host-gatehouse.session' }) as ApiDocument

/**
 * Text that depends only on the shape: keys are sorted, and descriptions of operations and schemas are left out. The description of a
 * response is kept, because it names the error codes.
 */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  const isProse = (key: string, inner: unknown) =>
    typeof inner === 'string' && (key === 'summary' || (key === 'description' && !('content' in value)))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !isProse(key, inner))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, shapeOf(inner)]),
  )
}

const hashOf = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(shapeOf(value)))
    .digest('hex')
    .slice(0, 12)

/**
 * The digest: a line for each operation, named schema and named response, with a hash of its shape. If a named part changes, only its own
 * line changes.
 */
export const digestOf = ({ paths, components }: ApiDocument): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${method.toUpperCase()} ${path} ${operation.operationId} ${hashOf(operation)}`,
    ),
  )
  const { schemas, responses, securitySchemes } = components
  const parts = Object.entries({ schema: schemas, response: responses, security: securitySchemes }).flatMap(([kind, named]) =>
    Object.entries(named).map(([name, part]) => `${kind} ${name} ${hashOf(part)}`),
  )
  return `${[...operations, ...parts].join('\n')}\n`
}

if (import.meta.main) {
  const directory = join(import.meta.dirname, '../dist')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'openapi.json'), `${JSON.stringify(apiDocument(), null, 2)}\n`)
}
