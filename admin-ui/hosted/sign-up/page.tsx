import type { ReactNode } from 'react'
import { use } from 'react'
import { signInContract } from '../../../src/authentication/methods/password/contract.ts'
import type { Settings } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { ClientRow, ContinueTo, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { userNameField } from '../extra-fields.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { useProof } from '../proof.ts'
import { afterVerification, goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { Providers } from '../social/providers.tsx'

const SignInLink = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  return (
    <>
      {t('signUp.haveAccount')} <a href={pageUrl('/sign-in', query)}>{t('signUp.signIn')}</a>
    </>
  )
}

interface SignUpFormProps {
  readonly settings: Settings
  readonly foot: ReactNode
}

const SignUpForm = ({ settings, foot }: SignUpFormProps) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const proof = useProof('sign-up')
  return (
    <NewAccountForm
      settings={settings}
      label={proof.text ?? t('signUp.submit')}
      working={proof.text ?? t('signUp.working')}
      foot={foot}
      fields={[...userNameField(settings, i18n), ...settings.userFields]}
      create={async ({ fields, ...account }) => {
        const body = { ...fields, ...account, callbackURL: afterVerification(query) }
        const { token, user } = await proof.prove((headers) => api.of(signInContract, headers).signUpEmail({ body }))
        if (token === null) location.assign(pageUrl('/check-email', query, { email: user.email }))
        else goTo(returnUrlOf(query))
      }}
    />
  )
}

export const SignUpPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const interaction = use(resources.interaction())
  const isOpen = settings.signUpEnabled || settings.socialSignUpEnabled || settings.mailSignUpEnabled
  useTitle(t(isOpen ? 'signUp.title' : 'signUp.offTitle'))

  if (interaction === 'gone') return <InteractionGone />
  if (!isOpen) {
    return (
      <Card>
        <Heading title={t('signUp.offTitle')}>{t('signUp.off')}</Heading>
        <div className="actions">
          <LinkButton href={pageUrl('/sign-in', query)}>{t('signUp.signIn')}</LinkButton>
        </div>
      </Card>
    )
  }
  const providers = settings.socialSignUpEnabled ? settings.socialProviders : []
  return (
    <Card>
      <Heading title={t('signUp.title')}>
        {interaction === 'none' ? t('signUp.lead') : <ContinueTo client={interaction.client} again={false} />}
      </Heading>
      {interaction === 'none' ? null : <ClientRow client={interaction.client} />}
      {settings.signUpEnabled ? (
        <SignUpForm settings={settings} foot={providers.length > 0 ? undefined : <SignInLink />} />
      ) : null}
      <Providers providers={providers} follows={!settings.signUpEnabled} isMain={!settings.signUpEnabled} />
      {settings.mailSignUpEnabled && !settings.signUpEnabled ? (
        <div className="other-ways">
          <LinkButton kind="secondary" href={pageUrl('/mail-sign-in', query)}>
            {t('signUp.byMail')}
          </LinkButton>
        </div>
      ) : null}
      {providers.length > 0 || !settings.signUpEnabled ? (
        <p className="card-foot">
          <SignInLink />
        </p>
      ) : null}
    </Card>
  )
}
