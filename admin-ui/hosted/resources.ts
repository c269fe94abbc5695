import { ApiError } from '../../src/http/client.ts'
import type { HostedApi, Interaction, SessionAnswer, Settings } from '../shared/api.ts'
import type { DeviceRequest } from './device/request.ts'
import type { InvitationLink } from './invitation/link.ts'
import type { RecoveryLink, ResetLink, SetupLink, VerificationLink } from './links.ts'
import type { SignOutQuestion } from './sign-out/question.ts'
import type { Mark } from './social/marks.ts'
import type { SecondStep } from './two-factor/pending.ts'

/** Data of a page. Each resource is requested once, and components read its promise with `use`. */
export interface Resources {
  readonly settings: () => Promise<Settings>
  /** The operator's name. Its promise never rejects. */
  readonly siteName: () => Promise<string>
  /** The operator's brand. Undefined if it did not load. */
  readonly brand: () => Promise<Settings['brand'] | undefined>
  /** The marks of the sign-in providers. */
  readonly marks: () => Promise<Readonly<Record<string, Mark>>>
  readonly session: () => Promise<SessionAnswer | null>
  /** The interaction of an application's sign-in: `none` if the address has none, `gone` if it has ended. */
  readonly interaction: () => Promise<Interaction | 'none' | 'gone'>
  /** The setup link in this page's address: `none` without a token. */
  readonly setupLink: () => Promise<SetupLink | 'none'>
  /** The verification link in this page's address: `invalid` if it is used, expired or unknown. */
  readonly verification: () => Promise<VerificationLink | 'invalid'>
  /** The link in this page's address that sets a new password. */
  readonly reset: () => Promise<ResetLink | 'invalid'>
  /** The link in this page's address that takes an account back. */
  readonly recovery: () => Promise<RecoveryLink | 'invalid'>
  /** The second step of this browser's sign-in: `over` if nothing is pending. */
  readonly secondStep: () => Promise<SecondStep | 'over'>
  /** An application's request to sign the person out: `over` if there is nothing to ask. */
  readonly signOutQuestion: () => Promise<SignOutQuestion | 'over'>
  /** The request of the device whose code is in the address: `none` without a code, `unknown` for an invalid code. */
  readonly deviceRequest: () => Promise<DeviceRequest | 'none' | 'unknown'>
  /** The invitation in this page's address: `none` for an unknown id. */
  readonly invitation: () => Promise<InvitationLink | 'none'>
}

export type ResourceName = keyof Resources

const once = <T>(start: () => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    if (running === undefined) {
      running = start()
      // Components that read the promise handle its rejection. If none reads it, the rejection must not be reported as unhandled.
      running.catch(() => undefined)
    }
    return running
  }
}

/** Data that the server writes into the page. The page of the development server has none. */
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
      // The settings wait for the marks, so that buttons of providers appear together with their marks.
      const [marks] = await Promise.all([
        written<Awaited<ReturnType<Resources['marks']>>>('marks') ?? import('./social/marks.ts').then(({ marks }) => marks),
        import('./social/buttons.tsx'),
      ])
      return marks
    }),
    session: once(async () => {
      const known = written<null>('session')
      // A page that the browser takes from its history may be older than the sign-in.
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
