/** All endpoints of the contracts, for tests of the simulated server of the development page. */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly response: unknown
}

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: Error }
}

const source = fileURLToPath(new URL('../../../src', import.meta.url))
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value

export const readEndpoints = async (): Promise<readonly Endpoint[]> => {
  const files = globSync('**/{contract.ts,contract/*.ts}', { cwd: source }).filter((file) => !file.startsWith('http/'))
  const exported = await Promise.all(files.map((file): Promise<object> => import(`${source}/${file}`)))
  return exported
    .flatMap((one) => Object.values(one as Readonly<Record<string, unknown>>))
    .flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value).filter(isEndpoint) : []))
}

/** The endpoint of a call such as `GET /admin/users/17`, or of a path pattern of a contract. */
export const endpointOf = (endpoints: readonly Endpoint[], call: string): Endpoint | undefined => {
  const [method, path = ''] = call.split(' ')
  const fitting = endpoints.filter((one) => one.method === method)
  return (
    fitting.find((one) => one.path === path) ??
    fitting.find((one) => new RegExp(`^${one.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
  )
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && 'safeParse' in value

/** The fault of an answer, or undefined where the contract allows the answer. */
export const faultOf = ({ response }: Endpoint, answer: unknown): string | undefined => {
  const declared = isSchema(response) ? response : (response as { readonly schema?: unknown }).schema
  if (!isSchema(declared)) return 'its answer is no JSON'
  const { success, error } = declared.safeParse(JSON.parse(JSON.stringify(answer)))
  return success ? undefined : error?.message
}
