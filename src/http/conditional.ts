import type { CallParts, Send } from './client.ts'
import { type Api, type Contract, createApi } from './contract.ts'

const etags = new WeakMap<object, string>()

/** The `ETag` of a resource that a client of `createConditionalApi` has returned. The next change of the resource passes it as `ifMatch`. */
export const etagOfResult = (resource: object): string | undefined => etags.get(resource)

type Call = (input?: CallParts & { readonly ifMatch?: string | undefined }) => Promise<unknown>

/**
 * The typed client of a contract whose resources have an `ETag`. It remembers the tag of each answer, and sends `ifMatch`. It is separate
 * from `createApi`, so that the sign-in pages do not load it.
 */
export const createConditionalApi = <C extends Contract>(endpoints: C, send: Send): Api<C> => {
  const conditional =
    (name: string): Call =>
    async (input = {}) => {
      let etag: string | null = null
      const { [name]: call } = createApi(endpoints, async (path, init) => {
        const headers = input.ifMatch === undefined ? init.headers : { ...init.headers, 'if-match': input.ifMatch }
        const response = await send(path, { ...init, headers })
        etag = response.headers.get('etag')
        return response
      }) as Readonly<Record<string, Call>>
      const result = await call?.(input)
      if (etag !== null && typeof result === 'object' && result !== null) etags.set(result, etag)
      return result
    }
  return Object.fromEntries(Object.keys(endpoints).map((name) => [name, conditional(name)])) as Api<C>
}
