import { factorAdministrationContract } from '../../../src/authentication/factor-administration/contract.ts'
import { sessionAdministrationContract } from '../../../src/authentication/sessions/administration/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import type { BulkAction } from '../shared/bulk.tsx'
import { BulkBar } from '../shared/bulk.tsx'
import type { BulkProps } from '../shared/table-bar.tsx'
import { banDurations, commandTimes } from './ban-dialog.tsx'
import type { AdministeredUser } from './users.tsx'

/** The actions on the selected users of the list. */
export const UserBulk = (bulk: BulkProps<AdministeredUser>) => {
  const { t } = useI18n()
  const { access } = useConsole()
  const self = ({ id }: AdministeredUser) => (id === access.user.id ? t('people.yourself') : undefined)
  const actions: readonly BulkAction<AdministeredUser>[] = [
    {
      label: t('people.ban'),
      icon: 'ban',
      permission: 'users:ban',
      endpoint: administrationContract.banUser,
      input: ({ id }, { choice, reason }) => ({
        body: {
          userId: id,
          ...(choice === '0' ? {} : { banExpiresIn: Number(choice) }),
          ...(reason === '' ? {} : { banReason: reason }),
        },
      }),
      command: ({ email }, { choice }) => {
        const time = commandTimes[choice]
        return ['ban-user', '--user', email, ...(time === undefined ? [] : ['--for', time])]
      },
      blocked: (user) => self(user) ?? (user.banned ? t('lists.alreadyBanned') : undefined),
      consequences: [t('lists.sessionsAll'), t('lists.tokensEnd'), t('lists.banQuiet')],
      isDangerous: true,
      reason: 'required',
      choice: {
        label: t('people.banFor'),
        options: banDurations.map(([value, name]) => [value, t(`people.banFor.${name}`)] as const),
      },
    },
    {
      label: t('people.unban'),
      icon: 'check',
      permission: 'users:ban',
      endpoint: administrationContract.unbanUser,
      input: ({ id }) => ({ body: { userId: id } }),
      command: ({ email }) => ['unban-user', '--user', email],
      blocked: ({ banned }) => (banned ? undefined : t('lists.notBanned')),
      consequences: [t('lists.unban')],
    },
    {
      label: t('people.endSessions'),
      icon: 'signOut',
      permission: 'user-sessions:delete',
      endpoint: administrationContract.revokeUserSessions,
      input: ({ id }) => ({ body: { userId: id } }),
      command: ({ email }) => ['end-sessions', '--user', email],
      blocked: self,
      consequences: [t('lists.sessionsAll'), t('lists.tokensEnd')],
      isDangerous: true,
      reason: 'optional',
    },
    ...([true, false] as const).map(
      (required): BulkAction<AdministeredUser> => ({
        label: t(required ? 'people.factorRequire' : 'people.factorWaive'),
        icon: 'lock',
        permission: 'users:set-password',
        endpoint: factorAdministrationContract.adminRequireFactor,
        input: ({ id }) => ({ params: { id }, body: { required } }),
        command: ({ email }) => ['require-factor', '--user', email, ...(required ? [] : ['--off'])],
        consequences: required ? [t('lists.factorGrace')] : [t('lists.factorRulesStay')],
        reason: 'optional',
      }),
    ),
    {
      label: t('people.verify'),
      icon: 'mail',
      permission: 'users:set-password',
      endpoint: userAdministrationContract.adminPatchUser,
      input: ({ id }) => ({ params: { id }, body: { emailVerified: true } }),
      command: ({ email }) => ['update-user', '--user', email, '--verified'],
      blocked: (user) => self(user) ?? (user.emailVerified ? t('lists.alreadyVerified') : undefined),
      consequences: [t('lists.verifyMeans')],
      reason: 'optional',
    },
    {
      label: t('people.delete'),
      icon: 'bin',
      permission: 'users:delete',
      endpoint: administrationContract.adminDeleteUser,
      input: ({ id }) => ({ params: { id } }),
      command: ({ email }) => ['delete-user', '--user', email, '--yes'],
      blocked: self,
      consequences: [t('lists.deletePeople'), t('lists.forever')],
      isDangerous: true,
      isFinal: true,
      reason: 'required',
    },
  ]
  return <BulkBar {...bulk} actions={actions} />
}

type Session = Answer<WireApi<typeof sessionAdministrationContract>['adminListSessions']>['sessions'][number]

/** The actions on the selected sessions of the list. */
export const SessionBulk = (bulk: BulkProps<Session>) => {
  const { t } = useI18n()
  const { access } = useConsole()
  return (
    <BulkBar
      {...bulk}
      actions={[
        {
          label: t('people.endSession'),
          icon: 'signOut',
          permission: 'user-sessions:delete',
          endpoint: sessionAdministrationContract.adminEndSession,
          input: ({ id }) => ({ params: { id } }),
          command: ({ id }) => ['end-sessions', '--session', id],
          blocked: ({ userId }) => (userId === access.user.id ? t('lists.ownSession') : undefined),
          consequences: [t('lists.sessionsEnd')],
          isDangerous: true,
          reason: 'optional',
        },
      ]}
    />
  )
}
