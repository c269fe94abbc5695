import type { Key } from '../../shared/i18n.ts'

type Label = Extract<Key, `console.remedy.${string}`>

/** The screen on which a person can do what a command does. */
export interface CommandPlace {
  /** Path of the screen in the navigation. */
  readonly screen: string
  /** The address to open: the screen, a row, or a filtered list. */
  readonly to: string
  readonly label: Label
}

interface Words {
  /** The command's first positional argument. */
  readonly subject: string | undefined
  option(name: string): string | undefined
}

type Find = (words: Words) => CommandPlace | undefined

const list =
  (screen: string, label: Label, ...filters: readonly (readonly [query: string, option: string])[]): Find =>
  ({ option }) => {
    const query = new URLSearchParams(
      filters.flatMap(([name, from]) => {
        const value = option(from)
        return value === undefined ? [] : [[name, value]]
      }),
    )
    return { screen, to: query.size === 0 ? screen : `${screen}?${query}`, label }
  }

/**
 * The address for commands about a user. Commands name a user by id, email address or user name. An id leads to the user's screen. Any
 * other value leads to the list of users, which is searched for it.
 */
const user: Find = ({ option }) => {
  const named = option('user')
  if (named === undefined) return undefined
  const screen = '/admin/users'
  const to = /^[\w-]{20,}$/.test(named) ? `${screen}/${named}` : `${screen}?${new URLSearchParams({ search: named })}`
  return { screen, to, label: 'console.remedy.user' }
}

const application: Find = ({ subject }) =>
  subject === undefined
    ? undefined
    : { screen: '/admin/clients', to: `/admin/clients/${encodeURIComponent(subject)}`, label: 'console.remedy.application' }

/** Commands that appear in remedies (`src/core/remedies.ts`), each with the screen that has the same purpose. */
const places: Readonly<Record<string, Find>> = {
  backup: list('/admin/backups', 'console.remedy.backup'),
  'check-config': list('/admin/settings', 'console.remedy.settings'),
  'create-recovery-link': user,
  'enable-client': application,
  'end-sessions': user,
  'explain-sign-in': list('/admin/sign-ins/explanation', 'console.remedy.explain', ['address', 'address']),
  'get-client': application,
  'get-user': user,
  'list-clients': list('/admin/clients', 'console.remedy.applications'),
  'list-deliveries': list('/admin/billing/deliveries', 'console.remedy.deliveries', ['verdict', 'verdict']),
  'list-factors': user,
  'list-invitations': list('/admin/invitations', 'console.remedy.invitations'),
  'list-mails': list('/admin/mails', 'console.remedy.mails', ['state', 'state']),
  'list-tasks': list('/admin/tasks', 'console.remedy.tasks', ['status', 'status'], ['kind', 'kind']),
  'list-users': list('/admin/users', 'console.remedy.users', ['role', 'role'], ['secondFactor', 'second-factor']),
  'require-factor': user,
  'rotate-client-secret': application,
  'rotate-jwks': list('/admin/signing-keys', 'console.remedy.signingKeys'),
  'set-password': user,
  'unban-user': user,
  'update-client': application,
  'verify-audit': list('/admin/event-chain', 'console.remedy.eventChain'),
}

/** Splits a command line written by `src/core/terminal.ts` into its words, which are either plain or in single quotes. */
const split = (line: string): readonly string[] =>
  [...line.matchAll(/(?:\\'|[^\s'\\]|'[^']*')+/g)].map(([word]) =>
    word.replaceAll("'\\''", '\u0000').replaceAll("'", '').replaceAll('\u0000', "'"),
  )

/** The screen for the first command that a text mentions. Undefined if it mentions no known command. */
export const placeOfCommand = (text: string): CommandPlace | undefined => {
  const [program, name = '', ...rest] = split(text.split(' && ')[0] ?? '')
  const find = program === 'gatehouse' && Object.hasOwn(places, name) ? places[name] : undefined
  return find?.({
    subject: rest.find((word, index) => !word.startsWith('--') && rest[index - 1]?.startsWith('--') !== true),
    option: (option) => {
      const at = rest.indexOf(`--${option}`)
      return at === -1 ? undefined : rest[at + 1]
    },
  })
}
