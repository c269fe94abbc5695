import { useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { useUndo } from '../shared/use-undo.tsx'
import { BanDialog } from './ban-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ImpersonateDialog } from './impersonate-dialog.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'
import type { AdministeredUser } from './users.tsx'

const dialogs = {
  ...{ ban: BanDialog, delete: DeleteDialog, impersonate: ImpersonateDialog, link: LinkDialog, role: RoleDialog },
} as const

const Reset = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const send = useChange(newPasswordContract, 'requestPasswordReset', t('people.resetSent', { email: user.email }))
  const body = { email: user.email }
  return (
    <>
      <ActionButton
        permission="users:update"
        icon="mail"
        blocked={user.banned ? t('people.resetBanned') : undefined}
        onClick={() => setIsOpen(true)}
      >
        {t('people.reset')}
      </ActionButton>
      {isOpen ? (
        <Confirm
          title={t('people.resetOf', { name: user.name })}
          consequences={[t('people.resetMail', { email: user.email }), t('people.resetNothing')]}
          action={t('people.resetSend')}
          isDangerous={false}
          foot={<ShowCall target={newPasswordContract.requestPasswordReset} input={{ body }} />}
          onConfirm={() => send({ body })}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}

/**
 * Buttons for the actions on a user. People without the permission for an action see its button disabled, with the roles that have the
 * permission.
 */
export const UserActions = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const { access } = useConsole()
  const [open, setOpen] = useState<keyof typeof dialogs>()
  const unban = useChange(administrationContract, 'unbanUser', t('people.unbanned'))
  const undo = useUndo()
  const Dialog = open === undefined ? undefined : dialogs[open]
  const self = access.user.id === user.id ? t('people.yourself') : undefined
  return (
    <>
      <ActionButton
        permission="users:impersonate"
        icon="eye"
        blocked={self ?? (user.banned ? t('people.impersonateBanned') : undefined)}
        onClick={() => setOpen('impersonate')}
      >
        {t('people.impersonate')}
      </ActionButton>
      <Reset user={user} />
      <ActionButton
        permission="users:set-password"
        icon="link"
        blocked={self ?? (user.banned ? t('people.resetBanned') : user.emailVerified ? undefined : t('people.linkUnverified'))}
        onClick={() => setOpen('link')}
      >
        {t('people.linkCreate')}
      </ActionButton>
      <ActionButton permission="users:set-role" icon="badge" onClick={() => setOpen('role')}>
        {t('people.setRole')}
      </ActionButton>
      {user.banned ? (
        <ActionButton
          permission="users:ban"
          icon="check"
          onClick={() => undo(t('people.unbanning', { name: user.name }), () => unban({ body: { userId: user.id } }))}
        >
          {t('people.unban')}
        </ActionButton>
      ) : (
        <ActionButton permission="users:ban" icon="ban" blocked={self} onClick={() => setOpen('ban')}>
          {t('people.ban')}
        </ActionButton>
      )}
      <ActionButton permission="users:delete" icon="bin" blocked={self} onClick={() => setOpen('delete')}>
        {t('people.delete')}
      </ActionButton>
      {Dialog === undefined ? null : <Dialog user={user} onClose={() => setOpen(undefined)} />}
    </>
  )
}
