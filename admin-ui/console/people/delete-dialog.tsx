import { useNavigate } from 'react-router'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { UserDialogProps } from './ban-dialog.tsx'
import { OrganizationCount, SessionCount } from './counts.tsx'

/** Deletes a user permanently. The administrator has to type the user's email address and a reason. */
export const DeleteDialog = ({ user, onClose }: UserDialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const navigate = useNavigate()
  const remove = useChange(administrationContract, 'adminDeleteUser', t('people.deleted', { name: user.name }), {
    isLeaving: true,
  })
  const input = { params: { id: user.id } }
  return (
    <Confirm
      title={t('people.deleteOf', { name: user.name })}
      consequences={[
        <SessionCount key="sessions" user={user} />,
        <OrganizationCount key="organizations" user={user} />,
        t('people.deleteAll'),
        t('people.deleteForever'),
      ]}
      action={t('people.delete')}
      typed={user.email}
      reason="required"
      foot={
        <ShowCall
          target={administrationContract.adminDeleteUser}
          input={input}
          command={['delete-user', '--user', user.email, '--yes']}
        />
      }
      onConfirm={async (reason) => {
        await remove({ ...input, reason, ifMatch: api.etagOf(user) })
        void navigate('/admin/users')
      }}
      onClose={onClose}
    />
  )
}
