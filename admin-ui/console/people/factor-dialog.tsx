import { factorAdministrationContract } from '../../../src/authentication/factor-administration/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'

interface FactorDialogProps {
  readonly user: { readonly id: string; readonly name: string }
  /** How the command names the user: by id, email address or user name. */
  readonly named: string
  readonly isRequired: boolean
  /** ETag of the user's state on which the change is based. */
  readonly ifMatch?: string | undefined
  readonly onClose: () => void
}

/** Requires a second factor of one user, whatever the user's roles are, or withdraws that requirement. */
export const FactorDialog = ({ user: { id, name }, named, isRequired, ifMatch, onClose }: FactorDialogProps) => {
  const { t } = useI18n()
  const done = t(isRequired ? 'people.factorRequiredDone' : 'people.factorWaivedDone', { name })
  const change = useChange(factorAdministrationContract, 'adminRequireFactor', done)
  const input = { params: { id }, body: { required: isRequired } }
  return (
    <Confirm
      title={t(isRequired ? 'people.factorRequireOf' : 'people.factorWaiveOf', { name })}
      consequences={isRequired ? [t('people.factorGrace'), t('people.factorAfter')] : [t('people.factorRulesStay')]}
      action={t(isRequired ? 'people.factorRequire' : 'people.factorWaive')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={factorAdministrationContract.adminRequireFactor}
          input={input}
          command={['require-factor', '--user', named, ...(isRequired ? [] : ['--off'])]}
        />
      }
      onConfirm={(reason, _, isOverwriting) => change({ ...input, reason, ifMatch: isOverwriting ? undefined : ifMatch })}
      onClose={onClose}
    />
  )
}
