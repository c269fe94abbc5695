import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { askForPasskey } from '../second-factor/passkey.ts'
import { usePasskey } from '../second-factor/use-passkey.ts'
import { OtherWay, proving, StepCard, type StepProps } from './step.tsx'

interface PasskeyStepProps extends StepProps {
  readonly method: 'passkey' | 'security-key'
}

/** The browser's question is asked when the person says so: some browsers refuse it otherwise. */
export const PasskeyStep = ({ method, onDone, onOver, onOther }: PasskeyStepProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const isKey = method === 'security-key'
  const passkey = usePasskey(async () => {
    const calls = api.of(passkeyContract)
    const prove = async () => {
      const response = await askForPasskey(await calls.generateAuthenticateOptions({ query: {} }))
      await calls.verifyAuthentication({ body: { response } })
    }
    if (await proving(prove, onOver)) onDone()
    return 'leaving'
  })
  return (
    <StepCard focused lead={t(isKey ? 'passkey.keyLead' : 'passkey.lead')}>
      <div className="actions">
        <Button icon="key" working={passkey.pending} onClick={() => passkey.start()}>
          {t(isKey ? 'passkey.useKey' : 'passkey.use')}
        </Button>
      </div>
      <FormEnd problem={passkey.problem} pending={false} foot={<OtherWay onOther={onOther} />} />
      <p className="visually-hidden" role="status">
        {passkey.pending ? t('passkey.waiting') : ''}
      </p>
    </StepCard>
  )
}
