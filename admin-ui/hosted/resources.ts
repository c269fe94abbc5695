import { ApiError } from '../../src/http/client.ts'
import type { HostedApi, Interaction, SessionAnswer, Settings } from '../shared/api.ts'
import type { DeviceRequest } from './device/request.ts'
import type { InvitationLink } from './invitation/link.ts'
import type { RecoveryLink, ResetLink, SetupLink, VerificationLink } from './links.ts'
import type { SignOutQuestion } from './sign-out/question.ts'
import type { Mark } from './social/marks.ts'
import type { SecondStep } from './two-factor/pending.ts'

/** The data that pages need. Each resource is requested once. Components read its promise with React's `use`. */
export interface Resources {
  readonly settings: () => Promise<Settings>
  /** The operator's name. Its promise never rejects. */
  readonly siteName: () => Promise<string>
  /** The operator's brand. Undefined if it could not be loaded. */
  readonly brand: () => Promise<Settings['brand'] | undefined>
  /** The logos of the identity providers. */
  readonly marks: () => Promise<Readonly<Record<string, Mark>>>
  readonly session: () => Promise<SessionAnswer | null>
  /**
   * The sign-in of an application that this page belongs to: `none` if the page's address names no interaction, `gone` if the interaction
   * has ended.
   */
  readonly interaction: () => Promise<Interaction | 'none' | 'gone'>
  /** What the setup link in this page's address allows: `none` if the address has no token. */
  readonly setupLink: () => Promise<SetupLink | 'none'>
  /** What the verification link in this page's address verifies: `invalid` if the link is used, expired or unknown. */
  readonly verification: () => Promise<VerificationLink | 'invalid'>
  /** What the password reset link in this page's address is for: `invalid` if it is used, expired or unknown. */
  readonly reset: () => Promise<ResetLink | 'invalid'>
  /** What the link that takes an account back is for. It is in this page's address: `invalid` if it is used, expired or unknown. */
  readonly recovery: () => Promise<RecoveryLink | 'invalid'>
  /** The pending second step of this browser's sign-in: `over` if no sign-in is pending. */
  readonly secondStep: () => Promise<SecondStep | 'over'>
  /** An application's request to sign the person out: `over` if there is nothing to confirm. */
  readonly signOutQuestion: () => Promise<SignOutQuestion | 'over'>
  /** The sign-in request of the device whose user code is in the address: `none` if the address has no code, `unknown` if the code is invalid. */
  readonly deviceRequest: () => Promise<DeviceRequest | 'none' | 'unknown'>
  /** The invitation that this page's address names: `none` if its id is unknown. */
  readonly invitation: () => Promise<InvitationLink | 'none'>
}

export type ResourceName = keyof Resources

const once = <T>(start: () => Promise<T>) => {
  let running: Promise<T> | undefined
  return () => {
    if (running === undefined) {
      running = start()
      // Components that read the promise handle its rejection. This handler only prevents an "unhandled rejection" if no component reads
      // it.
      running.catch(() => undefined)
    }
    return running
  }
}

/** Reads data that the server has written into the page. The development server's pages contain none. */
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
      // The settings wait for the logos of the providers, so that buttons appear together with their logos.
      const [marks] = await Promise.all([
        written<Awaited<ReturnType<Resources['marks']>>>('marks') ?? import('./social/marks.ts').then(({ marks }) => marks),
        import('./social/buttons.tsx'),
      ])
      return marks
    }),
    session: once(async () => {
      const known = written<null>('session')
      // If the browser shows the page from its history, the session data in the page may be older than the last sign-in.
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
