import type { Transact } from '../../core/db/database.ts'
import { bind } from '../../http/handlers.ts'
import { rememberedBrowserContract } from './contract.ts'
import type { RememberedBrowsers } from './service.ts'

export const rememberedBrowserRoutes = (browsers: RememberedBrowsers, transact: Transact) =>
  bind(rememberedBrowserContract, {
    listRememberedBrowsers: async (principal) => [...(await browsers.list(principal))],
    revokeRememberedBrowser: async (principal, { body }) => {
      await browsers.revoke(principal, body.id)
      return { status: true }
    },
    revokeRememberedBrowsers: async (principal) => {
      await transact((tx) => browsers.forgetAll(tx, principal, principal.user.id))
      return { status: true }
    },
  })
