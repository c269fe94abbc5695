import { bind, documented } from '../../http/handlers.ts'
import { signingKeyContract, signingKeyDocumentation } from './contract.ts'
import type { Keys } from './service.ts'

/** The endpoints for managing signing keys. */
export const signingKeyRoutes = (keys: Keys) =>
  bind(documented(signingKeyContract, signingKeyDocumentation), {
    listSigningKeys: async () => ({ keys: await keys.list(), cachedSeconds: keys.cachedSeconds }),
    rotateSigningKeys: async (principal) => ({ keys: await keys.rotate(principal), cachedSeconds: keys.cachedSeconds }),
    revokeSigningKeys: async (principal) => ({ keys: await keys.revoke(principal), cachedSeconds: keys.cachedSeconds }),
  })
