import { reactTo } from '../../core/events/record.ts'
import { periodic, sweepSeconds } from '../../core/queue.ts'
import { type Base, defineFeature } from '../../feature.ts'
import { sessionEvents } from '../sessions/events.ts'
import type { Sessions } from '../sessions/index.ts'
import { rememberedBrowserErrors } from './errors.ts'
import { rememberedBrowserEvents } from './events.ts'
import { rememberedBrowserRoutes } from './routes.ts'
import { createRememberedBrowsers, type RememberedBrowser, type RememberedBrowsers } from './service.ts'
import { ownBrowsers } from './store.ts'

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
      // By an administrator, with a ban, or when the account came to another person.
      reactTo(sessionEvents['user.sessions_ended'], async (tx, { subjectId, actorId }, { actor }) => {
        if (actorId !== subjectId) await forgetAll(tx, actor, subjectId)
      }),
    ],
    retentions: [rememberedBrowsers.retention],
    tasks: [periodic('remembered-browsers.sweep', sweepSeconds, rememberedBrowsers.retention.sweep)],
  }
}

/** Browsers in which people are not asked for a second factor for a while. */
export const rememberedBrowsersFeature = defineFeature({
  name: 'remembered-browsers',
  errors: rememberedBrowserErrors.table,
  events: rememberedBrowserEvents,
  build,
})
