import { type Base, type Built, defineFeature } from '../../feature.ts'
import type { Users } from '../../identity/users/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { Sessions } from '../sessions/index.ts'
import type { AccountMails, Notices } from '../verification/index.ts'
import { createSignInMethodNotices } from './service.ts'

interface Needs {
  readonly users: Users
  readonly sessions: Sessions
  readonly mail: Mail
  readonly accountMails: AccountMails
  readonly notices: Notices
}

/** Mails notices to users about changes of their sign-in methods. This feature uses events of many other features, and is built after them. */
export const signInMethodNoticesFeature = defineFeature({
  name: 'sign-in-method-notices',
  build: (_base: Base, _config: object, needs: Needs) =>
    ({ api: {}, reactions: createSignInMethodNotices(needs) }) satisfies Built,
})
