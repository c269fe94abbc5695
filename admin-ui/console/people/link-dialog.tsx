import { useState } from 'react'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { UserDialogProps } from './ban-dialog.tsx'
import type { RecoveryLink } from './link-shown.tsx'
import { LinkShown } from './link-shown.tsx'

/** Makes a link that lets a locked-out user sign in again. The administrator passes the link on by other means than mail. */
export const LinkDialog = ({ user, onClose }: UserDialogProps) => {
  const { t } = useI18n()
  const [secondFactor, setSecondFactor] = useState(false)
  const [link, setLink] = useState<RecoveryLink>()
  const create = useChange(administrationContract, 'createRecoveryLink')
  const input = { params: { id: user.id }, body: { secondFactor } }
  if (link !== undefined) return <LinkShown name={user.name} link={link} onClose={onClose} />
  return (
    <Confirm
      title={t('people.linkOf', { name: user.name })}
      consequences={[t('people.linkUse'), t('people.linkSecret')]}
      action={t('people.linkCreate')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={administrationContract.createRecoveryLink}
          input={input}
          command={['create-recovery-link', '--user', user.email, ...(secondFactor ? ['--second-factor'] : [])]}
        />
      }
      onConfirm={async (reason) => {
        setLink(await create({ ...input, reason }))
        // The promise never resolves, so that the dialog stays open and shows the link.
        return new Promise(() => undefined)
      }}
      onClose={onClose}
    >
      <label className="check">
        <input type="checkbox" checked={secondFactor} onChange={({ currentTarget }) => setSecondFactor(currentTarget.checked)} />
        {t('people.linkFactors')}
      </label>
    </Confirm>
  )
}
