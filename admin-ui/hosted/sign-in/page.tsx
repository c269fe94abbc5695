import type { ReactNode } from 'react'
import { lazy, Suspense, use, useLayoutEffect, useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import type { Interaction, Settings } from '../../shared/api.ts'
import { checkSignIn } from '../../shared/checks.ts'
import { PasswordField } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useAddTexts, useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { ClientRow, ContinueTo, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { afterVerification, goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { Redirect } from '../skeleton.tsx'
import { Providers } from '../social/providers.tsx'
import type { Address } from './address-first.tsx'
import { IdentifierField, takesNamesOf } from './identifier.tsx'
import { hasOtherWays, OtherWays } from './other-ways.tsx'

const fields = ['email', 'password'] as const

const loadOffer = () => import('./passkey-offer.tsx')
/** This code is needed only if a setting asks for the address first. */
const AddressFirst = lazy(() => import('./address-first.tsx').then(({ AddressFirst }) => ({ default: AddressFirst })))
/** This code is needed only for an application's sign-in. */
const Cancel = lazy(() => import('../cancel.tsx').then(({ Cancel }) => ({ default: Cancel })))
const PasskeyOffer = lazy(() => loadOffer().then(({ PasskeyOffer }) => ({ default: PasskeyOffer })))

/**
 * Adds a step after a sign-in with a password: the person is asked whether to add a passkey for the next time. If code or texts of the
 * step do not load, the step is skipped.
 */
const useOffer = ({ passkeyOffer }: Settings, onAsk: (next: string) => void) => {
  const { api } = useHosted()
  const addTexts = useAddTexts()
  return async (next: string) => {
    const isAsked =
      passkeyOffer !== 'never' &&
      knowsPasskeys() &&
      (await loadOffer()
        .then(({ offerPasskey }) => offerPasskey(api, passkeyOffer, addTexts))
        .catch(() => false))
    if (isAsked) onAsk(next)
    else goTo(next)
  }
}

const useSignIn = (settings: Settings, onAsk: (next: string) => void) => {
  const { api, query, typed } = useHosted()
  const i18n = useI18n()
  const goOn = useOffer(settings, onAsk)
  const takesNames = takesNamesOf(settings)
  return useForm({
    api,
    fields,
    refused: typed?.refusal(),
    check: (values) => checkSignIn(values, i18n, takesNames),
    submit: async ({ email: typed, password }, data) => {
      const email = typed.trim()
      const isName = takesNames && !email.includes('@')
      const rememberMe = data.get('rememberMe') !== null
      try {
        const destination = returnUrlOf(query)
        // If the email address has to be verified first, the server mails a link. That link leads to this URL.
        const callbackURL = afterVerification(query)
        const body = { password, rememberMe, callbackURL }
        const answer = isName
          ? await api.accounts.signInUsername({ body: { ...body, username: email } })
          : await api.accounts.signInEmail({ body: { ...body, email } })
        if ('twoFactorRedirect' in answer) location.assign(pageUrl('/two-factor', query))
        else await goOn(callbackURL === destination ? (answer.url ?? destination) : destination)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'EMAIL_NOT_VERIFIED') throw error
        location.assign(pageUrl('/check-email', query, isName ? {} : { email }))
      }
      return 'leaving'
    },
    atField: {
      ...{ INVALID_USERNAME_OR_PASSWORD: 'password', INVALID_USERNAME: 'email', USER_NAMES_ARE_NOT_ENABLED: 'email' },
      ...{ USERNAME_TOO_SHORT: 'email', USERNAME_TOO_LONG: 'email' },
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

interface SignInFormProps {
  readonly email: string | undefined
  /** The password, if the browser has already filled it in when the address was entered. */
  readonly password?: string | undefined
  readonly settings: Settings
  /** Goes back to the step that asks for the address. Undefined if there is no such step. */
  readonly onOther: (() => void) | undefined
  /** The last line of the form, for example a link to the sign-up page. */
  readonly foot: ReactNode
  /** Called with the next URL if the person should first be asked about a passkey. */
  readonly onAsk: (next: string) => void
}

const SignInForm = ({ email, password, settings, foot, onOther, onAsk }: SignInFormProps) => {
  const { query, typed } = useHosted()
  const { t } = useI18n()
  const form = useSignIn(settings, onAsk)
  useLayoutEffect(() => {
    if (form.ref.current !== null) typed?.into(form.ref.current)
  }, [form.ref, typed])
  const rememberMe = () => form.ref.current === null || new FormData(form.ref.current).has('rememberMe')
  return (
    <>
      <Form state={form} working={t('signIn.working')} foot={foot}>
        <IdentifierField settings={settings} defaultValue={email} autoFocus={email === undefined} error={form.errors.email} />
        <PasswordField
          name="password"
          label={t('field.password')}
          autoComplete="current-password"
          defaultValue={password}
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
        <SubmitButton of={form}>{t('signIn.submit')}</SubmitButton>
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

/** True if the application wants a sign-in or a choice of account even from a person who has a session. */
const asksForAccount = (prompt: Interaction['prompt']) => ['login', 'create', 'select_account'].includes(prompt)

/** The email address of the account that has to sign in again for the application. Undefined if another account may sign in. */
const signedInAs = ({ prompt, user }: Interaction) => (prompt === 'login' ? user?.email : undefined)

export const SignInPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const interaction = use(resources.interaction())
  const session = use(resources.session())
  const [asked, setAsked] = useState<Address>()
  const [next, setNext] = useState<string>()
  useTitle(t('signIn.title'))

  if (next !== undefined) return <PasskeyOffer onDone={() => goTo(next)} />
  if (interaction === 'gone') return <InteractionGone />
  if (interaction === 'none') {
    if (session !== null) return <Redirect to="/account" kind="form2" />
  } else if (!asksForAccount(interaction.prompt) && interaction.user !== null) {
    return <Redirect to={returnUrlOf(query)} kind="form2" />
  } else if (!interaction.signInPage.startsWith('/sign-in?')) {
    // The operator has configured another sign-in page. Its URL contains the parameters of the authorization request, which links between
    // hosted pages do not contain.
    return <Redirect to={interaction.signInPage} kind="form2" />
  }

  // The address that was entered in the first step, if that form was sent before the script ran.
  const given = query.get('email') || undefined
  const known = given ?? (interaction === 'none' ? undefined : (interaction.loginHint ?? signedInAs(interaction)))
  const { socialProviders: providers, emailPasswordEnabled: hasForm } = settings
  const hasMore = providers.length > 0 || hasOtherWays(settings)
  const signUp = settings.signUpEnabled ? <SignUpLink /> : undefined
  // The link to the sign-up page is the last thing on the page. If nothing follows the form, the link is inside the form, in the space
  // where messages appear.
  const foot = hasMore ? undefined : signUp
  const asksFirst = settings.addressFirst && known === undefined && asked === undefined
  const isAutomatic = settings.socialAutoRedirect && !query.has('error')
  const choosesAccount = interaction !== 'none' && interaction.prompt === 'select_account'
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
      {hasForm && asksFirst ? (
        <>
          <AddressFirst settings={settings} foot={foot} onAddress={setAsked} />
          <OtherWays settings={settings} rememberMe={() => true} />
        </>
      ) : null}
      {hasForm && !asksFirst ? (
        <SignInForm
          email={known ?? asked?.email}
          password={asked?.password}
          settings={settings}
          foot={foot}
          onAsk={setNext}
          onOther={asked === undefined ? undefined : () => setAsked(undefined)}
        />
      ) : null}
      <Providers
        providers={providers}
        follows={!hasForm || hasOtherWays(settings)}
        isMain={!hasForm}
        redirects={isAutomatic && !choosesAccount}
      />
      {hasForm ? null : <OtherWays settings={settings} rememberMe={() => true} isFirst={providers.length === 0} />}
      {hasForm || hasMore ? null : (
        <Notice tone="wait">{t(settings.passkeysEnabled ? 'signIn.noWayHere' : 'signIn.noWay')}</Notice>
      )}
      {hasMore && signUp !== undefined ? <p className="card-foot">{signUp}</p> : null}
      {interaction !== 'none' && asksForAccount(interaction.prompt) ? (
        <Suspense>
          <Cancel interaction={interaction} />
        </Suspense>
      ) : null}
    </Card>
  )
}
