import { withQuery } from '../../../src/core/web.ts'
import type { CallParts, Target } from '../../../src/http/client.ts'

/** Quotes a text as one word of a shell. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** The call as a curl command, from the method and path of its contract and its input. The reason is sent in the header that the console uses. */
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
