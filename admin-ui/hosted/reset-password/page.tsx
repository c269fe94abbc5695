import { useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { NewPasswordByLink } from '../new-password.tsx'
import { pageUrl } from '../return-url.ts'
import { takeToken } from '../token.ts'

type Stage = 'asking' | 'invalid' | 'done'

const InvalidLink = ({ replacesForm }: { readonly replacesForm: boolean }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('reset.invalidTitle'))
  return (
    <MessageCard icon="key" tone="warn" title={t('reset.invalidTitle')} text={t('reset.invalid')} replacesForm={replacesForm}>
      <div className="actions">
        <LinkButton href={pageUrl('/forgot-password', query)}>{t('reset.again')}</LinkButton>
      </div>
      <p className="card-foot">
        <a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>
      </p>
    </MessageCard>
  )
}

/** What is left of before: a thief may have added some of it. */
const reviewPath = '/account/linked?review'

const Done = () => {
  const { query } = useHosted()
  // Of an application, or of a page that is to be seen next.
  const isOnTheWay = query.has('interaction') || query.has('callbackURL')
  const { t } = useI18n()
  useTitle(t('reset.doneTitle'))
  return (
    <MessageCard icon="check" title={t('reset.doneTitle')} text={t('reset.done')} replacesForm>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query, isOnTheWay ? {} : { callbackURL: reviewPath })}>
          {t('signIn.submit')}
        </LinkButton>
      </div>
    </MessageCard>
  )
}

interface ResetFormProps {
  readonly token: string
  readonly onEnd: (stage: Stage) => void
}

const ResetForm = ({ token, onEnd }: ResetFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  return (
    <NewPasswordByLink
      title={t('reset.title')}
      lead={t('reset.lead')}
      label={t('reset.submit')}
      personal={[]}
      send={(newPassword) => api.of(newPasswordContract).resetPassword({ body: { newPassword, token } })}
      onEnd={onEnd}
    />
  )
}

export const ResetPasswordPage = () => {
  const { query } = useHosted()
  const [token] = useState(() => takeToken('/reset-password', query))
  const [stage, setStage] = useState<Stage>('asking')
  if (stage === 'done') return <Done />
  if (query.has('error') || token === undefined || stage === 'invalid') return <InvalidLink replacesForm={stage === 'invalid'} />
  return <ResetForm token={token} onEnd={setStage} />
}
