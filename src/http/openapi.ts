import { z } from 'zod'
import {
  createDocument,
  createSchema,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { type ErrorTable, type ListedError, listErrors } from '../core/errors.ts'
import { reasonHeader } from '../core/reason.ts'
import { type ConfiguredSchemas, type Endpoint, responseOf, takesReason } from './contract.ts'
import { documentedErrors, errorsOfAllCalls } from './documented-errors.ts'
import type { Route } from './handlers.ts'

const ErrorBody = z
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
  .meta({ id: 'Error', description: 'An error. `code` never changes. `issues` names the fields that are wrong.' })

const OAuthErrorBody = z
  .object({ error: z.string(), error_description: z.string() })
  .meta({ id: 'OAuthError', description: 'An error in the form of OAuth 2.0.' })

interface Errors {
  readonly listed: readonly ListedError[]
  readonly others: ZodOpenApiResponseObject
}

const retryHeaders = z.object({
  'Retry-After': z.string().optional().meta({ description: 'Number of seconds after which the caller may try again.' }),
})

/**
 * Error responses that the document describes once for all calls. 431 is left out, because the HTTP parser sends it before a call is
 * recognised. In the types of generated clients, it would be the only response without `data`.
 */
const otherErrors = (listed: readonly ListedError[]): ZodOpenApiResponseObject => ({
  id: 'OtherError',
  description: [
    'Any other error, such as:',
    ...errorsOfAllCalls(listed).map(({ code, status, message }) => `\`${code}\` (${status}): ${message}`),
    'Headers of more than 16 KiB are answered with 431 without a body.',
  ].join('\n\n'),
  content: { 'application/json': { schema: ErrorBody } },
})

const errorResponses = (endpoint: Endpoint, { listed, others }: Errors): ZodOpenApiResponsesObject => {
  const schemaOf = (errors: readonly ListedError[]) => {
    if (errors.every(({ oauthError }) => oauthError === undefined)) return ErrorBody
    return errors.some(({ oauthError }) => oauthError === undefined) ? z.union([ErrorBody, OAuthErrorBody]) : OAuthErrorBody
  }
  const byStatus = Map.groupBy(documentedErrors(endpoint, listed), ({ status }) => status)
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return {
    ...Object.fromEntries(
      sorted.map(([status, errors]) => [
        String(status),
        {
          description: errors.map(({ code, message, oauthError }) => `\`${oauthError ?? code}\`: ${message}`).join('\n\n'),
          content: { 'application/json': { schema: schemaOf(errors) } },
          ...(status === 429 ? { headers: retryHeaders } : {}),
        },
      ]),
    ),
    default: others,
  }
}

const etagHeader = z.object({
  ETag: z.string().meta({ description: 'Identifies the state of the resource. A change accepts it as `If-Match`.' }),
})
const reasonHeaderInput = {
  [reasonHeader]: z.string().optional().meta({
    description:
      'The reason for the change, in 1 to 500 characters. The events of the call contain it. Text beyond ASCII is percent-encoded UTF-8, and % is %25.',
  }),
}
const ifMatchHeaderInput = {
  'If-Match': z.string().optional().meta({
    description:
      'The `ETag` of the state on which the change is based. If the resource has another state, the change is refused with 412.',
  }),
}
const proofHeaderInput = {
  'Gatehouse-Proof-Of-Work': z.string().optional().meta({
    description: 'The solution of a challenge of `GET /proof-of-work`. Needed only if the configuration requires it.',
  }),
}

const success = (endpoint: Endpoint): ZodOpenApiResponsesObject => {
  const response = responseOf(endpoint)
  if (response.kind === 'none') return { '204': { description: 'Done' } }
  if (response.kind === 'redirect') return { '302': { description: 'Redirects to the next address' } }
  if (response.kind !== 'json') {
    // The schema of a streamed response. With the media type of JSON, the stream is one object. Otherwise it consists of lines.
    const schemaOf = (type: string) =>
      type === 'application/json' ? ({ type: 'object', additionalProperties: {} } as const) : ({ type: 'string' } as const)
    const types =
      response.kind === 'file'
        ? response.mediaTypes
        : [response.mediaType, ...(response.kind === 'stream' ? (response.others ?? []) : [])]
    return {
      '200': { description: 'Done', content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }])) },
    }
  }
  const given = endpoint.example?.response
  const content = { 'application/json': { schema: response.schema, ...(given === undefined ? {} : { example: given }) } }
  if (response.creates === true) return { '201': { description: 'Created', content } }
  return {
    '200': { description: 'Done', content, ...(endpoint.etag === undefined ? {} : { headers: etagHeader }) },
    ...(response.accepts === true ? { '202': { description: 'Accepted', content } } : {}),
    ...(response.redirects === true ? { '302': { description: 'Redirects to the given URL' } } : {}),
  }
}

