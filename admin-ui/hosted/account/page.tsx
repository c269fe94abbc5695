import { use, useState } from 'react'
import type { SessionAnswer } from '../../shared/api.ts'
import { explain } from '../../shared/explain.ts'
import { useI18n } from '../../shared/text.tsx'
import { Avatar, Badge, Button, Notice } from '../../shared/ui.tsx'
import { useVerificationMail } from '../check-email/resend.ts'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../continuation.ts'
import { Redirect } from '../redirect.tsx'
import { deviceOf } from './device.ts'

const VerifyAddress = ({ email }: { readonly email: string }) => {
  const { t } = useI18n()
  const mail = useVerificationMail(email, '/account', false)
  const done = mail.outcome?.tone === 'good'
  return (
    <div className="verify">
      <Button kind="secondary" icon="mail" working={mail.pending} blocked={mail.waitSeconds > 0} onClick={mail.send}>
        {mail.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mail.waitSeconds }) : t('account.verify')}
      </Button>
      <div role="status">
        {mail.outcome === undefined ? null : (
          <Notice tone={mail.outcome.tone}>{done ? t('account.verifySent', { email }) : mail.outcome.text}</Notice>
        )}
      </div>
    </div>
  )
}

const Profile = ({ user }: Pick<SessionAnswer, 'user'>) => {
  const i18n = useI18n()
  const { t } = i18n
  return (
    <section className="panel" aria-labelledby="profile">
      <h2 id="profile">{t('account.profile')}</h2>
      <dl className="facts">
        <div>
          <dt>{t('field.name')}</dt>
          <dd>{user.name}</dd>
        </div>
        <div>
          <dt>{t('field.email')}</dt>
          <dd>
            <span className="break">{user.email}</span>
            {user.emailVerified ? (
              <Badge tone="good" icon="check">
                {t('account.verified')}
              </Badge>
            ) : (
              <Badge tone="warn">{t('account.unverified')}</Badge>
            )}
            {user.emailVerified ? null : <VerifyAddress email={user.email} />}
          </dd>
        </div>
        <div>
          <dt>{t('account.memberSince')}</dt>
          <dd>{i18n.date(user.createdAt)}</dd>
        </div>
      </dl>
    </section>
  )
}

const SessionPanel = ({ session }: Pick<SessionAnswer, 'session'>) => {
  const { t, dateTime } = useI18n()
  const device = deviceOf(session.userAgent)
  const facts = [
    { name: t('account.device'), value: device === undefined ? t('account.unknownDevice') : t('account.deviceText', device) },
    { name: t('account.since'), value: dateTime(session.createdAt) },
    { name: t('account.until'), value: dateTime(session.expiresAt) },
    { name: t('account.address'), value: session.ipAddress },
  ].filter(({ value }) => value !== '')
  return (
    <section className="panel" aria-labelledby="session">
      <h2 id="session">{t('account.session')}</h2>
      <dl className="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const SignOut = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const signOut = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      await api.sessions.signOut()
      location.assign('/sign-in')
    } catch (error) {
      setProblem(explain(error, [], api.retryAfterSeconds(), i18n).form?.text)
      setPending(false)
    }
  }
  return (
    <div className="sign-out">
      <Button kind="secondary" icon="signOut" working={pending} onClick={() => void signOut()}>
        {i18n.t('account.signOut')}
      </Button>
      <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
    </div>
  )
}

export const AccountPage = () => {
  const { resources, path, query } = useHosted()
  const { t } = useI18n()
  const answer = use(resources.session())
  useTitle(t('account.title'))
  // Links from our mails come back here, with a code when they no longer work.
  if (query.has('error')) return <Redirect to={`/error?${query}`} kind="account" />
  if (answer === null) return <Redirect to={pageUrl('/sign-in', query, { callbackURL: path })} kind="account" />
  return (
    <div className="account">
      <div className="account-head">
        <Avatar name={answer.user.name} size="large" />
        <div className="heading">
          <h1>{t('account.title')}</h1>
          <p className="lead break">{answer.user.email}</p>
        </div>
      </div>
      <Profile user={answer.user} />
      <SessionPanel session={answer.session} />
      <SignOut />
    </div>
  )
}
