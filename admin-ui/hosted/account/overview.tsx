import { useI18n } from '../../shared/text.tsx'
import { Avatar, Badge, Button, Notice } from '../../shared/ui.tsx'
import { useTitle } from '../context.tsx'
import { useVerificationMail } from '../mailing.ts'
import { useAccount } from './context.ts'
import { lazyPart } from './lazy.tsx'
import { SignIns } from './overview-sign-ins.tsx'
import { Sessions, Ways } from './overview-ways.tsx'
import { Panel } from './section.tsx'

/** A badge that says whether the email address is verified. */
export const VerifiedBadge = ({ isVerified }: { readonly isVerified: boolean }) => {
  const { t } = useI18n()
  return isVerified ? (
    <Badge tone="good" icon="check">
      {t('account.verified')}
    </Badge>
  ) : (
    <Badge tone="warn">{t('account.unverified')}</Badge>
  )
}

export const VerifyAddress = ({ email }: { readonly email: string }) => {
  const { t } = useI18n()
  const mailing = useVerificationMail(email, '/verified', false)
  return (
    <div className="verify-address">
      <Button kind="secondary" icon="mail" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
        {mailing.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mailing.waitSeconds }) : t('account.verify')}
      </Button>
      <div role="status">{mailing.sent ? <Notice tone="good">{t('account.verifySent', { email })}</Notice> : null}</div>
      <div role="alert">{mailing.problem === undefined ? null : <Notice tone="bad">{mailing.problem.text}</Notice>}</div>
    </div>
  )
}

const Facts = () => {
  const { t, date } = useI18n()
  const { user } = useAccount()
  return (
    <Panel id="facts" title={t('account.profile')}>
      <dl className="facts">
        <div>
          <dt>{t('field.name')}</dt>
          <dd>{user.name}</dd>
        </div>
        {typeof user['username'] === 'string' ? (
          <div>
            <dt>{t('field.username')}</dt>
            <dd className="break">{user['username']}</dd>
          </div>
        ) : null}
        <div>
          <dt>{t('field.email')}</dt>
          <dd>
            <span className="break">{user.email}</span>
            <VerifiedBadge isVerified={user.emailVerified} />
            {user.emailVerified ? null : <VerifyAddress email={user.email} />}
          </dd>
        </div>
        <div>
          <dt>{t('account.memberSince')}</dt>
          <dd>{date(user.createdAt)}</dd>
        </div>
      </dl>
    </Panel>
  )
}

const FirstSteps = lazyPart(
  () => [import('./first-steps.tsx'), Promise.resolve()],
  (module) => module.FirstSteps,
)

const Invitations = lazyPart(
  (addTexts) => [import('../organizations/pending.tsx'), addTexts('organizations')],
  (module) => module.OverviewInvitations,
)

export const Overview = () => {
  const { t } = useI18n()
  const { user, settings } = useAccount()
  useTitle(t('account.title'))
  return (
    <>
      <div className="account-head">
        <Avatar name={user.name} size="large" />
        <div className="heading">
          <h1>{t('account.title')}</h1>
          <p className="lead break">{user.email}</p>
        </div>
      </div>
      {user.role === 'user' ? null : <FirstSteps />}
      <Facts />
      {settings.organizationsEnabled && user.emailVerified ? <Invitations /> : null}
      <div className="overview-more">
        <Ways />
        <SignIns />
        <Sessions />
      </div>
    </>
  )
}
