import { z } from 'zod'
import { counted, sortedPage } from '../../core/page.ts'
import { daySeconds } from '../../core/time.ts'
import { instant, nameInput, plainText } from '../../core/wire.ts'
import { contract } from '../../http/contract.ts'
import { clientTypes } from '../metadata/contract.ts'

/** Only a token in the state `active` can register clients. */
export const tokenStates = ['active', 'used-up', 'expired', 'revoked'] as const

/** An initial access token (RFC 7591, section 3), without its value, as administrators see it. */
export const InitialAccessToken = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the token. */
  hint: z.string(),
  state: z.enum(tokenStates),
  /** The types of clients that the token may register. */
  types: z.array(z.enum(clientTypes)),
  /** The scopes that clients of this token may request; null for all scopes of their type. */
  scopes: z.array(z.string()).nullable(),
  /** The hosts that redirect URIs of clients of this token may have, or the schemes of native applications; null if every host is allowed. */
  redirectHosts: z.array(z.string()).nullable(),
  maxClients: z.int(),
  usedClients: z.int(),
  createdAt: instant,
  expiresAt: instant,
  revokedAt: instant.nullable(),
  lastUsedAt: instant.nullable(),
})

export const CreateInitialAccessToken = z.object({
  name: nameInput,
  types: z.array(z.enum(clientTypes)).min(1).max(4).default(['web', 'spa', 'native']),
  scopes: z.array(plainText(255, 1)).min(1).max(200).nullable().default(null),
  redirectHosts: z
    .array(
      z
        .string()
        .toLowerCase()
        .regex(
          /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$|^\[[0-9a-f:]{2,45}\]$/,
          'a host without port, or a scheme such as com.example.app',
        ),
    )
    .min(1)
    .max(100)
    .nullable()
    .default(null),
  maxClients: z.int().min(1).max(100_000).default(1),
  expiresInSeconds: z
    .int()
    .min(60)
    .max(366 * daySeconds)
    .default(7 * daySeconds),
})

const list = counted(sortedPage('tokens', InitialAccessToken, { filter: {}, sorts: ['createdAt'] }))

export const initialAccessTokenContract = contract('Administration of applications', {
  listInitialAccessTokens: {
    method: 'GET',
    path: '/admin/initial-access-tokens',
    summary: 'List the tokens with which clients register themselves, page by page',
    access: { permission: 'clients:read' },
    query: list.query,
    response: list.response,
    errors: [],
  },
  createInitialAccessToken: {
    method: 'POST',
    path: '/admin/initial-access-tokens',
    summary: 'Create a token with which clients register themselves; it is shown once',
    access: { permission: 'clients:create', fresh: true },
    body: CreateInitialAccessToken,
    response: z.object({ token: InitialAccessToken, value: z.string() }),
    errors: ['INVALID_SCOPE'],
  },
  revokeInitialAccessToken: {
    method: 'DELETE',
    path: '/admin/initial-access-tokens/:tokenId',
    summary: 'Revoke a token with which clients register themselves; clients that were registered with it stay',
    access: { permission: 'clients:update', fresh: 'person' },
    params: z.object({ tokenId: plainText(64, 1) }),
    response: InitialAccessToken,
    errors: ['INITIAL_ACCESS_TOKEN_NOT_FOUND'],
  },
})

const token = {
  ...{ id: 'h4Tz8wQm2rVbY6cJ0kXe5nLsPa9uDgFi', name: 'Build server', hint: 'k3Xw', state: 'active', types: ['web', 'spa'] },
  ...{ scopes: ['openid', 'email'], redirectHosts: ['shop.example.com'], maxClients: 5, usedClients: 1 },
  ...{ createdAt: '2026-11-23T09:00:00.000Z', expiresAt: '2026-11-30T09:00:00.000Z' },
  ...{ revokedAt: null, lastUsedAt: '2026-11-23T10:00:00.000Z' },
}

/** Descriptions and examples for the API document. */
export const initialAccessTokenDocumentation = {
  listInitialAccessTokens: { example: { response: { tokens: [token], next: null, total: null } } },
  createInitialAccessToken: {
    description:
      'The client sends `value` as a Bearer token to `POST /oauth2/register`. The limits of the token always apply to its clients, even when the clients change themselves.',
    example: {
      body: { name: 'Build server', types: ['web', 'spa'], redirectHosts: ['shop.example.com'], maxClients: 5 },
      response: {
        token: { ...token, scopes: null, usedClients: 0, lastUsedAt: null },
        value: 'k3XwB1m0pXw2eYv6KQhT8sZcJ4dRfUaL',
      },
    },
  },
  revokeInitialAccessToken: {
    example: { response: { ...token, state: 'revoked', revokedAt: '2026-11-24T09:00:00.000Z' } },
  },
}
