import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import type { ErrorTable } from '../core/errors.ts'
import type { Endpoint } from './contract.ts'
import type { Route } from './handlers.ts'

const Refusal = z
  .object({
    code: z.string(),
    message: z.string(),
    issues: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          expected: z.string().optional(),
          received: z.string().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Error', description: 'A refusal. `code` is stable; `issues` names the fields that are wrong.' })

const OAuthRefusal = z
  .object({ error: z.string(), error_description: z.string() })
  .meta({ id: 'OAuthError', description: 'A refusal in the words of OAuth 2.0.' })

/** Codes that the pipeline answers before an endpoint's own rules are asked. */
const commonCodes = ({ access, method, limit, urls, body, query, startsSession }: Endpoint): string[] => [
  ...(body === undefined && query === undefined ? [] : ['VALIDATION_ERROR']),
  ...(access === 'public' || access === 'anonymous' ? [] : ['UNAUTHORIZED']),
  ...(access === 'admin' ? ['FORBIDDEN'] : []),
  ...(access === 'fresh-session' ? ['SESSION_IS_NOT_FRESH'] : []),
  ...(method !== 'GET' || startsSession === true ? ['INVALID_ORIGIN'] : []),
  ...(urls ?? []).map((field) => `INVALID_${field.toUpperCase()}`.replace('REDIRECTTO', 'REDIRECTURL')),
  ...(limit === 'strict' ? ['TOO_MANY_REQUESTS_PLEASE_TRY_AGAIN_LATER'] : []),
]

const refusals = (endpoint: Endpoint, catalogue: ErrorTable): ZodOpenApiResponsesObject => {
  const byStatus = new Map<number, string[]>()
  const oauth = new Map<number, boolean[]>()
  for (const code of [...commonCodes(endpoint), ...endpoint.errors]) {
    const entry = catalogue[code]
    if (entry === undefined) throw new Error(`${endpoint.path} declares ${code}, which is in no error table`)
    const [status, message, oauthError] = entry
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${oauthError ?? code}\`: ${message}`])
    oauth.set(status, [...(oauth.get(status) ?? []), oauthError !== undefined])
  }
  const schemaOf = (status: number) => {
    const shapes = oauth.get(status) ?? []
    if (!shapes.includes(true)) return Refusal
    return shapes.includes(false) ? z.union([Refusal, OAuthRefusal]) : OAuthRefusal
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(
    sorted.map(([status, lines]) => [
      String(status),
      { description: lines.join('\n\n'), content: { 'application/json': { schema: schemaOf(status) } } },
    ]),
  )
}

const success = ({ response, urls, method, accepts }: Endpoint) => ({
  '200': { description: 'Done', content: { 'application/json': { schema: response } } },
  ...(accepts === true ? { '202': { description: 'Accepted', content: { 'application/json': { schema: response } } } } : {}),
  ...(method === 'GET' && urls !== undefined ? { '302': { description: 'To the given URL' } } : {}),
})

const security = ({ access }: Endpoint) =>
  access === 'anonymous' || access === 'public' ? [] : [{ session: [] }, { bearer: [] }]

const operationOf = ({ name, endpoint }: Route, catalogue: ErrorTable): ZodOpenApiOperationObject => {
  const { body, query, params, encoding } = endpoint
  const requestParams = { ...(query === undefined ? {} : { query }), ...(params === undefined ? {} : { path: params }) }
  return {
    operationId: name,
    summary: endpoint.summary,
    security: security(endpoint),
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...(body === undefined || encoding === 'raw'
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']: { schema: body } },
          },
        }),
    responses: { ...success(endpoint), ...refusals(endpoint, catalogue) },
  }
}

interface Info {
  readonly version: string
  readonly cookieName: string
}

/** The public API as an OpenAPI 3.1 document. Throws when an endpoint declares a code that no error table has. */
export const createOpenApi = (
  routes: readonly Route[],
  errorTables: readonly ErrorTable[],
  { version, cookieName }: Info,
): unknown => {
  const catalogue: ErrorTable = Object.assign({}, ...errorTables)
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes.filter(({ endpoint }) => endpoint.hidden !== true)) {
    const path = route.endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.endpoint.method.toLowerCase()]: operationOf(route, catalogue) }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'gatehouse',
      version,
      description:
        'The account API. Every path answers below `/api/auth` as well. The OpenID Provider describes itself at `/.well-known/openid-configuration`.',
    },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        bearer: { type: 'http', scheme: 'bearer', description: 'The session token.' },
      },
    },
  }
  return createDocument(document, {
    override: ({ jsonSchema, zodSchema, io }) => {
      // On the wire a point in time is text.
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      // Answers may grow.
      if (io === 'output') delete jsonSchema.additionalProperties
    },
  })
}
