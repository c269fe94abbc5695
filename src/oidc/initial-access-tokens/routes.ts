import { bind, documented } from '../../http/handlers.ts'
import { initialAccessTokenContract } from './contract.ts'
import { initialAccessTokenDocumentation } from './documentation.ts'
import type { InitialAccessTokens } from './service.ts'

export const initialAccessTokenRoutes = (tokens: InitialAccessTokens) =>
  bind(documented(initialAccessTokenContract, initialAccessTokenDocumentation), {
    listInitialAccessTokens: (principal, { query }) => tokens.list(principal, query),
    createInitialAccessToken: (principal, { body }) => tokens.create(principal, body),
    revokeInitialAccessToken: (principal, { params }) => tokens.revoke(principal, params.tokenId),
  })
