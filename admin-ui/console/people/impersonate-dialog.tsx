import { impersonationContract } from '../../../src/authentication/impersonation/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Confirm } from '../shared/confirm.tsx'
import { settleWaiting } from '../shared/pending.ts'
import { ShowCall } from '../shared/show-call.tsx'
import type { UserDialogProps } from './ban-dialog.tsx'

/** A dialog that starts an impersonation of a user. */
export const ImpersonateDialog = ({ user, onClose }: UserDialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const body = { userId: user.id }
  return (
    <Confirm
      title={t('people.impersonateOf', { name: user.name })}
      consequences={[t('people.impersonateHour'), t('people.impersonateNothing'), t('people.impersonateStop')]}
      action={t('people.impersonate')}
      isDangerous={false}
      reason="required"
      foot={
        <ShowCall
          of={({ reason }) => ({ target: impersonationContract.impersonateUser, input: { body: { ...body, reason } } })}
        />
      }
      onConfirm={async (reason) => {
        await settleWaiting()
        await api.call(impersonationContract, 'impersonateUser', { body: { ...body, reason }, reason })
        location.assign('/account')
        // The browser is now leaving the console. The promise never resolves, so that the dialog stays open until the next page appears.
        return new Promise(() => undefined)
      }}
      onClose={onClose}
    />
  )
}
