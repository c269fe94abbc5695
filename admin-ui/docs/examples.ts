import type { ApiDocument, Content, Operation, Schema } from './document.ts'
import { alternativesOf, resolve } from './document.ts'

const strings: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ann@example.com',
  uri: 'https://app.example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** How deep an example is nested at most. Deeper objects are empty, because schemas can be recursive. */
const maxDepth = 5

const sampleOf = (document: ApiDocument, schema: Schema, name: string, depth: number): unknown => {
  const { type, format, properties, items, enum: values, const: value, default: standard, ...rest } = resolve(document, schema)
  if (value !== undefined) return value
  if (standard !== undefined) return standard
  if (values !== undefined) return values[0]
  const alternative = alternativesOf(rest)[0]
  if (alternative !== undefined) return sampleOf(document, alternative, name, depth)
  const first = typeof type === 'string' ? type : type?.[0]
  if (first === 'string') return strings[format ?? ''] ?? (/email/i.test(name) ? strings['email'] : 'string')
  if (first === 'integer' || first === 'number') return Math.max(rest.minimum ?? 1, 1)
  if (first === 'boolean') return true
  if (first === 'null') return null
  if (first === 'array') return items === undefined || depth > maxDepth ? [] : [sampleOf(document, items, name, depth + 1)]
  if (depth > maxDepth) return {}
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([key, property]) => [key, sampleOf(document, property, key, depth + 1)]),
  )
}

const requiredOnly = (document: ApiDocument, schema: Schema): Schema => {
  const resolved = resolve(document, schema)
  const required = Object.entries(resolved.properties ?? {}).filter(([name]) => resolved.required?.includes(name))
  return required.length === 0 ? resolved : { ...resolved, properties: Object.fromEntries(required) }
}

/** The example that the document contains. If it contains none, an example is made from the schema. */
export const exampleOf = (document: ApiDocument, { example, schema }: Content): unknown =>
  example ?? (schema === undefined ? undefined : sampleOf(document, schema, '', 0))

export const asJson = (value: unknown): string => JSON.stringify(value, null, 2)

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A curl command that calls the operation. If the document has no example for the body, only the required fields of the body are filled in. */
export const curlOf = (document: ApiDocument, operation: Operation, origin: string): string => {
  const { method, path, security, requestBody, parameters = [] } = operation
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema = {} }) => `${name}=${encodeURIComponent(String(sampleOf(document, schema, name, 0)))}`)
  const [[mediaType, content] = []] = Object.entries(requestBody?.content ?? {})
  const url = `${origin}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const parts = [method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`]
  if (security.length > 0 && !security.some((requirement) => Object.keys(requirement).length === 0))
    parts.push('-H "Authorization: Bearer $SESSION_TOKEN"')
  if (mediaType !== undefined && content !== undefined) {
    const { schema = {} } = content
    const body = content.example ?? sampleOf(document, requiredOnly(document, schema), '', 0)
    parts.push(`-H 'Content-Type: ${mediaType}'`)
    parts.push(
      mediaType === 'application/json'
        ? `-d ${quoted(JSON.stringify(body))}`
        : `-d ${quoted(new URLSearchParams(body as Record<string, string>).toString())}`,
    )
  }
  return parts.join(' \\\n  ')
}
