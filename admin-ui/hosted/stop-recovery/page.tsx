import { recoveryContract } from '../../../src/authentication/second-factor-recovery/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { Confirmation, EndByLink, type Endings } from '../end-by-link.tsx'
import { MessageCard } from '../message-card.tsx'

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

const Asking = ({ token, ...endings }: { readonly token: string } & Endings<'done'>) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('stop.title'))
  const send = async () => {
    await api.of(recoveryContract).cancelSecondFactorRecovery({ body: { token } })
    return 'done' as const
  }
  return (
    <MessageCard icon="alert" tone="warn" title={t('stop.title')} text={t('stop.text')}>
      <Confirmation label={t('stop.submit')} send={send} goneCode="SECOND_FACTOR_RECOVERY_NOT_FOUND" {...endings} />
    </MessageCard>
  )
}

/** The page of the link that stops a recovery, in the notices that are sent while it waits. */
export const StopRecoveryPage = () => (
  <EndByLink<'done'>
    path="/stop-recovery"
    ask={(token, endings) => <Asking token={token} {...endings} />}
    done={() => <Ended stage="done" />}
    gone={() => <Ended stage="gone" />}
  />
)