/** How a call can be authenticated. An empty requirement means that the session is optional. */
const security = ({ access }: Endpoint) =>
  access === 'anonymous' ? [] : [...(access === 'public' ? [{}] : []), { session: [] }, { bearer: [] }]

const tagOf = ({ tag }: Endpoint) => tag ?? 'Other'

const requestBody = ({ body, encoding, example }: Endpoint): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  if (encoding === 'upload') return { requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } } }
  if (encoding === 'raw') return { requestBody: { required: true, content: { 'application/json': { schema: {} } } } }
  if (body === undefined) return {}
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const shown = example?.body === undefined ? {} : { example: example.body }
  return { requestBody: { required: true, content: { [type]: { schema: body, ...shown } } } }
}

const operationOf = ({ name, endpoint }: Route, errors: Errors): ZodOpenApiOperationObject => {
  const { query, params, ifMatch, proofOfWork } = endpoint
  const header = {
    ...(ifMatch === undefined ? {} : ifMatchHeaderInput),
    ...(proofOfWork === undefined ? {} : proofHeaderInput),
    ...(takesReason(endpoint) ? reasonHeaderInput : {}),
  }
  const requestParams = {
    ...(query === undefined ? {} : { query }),
    ...(params === undefined ? {} : { path: params }),
    ...(Object.keys(header).length === 0 ? {} : { header: z.object(header) }),
  }
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [tagOf(endpoint)],
    security: security(endpoint),
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...requestBody(endpoint),
    responses: { ...success(endpoint), ...errorResponses(endpoint, errors) },
  }
}

interface JsonObject {
  readonly properties?: object
  readonly required?: readonly string[]
}

interface Info {
  readonly version: string
  readonly cookieName: string
  /** The URL of the instance. Undefined for the document that describes any instance. */
  readonly url?: string
  /** The schemas that the configuration of the instance extends. */
  readonly schemas?: readonly ConfiguredSchemas[]
}

/** Makes the OpenAPI 3.1 document of the public API. Throws if an endpoint declares an error code that no table contains. */
export const createOpenApi = (
  routes: readonly Route[],
  errorTables: readonly ErrorTable[],
  { version, cookieName, url, schemas = [] }: Info,
): unknown => {
  const listed = listErrors(errorTables)
  const errors = { listed, others: otherErrors(listed) }
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  const shown = routes.filter(({ endpoint }) => endpoint.hidden !== true)
  for (const route of shown) {
    const path = route.endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.endpoint.method.toLowerCase()]: operationOf(route, errors) }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: 'gatehouse',
      version,
      description:
        'Accounts, organizations and administration. Every path is also available below `/api/auth`. The OpenID Provider describes itself at `/.well-known/openid-configuration`.',
    },
    ...(url === undefined ? {} : { servers: [{ url }] }),
    tags: [...new Set(shown.map(({ endpoint }) => tagOf(endpoint)))].sort().map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token of a session, or an API key. Calls of administration also accept an access token that an application of the type machine got for itself.',
        },
      },
    },
  }
  return createDocument(document, {
    override: ({ jsonSchema, zodSchema, io }) => {
      for (const configured of schemas.flatMap((added) => added(zodSchema) ?? [])) {
        const { properties = {}, required = [] } = createSchema(configured, { io }).schema as JsonObject
        const all = [...(jsonSchema.required ?? []), ...required]
        Object.assign(jsonSchema, {
          properties: { ...jsonSchema.properties, ...properties },
          ...(all.length > 0 && { required: all }),
        })
      }
      // A `Date` in the program is text on the wire.
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
      // A property that is always null gets a type here. Otherwise some generators of clients import a model for the type `null` that
      // they do not generate.
      for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
        if (typeof property === 'object' && 'type' in property && property.type === 'null') {
          const { type: _, ...described } = property
          Object.assign(jsonSchema.properties ?? {}, { [name]: { ...described, const: null } })
        }
      // The schema of a response allows further fields, because later versions may add some.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
}
