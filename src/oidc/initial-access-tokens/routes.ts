import { bind, documented } from '../../http/handlers.ts'
import { initialAccessTokenContract, initialAccessTokenDocumentation } from './contract.ts'
import type { InitialAccessTokens } from './service.ts'

export const initialAccessTokenRoutes = (tokens: InitialAccessTokens) =>
  bind(documented(initialAccessTokenContract, initialAccessTokenDocumentation), {
    listInitialAccessTokens: (principal, { query }) => tokens.list(principal, query),
    createInitialAccessToken: (principal, { body }) => tokens.create(principal, body),
    revokeInitialAccessToken: (principal, { params }) => tokens.revoke(principal, params.tokenId),
  })
