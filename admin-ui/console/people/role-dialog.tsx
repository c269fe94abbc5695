import { useState } from 'react'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { UserDialogProps } from './ban-dialog.tsx'
import { RoleField } from './roles.tsx'

/** The role of users who have no other role. */
const noRole = 'user'

/** A dialog that replaces the instance roles of a user. */
export const RoleDialog = ({ user, onClose }: UserDialogProps) => {
  const { t } = useI18n()
  const { access } = useConsole()
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    user.role.split(',').filter((name) => name !== noRole && name !== ''),
  )
  const set = useChange(administrationContract, 'setRole', t('people.roleSet', { name: user.name }))
  const role = chosen.length === 0 ? [noRole] : chosen
  const body = { userId: user.id, role }
  const given = new Set(access.roles.filter(({ name }) => chosen.includes(name)).flatMap(({ permissions }) => permissions))
  return (
    <Confirm
      title={t('people.roleOf', { name: user.name })}
      consequences={[t('people.permissionCount', { count: given.size }), t('people.roleAtOnce')]}
      action={t('people.setRole')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={administrationContract.setRole}
          input={{ body }}
          command={['set-role', '--user', user.email, '--role', role.join(',')]}
        />
      }
      onConfirm={(reason) => set({ body, reason })}
      onClose={onClose}
    >
      <RoleField chosen={chosen} onChoose={setChosen} />
    </Confirm>
  )
}
