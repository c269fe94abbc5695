/** An event as far as a story needs it. */
export interface StoryEvent {
  readonly type: string
  readonly actorKind: string
  readonly actorId: string | null
  readonly impersonatorId: string | null
  readonly subjectId: string
  readonly data: Readonly<Record<string, unknown>>
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const list = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : '')

/** The actor of an event, unless the actor is the user themselves. */
const by = ({ actorKind, actorId, subjectId }: StoryEvent): string => {
  if (actorId === subjectId) return ''
  if (actorKind === 'system') return ', by a command or the server'
  if (actorKind === 'anonymous') return ''
  return actorId === null ? `, by a ${actorKind}` : `, by the ${actorKind} ${actorId}`
}

const methods: Readonly<Record<string, string>> = { pwd: 'a password', hwk: 'a passkey', swk: 'a passkey' }

/** Values beside those of the methods. */
const besides: ReadonlySet<string> = new Set(['user', 'mfa'])

/** What happened to somebody's access, for the events that a story of a sign-in has; others are left out. */
const sentences: Readonly<Record<string, (event: StoryEvent) => string>> = {
  'user.created': (event) => `The account was made${by(event)}.`,
  'user.deleted': (event) => `The account was deleted${by(event)}.`,
  'user.claimed': () => 'The account came to who proved its address; whatever signed in before does no more.',
  'user.username_changed': ({ data }) =>
    data['to'] === null ? 'The account has no user name any more.' : 'The account has another user name.',
  'user.email_changed': () => 'The account has another address, which is not verified yet.',
  'user.email_recovered': () => 'The former address was taken back with the mailed link.',
  'user.activity_reported': ({ data }) =>
    `By the link in a mail somebody said that it was not them: all sessions ended${data['isResetMailed'] === true ? ', and the password signs in no more' : ''}.`,
  'user.email_verified': (event) => `The address was verified${by(event)}.`,
  'user.password_changed': () => 'The password was changed.',
  'user.password_reset': (event) => `The password was replaced without the one before${by(event)}.`,
  'user.locked': ({ data }) =>
    `After ${data['failures']} wrong passwords in a row only a reset lets the password in: ${data['scope'] === 'all' ? 'from every browser that the account does not know' : 'from one network, browser or session'}.`,
  'user.throttled': ({ data }) =>
    `After ${data['failures']} wrong passwords browsers that the account does not know have to wait, where their network has sent some.`,
  'user.identity_linked': ({ data }) => `Sign-in with ${text(data['provider']) ?? 'a provider'} was added.`,
  'user.identity_unlinked': ({ data }) => {
    const provider = text(data['provider'])
    return `Sign-in with ${provider === 'credential' ? 'the password' : (provider ?? 'a provider')} was removed.`
  },
  'totp.enabled': () => 'An authenticator app was added as a second factor.',
  'totp.replaced': () => 'The authenticator app was replaced with another one.',
  'totp.shown': () => 'The secret of the authenticator app was shown again.',
  'totp.disabled': (event) => `The authenticator app was removed${by(event)}.`,
  'recovery_codes.generated': () => 'New recovery codes were made; those before count no more.',
  'recovery_code.used': ({ data }) => `A recovery code was used; ${Number(data['left'])} are left.`,
  'recovery.requested': ({ data }) =>
    `With the password, all second factors were said to be lost: they can be removed from ${text(data['readyAt'])} on.`,
  'recovery.cancelled': (event) =>
    `The wait for the removal of the second factors ended without it (${text(event.data['reason'])})${by(event)}.`,
  'recovery.completed': () => 'After the wait, the password and a mailed code, all second factors were removed.',
  'user.passkey_added': () => 'A passkey was added.',
  'user.passkey_removed': (event) => `A passkey was removed${by(event)}.`,
  'user.passkey_refused': () => 'A passkey was refused: its counter did not go on, so somebody may have a copy of it.',
  'user.banned': (event) => {
    const until = text(event.data['expiresAt'])
    const reason = text(event.data['reason'])
    return `Banned ${until === undefined ? 'until the ban is lifted' : `until ${until}`}${reason === undefined ? '' : `: ${reason}`}${by(event)}.`
  },
  'user.unbanned': (event) => `The ban was lifted${by(event)}.`,
  'user.role_changed': (event) => `The role on the instance is ${text(event.data['to']) ?? 'another one'}${by(event)}.`,
  'user.sessions_ended': (event) => `All sessions ended, and what applications held${by(event)}.`,
  'user.impersonation_started': (event) => `An administrator began to act as the user${by(event)}.`,
  'user.impersonation_ended': (event) => `An administrator stopped acting as the user${by(event)}.`,
  'session.started': ({ data }) => {
    const amr = Array.isArray(data['amr'])
      ? [...new Set(data['amr'].map((value) => methods[String(value)] ?? String(value)))].filter((value) => !besides.has(value))
      : []
    const ways = [text(data['provider']) ?? [], amr].flat()
    const how = ways.length === 0 ? 'a provider or a mailed link' : ways.join(' and ')
    const device = text(data['device'])
    const remembered = data['isRemembered'] === true ? ', in a browser that is remembered' : ''
    return `Signed in with ${how}${device === undefined ? '' : ` on ${device}`}${remembered}.`
  },
  'second_factor.enabled': (event) => `A password alone signs in no more: a second factor is asked for${by(event)}.`,
  'second_factor.disabled': (event) => `One factor signs in again${by(event)}.`,
  'second_factor.removed': (event) => `All second factors were removed${by(event)}.`,
  'second_factor.required': (event) => `A second factor is required from ${String(event.data['dueAt'])} on${by(event)}.`,
  'second_factor.requirement_lifted': (event) => `A second factor is no longer required of this person${by(event)}.`,
  'second_factor.browser_remembered': ({ data }) =>
    `A browser${text(data['device']) === undefined ? '' : ` (${text(data['device'])})`} is not asked for a second factor until ${text(data['until'])}.`,
  'second_factor.browser_forgotten': (event) => `A remembered browser is asked for a second factor again${by(event)}.`,
  'second_factor.browsers_forgotten': (event) => `All remembered browsers are asked for a second factor again${by(event)}.`,
  'session.ended': () => 'A session ended: signed out, or ended in the list of devices.',
  'consent.given': ({ data }) => `Agreed to ${list(data['scopes'])} for the application ${text(data['clientId'])}.`,
  'consent.withdrawn': ({ data }) => `Denied ${list(data['scopes'])} to the application ${text(data['clientId'])}.`,
  'consent.ended': (event) => `The access of the application ${text(event.data['clientId'])} was ended${by(event)}.`,
  'grant.revoked': ({ data }) =>
    data['isReused'] === true
      ? `A code or refresh token of the application ${text(data['clientId'])} was used twice: all tokens of that sign-in ended.`
      : `The application ${text(data['clientId'])} revoked the tokens of a sign-in.`,
  'client.created': (event) => `The application ${event.subjectId} was registered${by(event)}.`,
  'client.updated': (event) => `The application ${event.subjectId} was changed (${list(event.data['fields'])})${by(event)}.`,
  'client.disabled': (event) => `The application ${event.subjectId} was disabled${by(event)}.`,
  'client.enabled': (event) => `The application ${event.subjectId} was enabled${by(event)}.`,
  'client.deleted': (event) => `The application ${event.subjectId} was deleted${by(event)}.`,
  'client.secret_rotated': (event) => `The application ${event.subjectId} got a new secret${by(event)}.`,
  'client.secret_revoked': (event) => `A secret of the application ${event.subjectId} was taken back${by(event)}.`,
}

/** One sentence about the event; undefined for one that has nothing to do with access. */
export const sentenceOf = (event: StoryEvent): string | undefined => sentences[event.type]?.(event)

/** The application that an event is about. */
export const clientIdOf = ({ type, subjectId, data }: StoryEvent): string | null =>
  type.startsWith('client.') ? subjectId : (text(data['clientId']) ?? null)
