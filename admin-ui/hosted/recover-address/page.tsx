import { use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import type { RecoveryLink } from '../links.ts'
import { MessageCard } from '../message-card.tsx'
import { NewPasswordByLink } from '../new-password.tsx'

const strong = (text: string) => <strong className="break">{text}</strong>

const InvalidLink = ({ replacesForm }: { readonly replacesForm: boolean }) => {
  const { t } = useI18n()
  useTitle(t('error.link.title'))
  return (
    <MessageCard icon="key" tone="warn" title={t('error.link.title')} text={t('recover.invalid')} replacesForm={replacesForm}>
      <div className="actions">
        <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
      </div>
    </MessageCard>
  )
}

const Done = ({ email }: { readonly email: string }) => {
  const { t } = useI18n()
  useTitle(t('recover.doneTitle'))
  return (
    <MessageCard
      icon="check"
      title={t('recover.doneTitle')}
      text={<Text id="recover.done" values={{ email: strong(email) }} />}
      replacesForm
    >
      <div className="actions">
        <LinkButton href="/sign-in">{t('signIn.submit')}</LinkButton>
      </div>
    </MessageCard>
  )
}

interface RecoverFormProps {
  readonly link: RecoveryLink
  readonly onEnd: (stage: 'done' | 'invalid') => void
}

const RecoverForm = ({ link: { token, email }, onEnd }: RecoverFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  return (
    <NewPasswordByLink
      title={t('recover.title')}
      lead={
        <>
          <Text id="recover.lead" values={{ email: strong(email) }} /> {t('recover.loses')}
        </>
      }
      label={t('recover.submit')}
      personal={[email]}
      send={(newPassword) => api.of(newPasswordContract).recoverAddress({ body: { token, newPassword } })}
      onEnd={onEnd}
    />
  )
}

/** Where the notice of a changed address leads: the one who has the old address takes the account back. */
export const RecoverAddressPage = () => {
  const { resources } = useHosted()
  const link = use(resources.recovery())
  const [stage, setStage] = useState<'asking' | 'done' | 'invalid'>('asking')
  if (link === 'invalid' || stage === 'invalid') return <InvalidLink replacesForm={stage === 'invalid'} />
  return stage === 'done' ? <Done email={link.email} /> : <RecoverForm link={link} onEnd={setStage} />
}
