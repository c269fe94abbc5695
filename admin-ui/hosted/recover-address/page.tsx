import { use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { Confirmation } from '../end-by-link.tsx'
import type { RecoveryLink } from '../links.ts'
import { MessageCard } from '../message-card.tsx'
import { NewPasswordByLink } from '../new-password.tsx'
import { Card, Heading } from '../shell.tsx'
import { type WayIn, WaysIn } from '../ways-in.tsx'

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

const Done = ({ email, waysIn }: { readonly email: string; readonly waysIn: readonly WayIn[] }) => {
  const { resources } = useHosted()
  const settings = use(resources.settings())
  const { t } = useI18n()
  useTitle(t('recover.doneTitle'))
  return (
    <MessageCard
      icon="check"
      title={t('recover.doneTitle')}
      text={<Text id={settings.emailPasswordEnabled ? 'recover.done' : 'recover.doneAlone'} values={{ email: strong(email) }} />}
      replacesForm
    >
      <WaysIn waysIn={waysIn} email={email} settings={settings} />
      <div className="actions">
        <LinkButton href="/sign-in">{t('signIn.submit')}</LinkButton>
      </div>
    </MessageCard>
  )
}

interface RecoverFormProps {
  readonly link: RecoveryLink
  readonly onEnd: (end: readonly WayIn[] | 'gone') => void
}

const RecoverForm = ({ link: { token, email }, onEnd }: RecoverFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const send = async (newPassword: string) => {
    const { waysIn } = await api.of(newPasswordContract).recoverAddress({ body: { token, newPassword } })
    onEnd(waysIn)
  }
  return (
    <NewPasswordByLink
      title={t('recover.title')}
      lead={
        <>
          <Text id="recover.lead" values={{ email: strong(email) }} /> {t('recover.loses')}
        </>
      }
      label={t('recover.submit')}
      email={email}
      personal={[email]}
      send={send}
      onEnd={(end) => (end === 'invalid' ? onEnd('gone') : undefined)}
    />
  )
}

/** A form without a password field, for installations in which nobody can sign in with a password. */
const RecoverAlone = ({ link: { token, email }, onEnd }: RecoverFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('recover.title'))
  const send = async () => {
    const { waysIn } = await api.of(newPasswordContract).recoverAddress({ body: { token } })
    history.replaceState(null, '')
    return waysIn
  }
  return (
    <Card>
      <Heading title={t('recover.title')}>
        <Text id="recover.leadAlone" values={{ email: strong(email) }} /> {t('recover.loses')}
      </Heading>
      <Confirmation
        label={t('recover.submit')}
        send={send}
        goneCode="INVALID_TOKEN"
        onDone={onEnd}
        onGone={() => onEnd('gone')}
      />
    </Card>
  )
}

/** The page of the link in the mail that reports a changed email address. With it, the owner of the former address takes the account back. */
export const RecoverAddressPage = () => {
  const { resources } = useHosted()
  const link = use(resources.recovery())
  const { emailPasswordEnabled } = use(resources.settings())
  const [end, setEnd] = useState<readonly WayIn[] | 'gone'>()
  if (link === 'invalid' || end === 'gone') return <InvalidLink replacesForm={end === 'gone'} />
  const Ask = emailPasswordEnabled ? RecoverForm : RecoverAlone
  return end === undefined ? <Ask link={link} onEnd={setEnd} /> : <Done email={link.email} waysIn={end} />
}
