import { fillPlaces, type Values } from '../../core/checks.ts'

/** The fields of an event that are needed for its sentence. */
export interface StoryEvent {
  readonly type: string
  readonly actorKind: string
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly subjectId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The English sentences about events, by code. A code is the type of an event, or begins with it. Translations are part of the console. */
export const eventTexts = {
  'user.created': 'The account was made.',
  'user.deleted': 'The account was deleted.',
  'user.claimed': 'The account was handed over to the person who proved its address; earlier sign-in methods no longer work.',
  'user.username_changed': 'The account has another user name.',
  'user.username_changed-none': 'The account has no user name any more.',
  'user.email_changed': 'The account has another address, which is not verified yet.',
  'user.email_recovered': 'The former address was taken back with the mailed link.',
  'user.activity_reported': 'By the link in a mail somebody said that it was not them: all sessions ended.',
  'user.activity_reported-reset':
    'By the link in a mail somebody said that it was not them: all sessions ended, and the password signs in no more.',
  'user.email_verified': 'The address was verified.',
  'user.password_changed': 'The password was changed.',
  'user.password_reset': 'The password was replaced without the one before.',
  'user.locked-all':
    'After {failures} wrong passwords in a row only a reset lets the password in: from every browser that the account does not know.',
  'user.locked-one':
    'After {failures} wrong passwords in a row only a reset lets the password in: from one network, browser or session.',
  'user.throttled':
    'After {failures} wrong passwords browsers that the account does not know have to wait, where their network has sent some.',
  'user.identity_linked': 'Sign-in with {provider} was added.',
  'user.identity_unlinked': 'Sign-in with {provider} was removed.',
  'user.identity_unlinked-password': 'Sign-in with the password was removed.',
  'totp.enabled': 'An authenticator app was added as a second factor.',
  'totp.replaced': 'The authenticator app was replaced with another one.',
  'totp.shown': 'The secret of the authenticator app was shown again.',
  'totp.disabled': 'The authenticator app was removed.',
  'recovery_codes.generated': 'New recovery codes were made; earlier ones no longer work.',
  'recovery_code.used': 'A recovery code was used; {left} are left.',
  'recovery.requested': 'With the password, all second factors were said to be lost: they can be removed from {readyAt} on.',
  'recovery.cancelled': 'The wait for the removal of the second factors ended without it ({why}).',
  'recovery.completed': 'After the wait, the password and a mailed code, all second factors were removed.',
  'user.passkey_added': 'A passkey was added.',
  'user.passkey_removed': 'A passkey was removed.',
  'user.passkey_refused': 'A passkey was refused: its counter did not go on, so somebody may have a copy of it.',
  'user.banned': 'Banned until the ban is lifted.',
  'user.banned-because': 'Banned until the ban is lifted: {why}.',
  'user.banned-until': 'Banned until {until}.',
  'user.banned-until-because': 'Banned until {until}: {why}.',
  'user.unbanned': 'The ban was lifted.',
  'user.role_changed': 'The role on the instance is {role}.',
  'user.sessions_ended': 'All sessions ended, with the codes and tokens of applications.',
  'user.impersonation_started': 'An administrator began to act as the user.',
  'user.impersonation_ended': 'An administrator stopped acting as the user.',
  'session.started': 'Signed in with {how}.',
  'session.started-on': 'Signed in with {how} on {device}.',
  'session.started-remembered': 'Signed in with {how}, in a browser that is remembered.',
  'session.started-on-remembered': 'Signed in with {how} on {device}, in a browser that is remembered.',
  'second_factor.enabled': 'A password alone signs in no more: a second factor is asked for.',
  'second_factor.disabled': 'One factor signs in again.',
  'second_factor.removed': 'All second factors were removed.',
  'second_factor.required': 'A second factor is required from {dueAt} on.',
  'second_factor.requirement_lifted': 'A second factor is no longer required of this person.',
  'second_factor.browser_remembered': 'A browser is not asked for a second factor until {until}.',
  'second_factor.browser_remembered-on': 'A browser ({device}) is not asked for a second factor until {until}.',
  'second_factor.browser_forgotten': 'A remembered browser is asked for a second factor again.',
  'second_factor.browsers_forgotten': 'All remembered browsers are asked for a second factor again.',
  'session.ended': 'A session ended: signed out, or ended in the list of devices.',
  'consent.given': 'Agreed to {scopes} for the application {clientId}.',
  'consent.withdrawn': 'Denied {scopes} to the application {clientId}.',
  'consent.ended': 'The access of the application {clientId} was ended.',
  'grant.revoked': 'The application {clientId} revoked the tokens of a sign-in.',
  'grant.revoked-reused':
    'A code or refresh token of the application {clientId} was used twice: all tokens of that sign-in ended.',
  'token.exchanged': 'The application {clientId} began to act for the user at {audience}.',
  'token.exchanged-impersonation': 'An administrator began to act as the user at {audience}, with the application {clientId}.',
  'client.created': 'The application {clientId} was registered.',
  'client.updated': 'The application {clientId} was changed ({fields}).',
  'client.disabled': 'The application {clientId} was disabled.',
  'client.enabled': 'The application {clientId} was enabled.',
  'client.deleted': 'The application {clientId} was deleted.',
  'client.secret_rotated': 'The application {clientId} got a new secret.',
  'client.secret_revoked': 'A secret of the application {clientId} was taken back.',
} as const

type EventCode = keyof typeof eventTexts

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const list = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : '')

