import { ApiError } from '../../src/http/client.ts'
import type { HostedApi, Interaction, SessionAnswer, Settings } from '../shared/api.ts'
import type { DeviceRequest } from './device/request.ts'
import type { InvitationLink } from './invitation/link.ts'
import type { RecoveryLink, ResetLink, SetupLink, VerificationLink } from './links.ts'
import type { SignOutQuestion } from './sign-out/question.ts'
import type { Mark } from './social/marks.ts'
import type { SecondStep } from './two-factor/pending.ts'

/** Data of pages, requested once for each load; components read the promises with `use`. */
export interface Resources {
  readonly settings: () => Promise<Settings>
  /** The operator's name; never fails. */
  readonly siteName: () => Promise<string>
  /** The operator's brand; undefined if it did not load. */
  readonly brand: () => Promise<Settings['brand'] | undefined>
  /** The marks of the sign-in providers. */
  readonly marks: () => Promise<Readonly<Record<string, Mark>>>
  readonly session: () => Promise<SessionAnswer | null>
  /** The application's sign-in: `none` without one in the address, `gone` for an ended one. */
  readonly interaction: () => Promise<Interaction | 'none' | 'gone'>
  /** The setup link of this page: `none` without a token. */
  readonly setupLink: () => Promise<SetupLink | 'none'>
  /** The verification link of this page: `invalid` if it is not valid (any more). */
  readonly verification: () => Promise<VerificationLink | 'invalid'>
  /** The link that sets a new password. */
  readonly reset: () => Promise<ResetLink | 'invalid'>
  /** The link that takes an account back. */
  readonly recovery: () => Promise<RecoveryLink | 'invalid'>
  /** The pending sign-in: `over` without one. */
  readonly secondStep: () => Promise<SecondStep | 'over'>
  /** An application's request to sign out: `over` without a question. */
  readonly signOutQuestion: () => Promise<SignOutQuestion | 'over'>
  /** The device with the code in the address: `none` without a code, `unknown` for an invalid one. */
  readonly deviceRequest: () => Promise<DeviceRequest | 'none' | 'unknown'>
  /** The invitation of this page: `none` for an unknown id. */
  readonly invitation: () => Promise<InvitationLink | 'none'>
}

export type ResourceName = keyof Resources

const once = <T>(start: () => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    if (running === undefined) {
      running = start()
      // Components that read the promise handle its failure; without readers it must not be an unhandled rejection.
      running.catch(() => undefined)
    }
    return running
  }
}

/** A block of data that the server wrote into the page with its first byte. The page in development has none. */
const written = <T>(id: 'settings' | 'marks' | 'session'): T | undefined => {
  const text = document.getElementById(id)?.textContent
  return text ? JSON.parse(text) : undefined
}

export const createResources = (api: HostedApi, path: string, query: URLSearchParams): Resources => {
  const uid = query.get('interaction')
  const settings = once(async () => written<Settings>('settings') ?? (await api.health.settings()))
  return {
    settings,
    siteName: once(() =>
      settings().then(
        ({ name }) => name,
        () => 'gatehouse',
      ),
    ),
    brand: once(() =>
      settings().then(
        ({ brand }) => brand,
        () => undefined,
      ),
    ),
    marks: once(async () => {
      const { socialProviders } = await settings()
      if (socialProviders.length === 0) return {}
      // The buttons wait for the marks, so that both appear together.
      const [marks] = await Promise.all([
        written<Awaited<ReturnType<Resources['marks']>>>('marks') ?? import('./social/marks.ts').then(({ marks }) => marks),
        import('./social/buttons.tsx'),
      ])
      return marks
    }),
    session: once(async () => {
      const known = written<null>('session')
      // A page from the browser's history: a person may have signed in since.
      const isOld = performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'back_forward')
      return known === undefined || isOld ? api.sessions.getSession() : known
    }),
    interaction: once(async () => {
      if (uid === null || uid === '') return 'none'
      try {
        return await api.oidc.interaction({ params: { uid } })
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return 'gone'
        throw error
      }
    }),
    setupLink: once(async () => (await import('./links.ts')).loadSetupLink(api, query)),
    verification: once(async () => (await import('./links.ts')).loadVerification(api, query)),
    reset: once(async () => (await import('./links.ts')).loadReset(api, query)),
    recovery: once(async () => (await import('./links.ts')).loadRecovery(api, query)),
    secondStep: once(async () => (await import('./two-factor/pending.ts')).loadSecondStep(api, query)),
    signOutQuestion: once(async () => (await import('./sign-out/question.ts')).loadSignOutQuestion(api, query)),
    deviceRequest: once(async () => (await import('./device/request.ts')).loadDeviceRequest(api, query)),
    invitation: once(async () => (await import('./invitation/link.ts')).loadInvitation(api, path, query)),
  }
}
