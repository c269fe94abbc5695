import { useQuery } from '@tanstack/react-query'
import type { InstancePermission } from '../../../src/access/permissions.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { mailContract } from '../../../src/mail/contract.ts'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { settingsContract } from '../../../src/settings/contract.ts'
import type { Access, ConsoleApi } from '../api.ts'
import { useConsole } from '../api.ts'

/** One of the steps to the first sign-in. */
export interface Step {
  readonly id: 'brand' | 'application' | 'mail' | 'colleague'
  readonly isDone: boolean
  /** The screen where it is done. */
  readonly path: string
}

interface StepKind extends Pick<Step, 'id' | 'path'> {
  /** Without them nobody can be told whether it is done. */
  readonly permissions: readonly InstancePermission[]
  readonly find: (api: ConsoleApi, access: Access) => Promise<boolean>
}

/** Somebody else has a role that gives something. Each question reads two rows at most. */
const hasColleague: StepKind['find'] = async (api, { roles, user }) => {
  const answers = await Promise.all(
    roles.map(({ name }) => api.call(userAdministrationContract, 'adminListUsers', { query: { role: name, limit: 2 } })),
  )
  return answers.some(({ users }) => users.some(({ id }) => id !== user.id))
}

/** A mail server is set, and has taken a mail. Without one mails are files, which count as sent and reach nobody. */
const hasMailGoneOut: StepKind['find'] = async (api) => {
  const { settings } = await api.call(settingsContract, 'listSettings', { query: { search: 'smtpUrl' } })
  if (!settings.some(({ key, isSet }) => key === 'smtpUrl' && isSet)) return false
  return (await api.call(mailContract, 'listMails', { query: { state: 'sent', limit: 1 } })).mails.length > 0
}

const kinds: readonly StepKind[] = [
  {
    id: 'brand',
    path: '/admin/brand',
    permissions: [],
    find: async (api) => (await api.hosted.health.settings()).brand.isNamed,
  },
  {
    id: 'application',
    path: '/admin/clients',
    permissions: ['clients:read'],
    find: async (api) => (await api.call(applicationContract, 'listApplications', { query: { limit: 1 } })).clients.length > 0,
  },
  {
    id: 'mail',
    path: '/admin/mails',
    permissions: ['mails:read', 'settings:read'],
    find: hasMailGoneOut,
  },
  { id: 'colleague', path: '/admin/users', permissions: ['users:read'], find: hasColleague },
]

/** The steps with what the data says of each, for people who may change the installation; undefined until it is known. */
export const useSteps = (): readonly Step[] | undefined => {
  const { api, access } = useConsole()
  const isAllowed = kinds.every(({ permissions }) => permissions.every((one) => access.permissions.includes(one)))
  const { data } = useQuery({
    queryKey: ['first steps'],
    queryFn: () =>
      Promise.all(kinds.map(async ({ id, path, find }): Promise<Step> => ({ id, path, isDone: await find(api, access) }))),
    enabled: isAllowed,
  })
  return data
}