/** Names the actor of an event. Returns an empty text if the actor is the user. */
const by = ({ actorKind, actorId, subjectId }: StoryEvent): string => {
  if (actorId === subjectId) return ''
  if (actorKind === 'system') return ', by a command or the server'
  if (actorKind === 'anonymous') return ''
  return actorId === null ? `, by a ${actorKind}` : `, by the ${actorKind} ${actorId}`
}

/** The types of events whose sentence names the actor if the actor is not the user. */
const namesActor: ReadonlySet<string> = new Set([
  ...['user.created', 'user.deleted', 'user.email_verified', 'user.password_reset', 'totp.disabled', 'recovery.cancelled'],
  ...['user.passkey_removed', 'user.banned', 'user.unbanned', 'user.role_changed', 'user.sessions_ended'],
  ...['user.impersonation_started', 'user.impersonation_ended', 'second_factor.enabled', 'second_factor.disabled'],
  ...['second_factor.removed', 'second_factor.required', 'second_factor.requirement_lifted'],
  ...['second_factor.browser_forgotten', 'second_factor.browsers_forgotten', 'consent.ended'],
  ...['client.created', 'client.updated', 'client.disabled', 'client.enabled', 'client.deleted'],
  ...['client.secret_rotated', 'client.secret_revoked'],
])

const ways: Readonly<Record<string, string>> = { pwd: 'a password', hwk: 'a passkey', swk: 'a passkey' }

/** Values of `amr` that stand for no sign-in method. */
const besides: ReadonlySet<string> = new Set(['user', 'mfa'])

/** The sign-in methods of an event: as English words, and as codes that the console translates. */
const waysOf = ({ provider, amr }: StoryEvent['data']) => {
  const codes = Array.isArray(amr) ? amr.map(String).filter((value) => !besides.has(value)) : []
  const used = [text(provider) ?? [], codes].flat()
  const named = [...new Set(used.map((code) => ways[code] ?? code))]
  return { ways: used.join(', '), how: named.length === 0 ? 'a provider or a mailed link' : named.join(' and ') }
}

interface Said {
  readonly code: EventCode
  readonly values: Values
}
const said = (code: EventCode, values: Values = {}): Said => ({ code, values })

