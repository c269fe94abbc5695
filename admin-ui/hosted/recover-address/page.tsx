import { use, useState } from 'react'
import { addressRecoveryContract } from '../../../src/accounts/address-recovery/contract.ts'
import { ApiError } from '../../../src/http/contract.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { NewPasswordForm } from '../new-password.tsx'
import { Said } from '../said.tsx'
import { Card, Heading } from '../shell.tsx'
import type { RecoveryLink } from './link.ts'

const strong = (text: string) => <strong className="break">{text}</strong>

const DeadLink = ({ isAnswer }: { readonly isAnswer: boolean }) => {
  const { t } = useI18n()
  useTitle(t('error.link.title'))
  return (
    <Said icon="key" tone="warn" title={t('error.link.title')} text={t('recover.dead')} isAnswer={isAnswer}>
      <div className="actions">
        <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
      </div>
    </Said>
  )
}

const Done = ({ email }: { readonly email: string }) => {
  const { t } = useI18n()
  useTitle(t('recover.doneTitle'))
  return (
    <Said
      icon="check"
      title={t('recover.doneTitle')}
      text={<Text id="recover.done" values={{ email: strong(email) }} />}
      isAnswer
    >
      <div className="actions">
        <LinkButton href="/sign-in">{t('signIn.submit')}</LinkButton>
      </div>
    </Said>
  )
}

interface RecoverFormProps {
  readonly link: RecoveryLink
  readonly onEnd: (stage: 'done' | 'dead') => void
}

const RecoverForm = ({ link: { token, email }, onEnd }: RecoverFormProps) => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  useTitle(t('recover.title'))
  const submit = async (newPassword: string) => {
    try {
      await api.of(addressRecoveryContract).recoverAddress({ body: { token, newPassword } })
      history.replaceState(null, '')
      onEnd('done')
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') throw error
      onEnd('dead')
    }
  }
  return (
    <Card>
      <Heading title={t('recover.title')}>
        <Text id="recover.lead" values={{ email: strong(email) }} /> {t('recover.loses')}
      </Heading>
      <NewPasswordForm settings={settings} label={t('recover.submit')} personal={[email]} submit={submit} />
    </Card>
  )
}

/** Where the notice of a changed address leads: the one who has the old address takes the account back. */
export const RecoverAddressPage = () => {
  const { resources } = useHosted()
  const link = use(resources.recovery())
  const [stage, setStage] = useState<'asking' | 'done' | 'dead'>('asking')
  if (link === 'dead' || stage === 'dead') return <DeadLink isAnswer={stage === 'dead'} />
  return stage === 'done' ? <Done email={link.email} /> : <RecoverForm link={link} onEnd={setStage} />
}
