import type { WireApi } from '../../../../src/http/contract.ts'
import type { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { wordsOf } from '../addresses.ts'

export type Api = Answer<WireApi<typeof apiContract>['getApi']>
type Scope = Api['scopes'][number]
type Caller = Api['clients'][number]

/**
 * A scope as a line of the form's text field, such as `orders:read=See your orders`. A required permission is written as `@permission`
 * after the name, and allowed roles as `%role`.
 */
export const scopeLine = ({ name, description, permission, roles }: Scope): string =>
  `${name}${permission === null ? '' : `@${permission}`}${roles.length === 0 ? '' : `%${roles.join(',')}`}=${description}`

/** Parses the lines of the text field into scopes. A scope keeps the translated descriptions of the scope in `before` that has its name. */
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

/**
 * An application as a line of the form's text field, such as `shop=orders:read`. An `!` after the scopes means that administrators may
 * impersonate users through the application. A `<` precedes each audience whose tokens the application may exchange.
 */
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
