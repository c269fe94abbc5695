import { use, useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import type { Interaction, Settings } from '../../shared/api.ts'
import { checkEmail, checkSignIn } from '../../shared/checks.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { ClientRow, ContinueTo, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { afterVerification, goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { knowsPasskeys } from '../second-factor/passkey.ts'
import { Card, Heading } from '../shell.tsx'
import { Redirect } from '../skeleton.tsx'
import { SocialButtons } from '../social/buttons.tsx'
import { hasOtherWays, OtherWays } from './other-ways.tsx'

const fields = ['email', 'password'] as const

const useSignIn = () => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  return useForm({
    api,
    fields,
    check: (values) => checkSignIn(values, i18n),
    submit: async ({ email, password }, data) => {
      const rememberMe = data.get('rememberMe') !== null
      try {
        const destination = returnUrlOf(query)
        // Also where the link of a mail leads, should the address have to be verified first.
        const callbackURL = afterVerification(query)
        const answer = await api.accounts.signInEmail({ body: { email: email.trim(), password, rememberMe, callbackURL } })
        if ('twoFactorRedirect' in answer) location.assign(pageUrl('/two-factor', query))
        else goTo(callbackURL === destination ? (answer.url ?? destination) : destination)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'EMAIL_NOT_VERIFIED') throw error
        location.assign(pageUrl('/check-email', query, { email: email.trim() }))
      }
      return 'leaving'
    },
  })
}

const SignUpLink = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  return (
    <>
      {t('signIn.noAccount')} <a href={pageUrl('/sign-up', query)}>{t('signIn.signUp')}</a>
    </>
  )
}

/** Asks for the address alone; what follows is the same for every address. */
const AddressForm = ({ settings, onAddress }: { readonly settings: Settings; readonly onAddress: (email: string) => void }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const form = useForm({
    api,
    fields: ['email'],
    check: (values) => checkEmail(values, i18n),
    submit: async ({ email }) => {
      onAddress(email.trim())
      return 'leaving'
    },
  })
  return (
    <>
      <Form state={form} working={t('common.loading')} foot={settings.signUpEnabled ? <SignUpLink /> : undefined}>
        <Field
          name="email"
          type="email"
          label={t('field.email')}
          autoComplete={addressFill(settings)}
          autoFocus
          error={form.errors.email}
        />
        <Button type="submit">{t('common.continue')}</Button>
      </Form>
      <OtherWays settings={settings} rememberMe={() => true} />
    </>
  )
}

/** Browsers that know passkeys offer them in the field for the address. */
const addressFill = ({ passkeysEnabled }: Settings) => (passkeysEnabled && knowsPasskeys() ? 'username webauthn' : 'username')

interface SignInFormProps {
  readonly email: string | undefined
  readonly settings: Settings
  /** Back to the address, where it was asked for first. */
  readonly onOther: (() => void) | undefined
}

const SignInForm = ({ email, settings, onOther }: SignInFormProps) => {
  const { query } = useHosted()
  const { t } = useI18n()
  const form = useSignIn()
  const rememberMe = () => form.ref.current === null || new FormData(form.ref.current).has('rememberMe')
  return (
    <>
      <Form state={form} working={t('signIn.working')} foot={settings.signUpEnabled ? <SignUpLink /> : undefined}>
        <Field
          name="email"
          type="email"
          label={t('field.email')}
          autoComplete={addressFill(settings)}
          defaultValue={email}
          autoFocus={email === undefined}
          error={form.errors.email}
        />
        <PasswordField
          name="password"
          label={t('field.password')}
          autoComplete="current-password"
          autoFocus={email !== undefined}
          sending={form.pending}
          error={form.errors.password}
        />
        <div className="form-row">
          <label className="check">
            <input type="checkbox" name="rememberMe" defaultChecked />
            <span>{t('signIn.rememberMe')}</span>
          </label>
          {settings.passwordResetEnabled === false ? null : (
            <a className="form-row-link" href={pageUrl('/forgot-password', query)}>
              {t('signIn.forgot')}
            </a>
          )}
        </div>
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('signIn.submit')}
        </Button>
        {onOther === undefined ? null : (
          <Button kind="quiet" onClick={onOther}>
            {t('checkEmail.other')}
          </Button>
        )}
      </Form>
      <OtherWays settings={settings} rememberMe={rememberMe} />
    </>
  )
}

/** True where a sign-in answers what is asked, also when somebody is signed in. */
const asksForAccount = (prompt: Interaction['prompt']) => ['login', 'create', 'select_account'].includes(prompt)

/** Whose new sign-in the application wants; nobody's where another account may be used. */
const signedInAs = ({ prompt, user }: Interaction) => (prompt === 'login' ? user?.email : undefined)

export const SignInPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const interaction = use(resources.interaction())
  const session = use(resources.session())
  const [asked, setAsked] = useState<string>()
  useTitle(t('signIn.title'))

  if (interaction === 'gone') return <InteractionGone />
  if (interaction === 'none') {
    if (session !== null) return <Redirect to="/account" kind="form2" />
  } else if (!asksForAccount(interaction.prompt) && interaction.user !== null) {
    return <Redirect to={returnUrlOf(query)} kind="form2" />
  } else if (!interaction.signInPage.startsWith('/sign-in?')) {
    // The operator's own page: it has the parameters of the request, which links of hosted pages do not.
    return <Redirect to={interaction.signInPage} kind="form2" />
  }

  const known = interaction === 'none' ? query.get('email') || undefined : (interaction.loginHint ?? signedInAs(interaction))
  return (
    <Card>
      <Heading title={t('signIn.title')}>
        {interaction === 'none' ? (
          t('signIn.lead')
        ) : (
          <ContinueTo client={interaction.client} again={signedInAs(interaction) !== undefined} />
        )}
      </Heading>
      {interaction === 'none' ? null : <ClientRow client={interaction.client} />}
      {settings.addressFirst && known === undefined && asked === undefined ? (
        <AddressForm settings={settings} onAddress={setAsked} />
      ) : (
        <SignInForm
          email={known ?? asked}
          settings={settings}
          onOther={asked === undefined ? undefined : () => setAsked(undefined)}
        />
      )}
      <SocialButtons providers={settings.socialProviders} follows={hasOtherWays(settings)} />
    </Card>
  )
}
