import { withQuery } from '../../../src/core/web.ts'
import type { CallParts, Target } from '../../../src/http/client.ts'

/** Quotes a text, if necessary, so that a shell reads it as one word. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** A curl command that makes the same call as the console. The reason is sent in the header that the console uses for it. */
export const curlOf = (
  { method, path }: Target,
  { params = {}, query = {}, body }: CallParts,
  origin: string,
  reason = '',
): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const lines = [
    `curl -s ${method === 'GET' ? '' : `-X ${method} `}${shellWord(origin + withQuery(filled, given))}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(reason === '' ? [] : [`-H ${shellWord(`Gatehouse-Reason: ${encodeURIComponent(reason)}`)}`]),
    ...(method === 'GET' || body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}
