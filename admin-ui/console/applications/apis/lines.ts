import type { WireApi } from '../../../../src/http/contract.ts'
import type { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { wordsOf } from '../addresses.ts'

export type Api = Answer<WireApi<typeof apiContract>['getApi']>
type Scope = Api['scopes'][number]
type Caller = Api['clients'][number]

/** A scope as it is typed: `orders:read=See your orders`, with `@permission` and `%role` behind the name. */
export const scopeLine = ({ name, description, permission, roles }: Scope): string =>
  `${name}${permission === null ? '' : `@${permission}`}${roles.length === 0 ? '' : `%${roles.join(',')}`}=${description}`

/** The scopes of these lines. Descriptions in other languages stay with the scope of the same name. */
export const scopesOf = (text: string, before: readonly Scope[]): object[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [head = '', ...said] = line.split('=')
      const [, name = head, permission, roles] = /^([^@%]+)(?:@([^@%]+))?(?:%([^@%]+))?$/.exec(head) ?? []
      const translations = before.find((scope) => scope.name === name)?.translations ?? {}
      const description = said.join('=').trim() || name
      return { name, description, translations, permission: permission ?? null, roles: roles?.split(',') ?? [] }
    })

/** An application as it is typed: `shop=orders:read`, with `!` where administrators act as users by it, and `<` before each audience whose tokens it exchanges. */
export const callerLine = ({ clientId, scopes, exchangeFrom, mayImpersonate }: Caller): string =>
  [`${clientId}${scopes === null ? '' : `=${scopes.join(',')}`}${mayImpersonate ? '!' : ''}`, ...exchangeFrom].join('<')

export const callersOf = (text: string): Caller[] =>
  wordsOf(text).map((line) => {
    const [head = '', ...exchangeFrom] = line.split('<')
    const mayImpersonate = head.endsWith('!')
    const [clientId = '', scopes] = head.replace(/!$/, '').split('=')
    return {
      mayImpersonate,
      clientId,
      scopes: scopes === undefined ? null : scopes.split(',').filter((one) => one !== ''),
      exchangeFrom,
    }
  })
