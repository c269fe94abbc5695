import { adminApiKeyContract } from '../../../src/api-keys/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { KeyFields, keyFlagsOf, keyInputOf, useKeyInput, usePermissionNames } from './key-fields.tsx'
import '../styles/system.css'

interface CreateKeyProps {
  readonly onMade: (key: string) => void
  readonly onClose: () => void
}

/** A dialog that makes an API key of the instance. It offers the permissions that an API key can have and that the person has. */
export const CreateKey = ({ onMade, onClose }: CreateKeyProps) => {
  const { t } = useI18n()
  const input = useKeyInput()
  const create = useChange(adminApiKeyContract, 'adminCreateApiKey')
  return (
    <Confirm
      title={t('system.createKey')}
      consequences={[]}
      action={t('system.createKey')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          of={({ form }) => ({
            target: adminApiKeyContract.adminCreateApiKey,
            input: { body: keyInputOf(form) },
            command: ['create-api-key', ...keyFlagsOf(keyInputOf(form))],
          })}
        />
      }
      onConfirm={async (reason, form) => onMade((await create({ body: input(form), reason })).key)}
      onClose={onClose}
    >
      <KeyFields names={usePermissionNames()} />
    </Confirm>
  )
}
