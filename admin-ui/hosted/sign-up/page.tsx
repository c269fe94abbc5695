import { use } from 'react'
import { signInContract } from '../../../src/authentication/methods/password/contract.ts'
import type { Settings } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { ClientRow, ContinueTo, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { useProof } from '../proof.ts'
import { afterVerification, goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { SocialButtons } from '../social/buttons.tsx'

const SignInLink = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  return (
    <>
      {t('signUp.haveAccount')} <a href={pageUrl('/sign-in', query)}>{t('signUp.signIn')}</a>
    </>
  )
}

const SignUpForm = ({ settings }: { readonly settings: Settings }) => {
  const { api, query } = useHosted()
  const { t } = useI18n()
  const proof = useProof('sign-up')
  return (
    <NewAccountForm
      settings={settings}
      label={proof.text ?? t('signUp.submit')}
      working={proof.text ?? t('signUp.working')}
      foot={<SignInLink />}
      fields={settings.userFields}
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
  useTitle(t(settings.signUpEnabled ? 'signUp.title' : 'signUp.offTitle'))

  if (interaction === 'gone') return <InteractionGone />
  if (!settings.signUpEnabled) {
    return (
      <Card>
        <Heading title={t('signUp.offTitle')}>{t('signUp.off')}</Heading>
        <div className="actions">
          <LinkButton href={pageUrl('/sign-in', query)}>{t('signUp.signIn')}</LinkButton>
        </div>
      </Card>
    )
  }
  return (
    <Card>
      <Heading title={t('signUp.title')}>
        {interaction === 'none' ? t('signUp.lead') : <ContinueTo client={interaction.client} again={false} />}
      </Heading>
      {interaction === 'none' ? null : <ClientRow client={interaction.client} />}
      <SignUpForm settings={settings} />
      <SocialButtons providers={settings.socialProviders} />
    </Card>
  )
}
