import type { Contract, WireApi } from '../../../src/http/contract.ts'
import type { Answers } from '../state.ts'

/** The answer of an endpoint in wire form. */
export type Wire<C extends Contract, K extends keyof C> = WireApi<C>[K] extends (...input: never[]) => Promise<infer R>
  ? R
  : never

/**
 * The answer of an endpoint to all its calls, or with `params` only to the calls for that address. An answer that does not fit the
 * contract does not compile.
 */
export const says = <C extends Contract, K extends keyof C & string>(
  contract: C,
  name: K,
  answer: Wire<C, K>,
  params: Readonly<Record<string, string>> = {},
): Answers => {
  const { method, path } = contract[name] as { readonly method: string; readonly path: string }
  return { [`${method} ${path.replace(/:(\w+)/g, (part, key: string) => params[key] ?? part)}`]: answer }
}

export const together = (...some: readonly Answers[]): Answers => Object.assign({}, ...some)