/** Types of events whose sentence depends on the data of the event. Every other type has a single sentence. */
const byData: Readonly<Record<string, (data: StoryEvent['data']) => Said>> = {
  'user.username_changed': ({ to }) => said(to === null ? 'user.username_changed-none' : 'user.username_changed'),
  'user.activity_reported': ({ isResetMailed }) =>
    said(isResetMailed === true ? 'user.activity_reported-reset' : 'user.activity_reported'),
  'user.locked': ({ failures, scope }) =>
    said(scope === 'all' ? 'user.locked-all' : 'user.locked-one', { failures: Number(failures) }),
  'user.throttled': ({ failures }) => said('user.throttled', { failures: Number(failures) }),
  'user.identity_linked': ({ provider }) => said('user.identity_linked', { provider: text(provider) ?? 'a provider' }),
  'user.identity_unlinked': ({ provider }) =>
    provider === 'credential'
      ? said('user.identity_unlinked-password')
      : said('user.identity_unlinked', { provider: text(provider) ?? 'a provider' }),
  'recovery_code.used': ({ left }) => said('recovery_code.used', { left: Number(left) }),
  'recovery.requested': ({ readyAt }) => said('recovery.requested', { readyAt: String(text(readyAt)) }),
  'recovery.cancelled': ({ reason }) => said('recovery.cancelled', { why: String(text(reason)) }),
  'user.banned': ({ expiresAt, reason }) => {
    const [until, why] = [text(expiresAt), text(reason)]
    const values = { ...(until === undefined ? {} : { until }), ...(why === undefined ? {} : { why }) }
    return said(`user.banned${until === undefined ? '' : '-until'}${why === undefined ? '' : '-because'}`, values)
  },
  'user.role_changed': ({ to }) => said('user.role_changed', { role: text(to) ?? 'another one' }),
  'session.started': (data) => {
    const device = text(data['device'])
    const values = { ...waysOf(data), ...(device === undefined ? {} : { device }) }
    const on = device === undefined ? '' : '-on'
    return said(`session.started${on}${data['isRemembered'] === true ? '-remembered' : ''}`, values)
  },
  'second_factor.required': ({ dueAt }) => said('second_factor.required', { dueAt: String(dueAt) }),
  'second_factor.browser_remembered': ({ device, until }) => {
    const name = text(device)
    const values = { until: String(text(until)) }
    return name === undefined
      ? said('second_factor.browser_remembered', values)
      : said('second_factor.browser_remembered-on', { ...values, device: name })
  },
  'token.exchanged': ({ clientId, audience, through }) =>
    said(text(through) === undefined ? 'token.exchanged-impersonation' : 'token.exchanged', {
      clientId: String(text(clientId)),
      audience: String(text(audience)),
    }),
  'grant.revoked': ({ clientId, isReused }) =>
    said(isReused === true ? 'grant.revoked-reused' : 'grant.revoked', { clientId: String(text(clientId)) }),
}

const isCode = (code: string): code is EventCode => Object.hasOwn(eventTexts, code)

const saidBy = ({ type, subjectId, data }: StoryEvent): Said | undefined => {
  const known = byData[type]
  if (known !== undefined) return known(data)
  if (!isCode(type)) return undefined
  const clientId = type.startsWith('client.') ? subjectId : String(text(data['clientId']))
  return said(
    type,
    /^(client|consent)\./.test(type) ? { clientId, scopes: list(data['scopes']), fields: list(data['fields']) } : {},
  )
}

/**
 * Describes an event that changes a person's access: `text` is the English sentence, and the code and values identify the same sentence.
 * For some event types the sentence names the actor. Undefined for events without a sentence.
 */
export const sentenceOf = (event: StoryEvent): ({ readonly text: string } & Said) | undefined => {
  const found = saidBy(event)
  if (found === undefined) return undefined
  const sentence = fillPlaces(eventTexts[found.code], found.values)
  return { ...found, text: namesActor.has(event.type) ? `${sentence.slice(0, -1)}${by(event)}.` : sentence }
}

/** The client id of the application that an event concerns; null if it concerns none. */
export const clientIdOf = ({ type, subjectId, data }: StoryEvent): string | null =>
  type.startsWith('client.') ? subjectId : (text(data['clientId']) ?? null)
