import { use, useState } from 'react'
import { passwordContract } from '../../../src/accounts/passwords/contract.ts'
import { ApiError } from '../../../src/http/contract.ts'
import type { Settings } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../continuation.ts'
import { NewPasswordForm } from '../new-password.tsx'
import { Said } from '../said.tsx'
import { Card, Heading } from '../shell.tsx'
import { takeToken } from '../token.ts'

type Stage = 'asking' | 'dead' | 'done'

const DeadLink = ({ isAnswer }: { readonly isAnswer: boolean }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('reset.deadTitle'))
  return (
    <Said icon="key" tone="warn" title={t('reset.deadTitle')} text={t('reset.dead')} isAnswer={isAnswer}>
      <div className="actions">
        <LinkButton href={pageUrl('/forgot-password', query)}>{t('reset.again')}</LinkButton>
      </div>
      <p className="card-foot">
        <a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>
      </p>
    </Said>
  )
}

const Done = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('reset.doneTitle'))
  return (
    <Said icon="check" title={t('reset.doneTitle')} text={t('reset.done')} isAnswer>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query)}>{t('signIn.submit')}</LinkButton>
      </div>
    </Said>
  )
}

interface ResetFormProps {
  readonly token: string
  readonly settings: Settings
  readonly onEnd: (stage: Stage) => void
}

const ResetForm = ({ token, settings, onEnd }: ResetFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('reset.title'))
  const submit = async (newPassword: string) => {
    try {
      await api.of(passwordContract).resetPassword({ body: { newPassword, token } })
      history.replaceState(null, '')
      onEnd('done')
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') throw error
      onEnd('dead')
    }
  }
  return (
    <Card>
      <Heading title={t('reset.title')}>{t('reset.lead')}</Heading>
      <NewPasswordForm settings={settings} label={t('reset.submit')} personal={[]} submit={submit} />
    </Card>
  )
}

export const ResetPasswordPage = () => {
  const { resources, query } = useHosted()
  const settings = use(resources.settings())
  const [token] = useState(() => takeToken('/reset-password', query))
  const [stage, setStage] = useState<Stage>('asking')
  if (stage === 'done') return <Done />
  if (query.has('error') || token === undefined || stage === 'dead') return <DeadLink isAnswer={stage === 'dead'} />
  return <ResetForm token={token} settings={settings} onEnd={setStage} />
}
