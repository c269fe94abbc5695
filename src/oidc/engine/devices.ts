import type { AdapterPayload, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { sha256 } from '../../core/crypto.ts'
import { type Actor, asUser } from '../../core/events/record.ts'
import type { ArtifactRow } from '../artifacts/store.ts'
import { type DeviceChange, type DeviceCodes, devicePage, pollSeconds, userCodeForm } from '../device/codes.ts'
import { deviceProblems } from '../device/library.ts'
import { codeDescriptions, currentContext } from './library.ts'
import type { ProviderRequest, ProviderRequests } from './requests.ts'
import { errorPageOf, sendError } from './responses.ts'

/**
 * A device code that a person has found is named by its id, because the code itself is not stored. This prefix marks such a name. No
 * device code starts with it.
 */
export const foundDevice = '#'
/**
 * Returns the id in a name with the prefix `foundDevice`; undefined for a device code itself. The token endpoint must not accept a name
 * in place of a code.
 */
export const nameOf = (kind: string, value: string): string | undefined =>
  kind === 'DeviceCode' && value.startsWith(foundDevice) && currentContext()?.oidc.route !== 'token'
    ? value.slice(foundDevice.length)
    : undefined

/** The change of a device code that the library wants to store: a new code, or a decision about a code. */
export const deviceChange = (
  value: string,
  { userCode, ...payload }: AdapterPayload,
  row: ArtifactRow,
  now: Date,
): DeviceChange | undefined => {
  const { payload: stored, id, accountId, sessionId, grantId } = row
  const { userCode: _, inFlight: __, ...kept } = stored as Record<string, unknown>
  if (!value.startsWith(foundDevice))
    return { kind: 'made', artifact: { ...row, payload: kept, sessionId: null }, userCode: String(userCode) }
  const isApproved = payload.accountId !== undefined
  // The library would also store that a person looks at the code. This is left out, because another person may look at it too, and the
  // first decision counts.
  if (!isApproved && payload['error'] === undefined) return undefined
  const clientId = payload.clientId ?? ''
  if (!isApproved) return { kind: 'decided', id, isApproved, clientId, decision: { payload: kept } }
  const decided = { ...kept, grantedAt: Math.floor(now.getTime() / 1000) }
  return { kind: 'decided', id, isApproved, clientId, decision: { payload: decided, accountId, sessionId, grantId } }
}

/** The settings of the library's device flow. Its pages are pages of this server. */
export const deviceFlow = (requests: ProviderRequests): NonNullable<NonNullable<Configuration['features']>['deviceFlow']> => ({
  enabled: true,
  ...userCodeForm,
  deviceInfo: ({ req }) => {
    const { address, userAgent } = requests.of(req).source
    return { address, userAgent: userAgent.slice(0, 500) }
  },
  userCodeInputSource: async (ctx, _form, out, error) => {
    const problem = deviceProblems[error?.name ?? '']
    ctx.status = 303
    if (problem !== undefined) ctx.redirect(devicePage({ problem }))
    // Every other error denies the request of the device and leads to the error page of sign-ins.
    else if (out !== undefined)
      ctx.redirect(errorPageOf(ctx, out.error, out.error_description ?? codeDescriptions[out.error] ?? ''))
  },
  userCodeConfirmSource: async () => {
    throw new Error('a device was not confirmed on the page')
  },
  successSource: async (ctx) => {
    ctx.status = 303
    ctx.redirect(devicePage({ done: ctx.oidc.client?.clientId ?? '' }))
  },
})

/** The names of the library's events that report errors in the device flow. */
export const deviceEvents = ['device_authorization.error', 'code_verification.error', 'device_resume.error']

/** The person who decides about a device. In a request of the device itself, the application. */
export const actorOf = ({ source, signedIn }: ProviderRequest, application: Actor): Actor =>
  signedIn === undefined ? application : asUser(source, signedIn.user.id, signedIn.session.id)

/**
 * Completes the library's answers to a device: adds the URL of the page for user codes and the interval for polls, and answers
 * `slow_down` to a device that polls too often.
 */
export const answerDevice = async (
  { deviceCodes, issuer }: { readonly deviceCodes: DeviceCodes; readonly issuer: string },
  ctx: KoaContextWithOIDC,
): Promise<void> => {
  const body = ctx.body as Record<string, unknown> | undefined
  if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) {
    const complete = issuer + devicePage({ user_code: String(body?.['user_code']) })
    Object.assign(body ?? {}, {
      verification_uri: issuer + devicePage({}),
      verification_uri_complete: complete,
      interval: pollSeconds,
    })
  }
  if (ctx.oidc?.route !== 'token' || body?.['error'] !== 'authorization_pending') return
  if (await deviceCodes.notePoll(sha256(String(ctx.oidc.params?.['device_code'])))) return
  sendError(ctx, 400, 'slow_down', `ask every ${pollSeconds} seconds at most`)
}
