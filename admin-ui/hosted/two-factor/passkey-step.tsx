import { useRef } from 'react'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { FormEnd } from '../../shared/form.tsx'
import { askForPasskey } from '../../shared/passkey.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { usePasskey } from '../second-factor/use-passkey.ts'
import { proving, Remember, StepCard, type StepProps, trustDevice } from './step.tsx'

interface PasskeyStepProps extends StepProps {
  readonly method: 'passkey' | 'security-key'
}

/** Asks for a passkey when the person presses the button. Some browsers refuse a request without a press. */
export const PasskeyStep = ({ method, step, onDone, onOver, onOther }: PasskeyStepProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const choices = useRef<HTMLFormElement>(null)
  const isKey = method === 'security-key'
  const passkey = usePasskey(async () => {
    const calls = api.of(passkeyContract)
    const trust = choices.current === null ? {} : trustDevice(new FormData(choices.current))
    const prove = async () => {
      const response = await askForPasskey(await calls.generateAuthenticateOptions({ query: {} }))
      await calls.verifyAuthentication({ body: { response, ...trust } })
    }
    if (await proving(prove, onOver)) onDone()
    return 'leaving'
  })
  return (
    <StepCard step={step} focused lead={t(isKey ? 'passkey.keyLead' : 'passkey.lead')} onOther={onOther}>
      <form
        ref={choices}
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          passkey.start()
        }}
      >
        <Remember days={step.rememberDays} />
        <Button type="submit" icon="key" working={passkey.pending}>
          {t(isKey ? 'passkey.useKey' : 'passkey.use')}
        </Button>
        <FormEnd problem={passkey.problem} pending={false} />
      </form>
      <p className="visually-hidden" role="status">
        {passkey.pending ? t('passkey.waiting') : ''}
      </p>
    </StepCard>
  )
}
