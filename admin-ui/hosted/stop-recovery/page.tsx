import { useState } from 'react'
import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import { Form, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { takeToken } from '../token.ts'

const Ended = ({ stage }: { readonly stage: 'done' | 'gone' }) => {
  const { t } = useI18n()
  const title = t(stage === 'done' ? 'stop.doneTitle' : 'stop.goneTitle')
  useTitle(title)
  return (
    <MessageCard
      icon={stage === 'done' ? 'check' : 'key'}
      tone={stage === 'done' ? 'calm' : 'warn'}
      title={title}
      text={t(stage === 'done' ? 'stop.done' : 'stop.gone')}
      replacesForm
    >
      <div className="actions">
        <LinkButton href="/forgot-password">{t('stop.newPassword')}</LinkButton>
      </div>
    </MessageCard>
  )
}

const noFields = [] as const

const Asking = ({ token, onEnd }: { readonly token: string; readonly onEnd: (stage: 'done' | 'gone') => void }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('stop.title'))
  const form = useForm({
    api,
    fields: noFields,
    check: () => ({}),
    submit: async () => {
      try {
        await api.of(recoveryContract).cancelSecondFactorRecovery({ body: { token } })
        onEnd('done')
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'SECOND_FACTOR_RECOVERY_NOT_FOUND')) throw error
        onEnd('gone')
      }
      return 'done'
    },
  })
  return (
    <MessageCard icon="alert" tone="warn" title={t('stop.title')} text={t('stop.text')}>
      <Form state={form} working={t('common.saving')}>
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {t('stop.submit')}
        </Button>
      </Form>
    </MessageCard>
  )
}

/** Where the notices of a wait lead. Programs that read mail open links, but press no buttons. */
export const StopRecoveryPage = () => {
  const { query } = useHosted()
  const [token] = useState(() => takeToken('/stop-recovery', query))
  const [stage, setStage] = useState<'asking' | 'done' | 'gone'>('asking')
  if (token === undefined) return <Ended stage="gone" />
  return stage === 'asking' ? <Asking token={token} onEnd={setStage} /> : <Ended stage={stage} />
}
