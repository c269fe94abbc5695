import { use } from 'react'
import { verificationContract } from '../../../src/authentication/verification/contract.ts'
import type { Answer, HostedApi, Settings } from '../../shared/api.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { Confirmation, EndByLink, type Endings } from '../end-by-link.tsx'
import { MessageCard } from '../message-card.tsx'
import { WaysIn } from '../ways-in.tsx'

const report = (api: HostedApi, token: string) => api.of(verificationContract).reportActivity({ body: { token } })
type Reported = Answer<typeof report>

const mayReset = ({ emailPasswordEnabled, passwordResetEnabled }: Settings) => emailPasswordEnabled && passwordResetEnabled

/** A link to the operator's support page. */
const HelpLink = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useI18n()
  const { support } = settings.brand.links
  return support === undefined ? null : (
    <LinkButton kind="secondary" href={support}>
      {t('notMe.help')}
    </LinkButton>
  )
}

const InvalidLink = ({ settings, replacesForm }: { readonly settings: Settings; readonly replacesForm: boolean }) => {
  const { t } = useI18n()
  useTitle(t('error.link.title'))
  return (
    <MessageCard icon="key" tone="warn" title={t('error.link.title')} text={t('notMe.invalid')} replacesForm={replacesForm}>
      <div className="actions">
        {mayReset(settings) ? (
          <LinkButton href="/forgot-password">{t('reset.title')}</LinkButton>
        ) : (
          <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
        )}
        <HelpLink settings={settings} />
      </div>
    </MessageCard>
  )
}

const Done = ({ reported, settings }: { readonly reported: Reported; readonly settings: Settings }) => {
  const { t } = useI18n()
  const { email, isNewPasswordMailed } = reported
  useTitle(t('notMe.doneTitle'))
  const text = isNewPasswordMailed ? (
    <Text id="notMe.mailed" values={{ email: <strong className="break">{email}</strong> }} />
  ) : (
    t('notMe.noPassword')
  )
  return (
    <MessageCard icon={isNewPasswordMailed ? 'mail' : 'check'} title={t('notMe.doneTitle')} text={text} replacesForm>
      <WaysIn waysIn={reported.waysIn} removed={reported.removed} email={email} settings={settings} />
      <div className="actions">
        {isNewPasswordMailed ? null : <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>}
        <HelpLink settings={settings} />
      </div>
    </MessageCard>
  )
}

const Asking = ({ token, ...endings }: { readonly token: string } & Endings<Reported>) => {
  const { api } = useHosted()
  const { t } = useI18n()
  useTitle(t('notMe.title'))
  return (
    <MessageCard icon="alert" tone="warn" title={t('notMe.title')} text={t('notMe.text')}>
      <Confirmation label={t('notMe.submit')} send={() => report(api, token)} goneCode="INVALID_TOKEN" {...endings} />
    </MessageCard>
  )
}

/** The page of the link "this was not me", which is in mails that report a change of the account. */
export const NotMePage = () => {
  const { resources } = useHosted()
  const settings = use(resources.settings())
  return (
    <EndByLink<Reported>
      path="/not-me"
      ask={(token, endings) => <Asking token={token} {...endings} />}
      done={(reported) => <Done reported={reported} settings={settings} />}
      gone={(replacesForm) => <InvalidLink settings={settings} replacesForm={replacesForm} />}
    />
  )
}
