import type { Transact } from '../../core/db/database.ts'
import { reactTo } from '../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { bind } from '../../http/handlers.ts'
import { sessionEvents } from '../sessions/contract.ts'
import type { Sessions } from '../sessions/index.ts'
import { rememberedBrowserContract, rememberedBrowserErrors, rememberedBrowserEvents } from './contract.ts'
import { createRememberedBrowsers, type RememberedBrowser, type RememberedBrowsers } from './service.ts'
import { ownBrowsers } from './store.ts'

const rememberedBrowserRoutes = (browsers: RememberedBrowsers, transact: Transact) =>
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

export type { RememberedBrowser, RememberedBrowsers }

interface Config {
  readonly secondFactor: { readonly rememberDays: number }
}

const build = (base: Base, { secondFactor: { rememberDays } }: Config, { sessions }: { readonly sessions: Sessions }) => {
  const rememberedBrowsers = createRememberedBrowsers({ ...base, sessions, rememberDays })
  const { forgetAll } = rememberedBrowsers
  return {
    access: { remembered_browser: 'remembered browsers' },
    personalData: [ownBrowsers],
    api: { rememberedBrowsers },
    rememberedBrowsers,
    routes: rememberedBrowserRoutes(rememberedBrowsers, base.transact),
    reactions: [
      // If another person has ended all sessions of the user, for example by a ban, remembered browsers are forgotten too.
      reactTo(sessionEvents['user.sessions_ended'], async (tx, { subjectId, actorId }, { actor }) => {
        if (actorId !== subjectId) await forgetAll(tx, actor, subjectId)
      }),
    ],
    retentions: [rememberedBrowsers.retention],
    tasks: [periodic('remembered-browsers.sweep', sweepSeconds, rememberedBrowsers.retention.sweep)],
  }
}

/** Remembers browsers in which people are not asked for a second factor for a while. */
export const rememberedBrowsersFeature = defineFeature({
  name: 'remembered-browsers',
  errors: rememberedBrowserErrors.table,
  events: rememberedBrowserEvents,
  build,
})
