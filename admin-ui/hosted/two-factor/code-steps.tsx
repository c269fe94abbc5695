import { useState } from 'react'
import { recoveryCodeContract } from '../../../src/authentication/methods/recovery-codes/contract.ts'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import { CodeField } from '../../shared/code-field.tsx'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { proving, Remember, StepCard, type StepProps, trustDevice } from './step.tsx'

const fields = ['code'] as const

/** The form for a code. */
export const useCodeForm = (
  missing: string,
  atField: Readonly<Record<string, 'code'>>,
  send: (code: string, data: FormData) => Promise<'leaving' | 'done'>,
) => {
  const { api } = useHosted()
  return useForm({
    api,
    fields,
    atField,
    check: ({ code }): { readonly code?: string } => (code.trim() === '' ? { code: missing } : {}),
    submit: ({ code }, data) => send(code.trim(), data),
  })
}

/** The button that sends a code. After too many codes it shows the wait. */
export const CodeButton = ({ form }: { readonly form: { readonly pending: boolean; readonly waitSeconds: number } }) => {
  const { t } = useI18n()
  return <SubmitButton of={form}>{t('common.continue')}</SubmitButton>
}

export const TotpStep = ({ step, onDone, onOver, onOther }: StepProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const form = useCodeForm(t('code.missing'), { INVALID_CODE: 'code' }, async (code, data) => {
    const body = { code, ...trustDevice(data) }
    if (await proving(() => api.of(totpContract).verifyTotp({ body }), onOver)) onDone()
    return 'leaving'
  })
  return (
    <StepCard step={step} lead={t('code.totp')} onOther={onOther}>
      <Form state={form} working={t('step.working')}>
        <Remember days={step.rememberDays} />
        <CodeField name="code" label={t('code.label')} error={form.errors.code} />
        <CodeButton form={form} />
      </Form>
    </StepCard>
  )
}

/** Shown once before the person continues, because there may be no recovery code left the next time. */
const FewLeft = ({ left, onDone }: { readonly left: number; readonly onDone: () => void }) => {
  const { t } = useI18n()
  return (
    <MessageCard icon="key" tone="warn" title={t('codes.fewTitle')} text={t('codes.few', { count: left })} replacesForm>
      <div className="actions">
        <Button onClick={onDone}>{t('common.continue')}</Button>
      </div>
    </MessageCard>
  )
}

export const RecoveryStep = ({ step, onDone, onOver, onOther }: StepProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [left, setLeft] = useState<number>()
  const form = useCodeForm(t('code.recoveryMissing'), { INVALID_BACKUP_CODE: 'code' }, async (code, data) => {
    await proving(async () => {
      const body = { code, ...trustDevice(data) }
      const { fewBackupCodesLeft, backupCodesLeft } = await api.of(recoveryCodeContract).verifyBackupCode({ body })
      if (fewBackupCodesLeft) setLeft(backupCodesLeft)
      else onDone()
    }, onOver)
    return 'leaving'
  })
  if (left !== undefined) return <FewLeft left={left} onDone={onDone} />
  return (
    <StepCard step={step} lead={t('code.recovery')} onOther={onOther}>
      <Form state={form} working={t('step.working')}>
        <Remember days={step.rememberDays} />
        <Field name="code" label={t('method.recoveryCode')} autoComplete="off" autoFocus error={form.errors.code} />
        <CodeButton form={form} />
      </Form>
    </StepCard>
  )
}
