import type { CallParts, Send } from './client.ts'
import { type Api, type Contract, createApi } from './contract.ts'

const etags = new WeakMap<object, string>()

/** The `ETag` of a resource that a client made by `createConditionalApi` has returned. Pass it as `ifMatch` when you change the resource. */
export const etagOfResult = (resource: object): string | undefined => etags.get(resource)

type Call = (input?: CallParts & { readonly ifMatch?: string | undefined }) => Promise<unknown>

/**
 * Makes a typed client that remembers the `ETag` of each resource that it returns, and can send `ifMatch`. It is not part of `createApi`,
 * so that the sign-in pages need not load it.
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
