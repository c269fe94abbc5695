import { use, useState } from 'react'
import type { Settings } from '../../shared/api.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { checkNewAccount } from '../../shared/rules.ts'
import { PasswordHint } from '../../shared/strength.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { ClientRow, ContinueTo, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { afterVerification, destinationOf, goTo, pageUrl } from '../continuation.ts'
import { Card, Heading } from '../shell.tsx'
import { SocialButtons } from '../social/buttons.tsx'

const fields = ['name', 'email', 'password'] as const

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
  const i18n = useI18n()
  const { t } = i18n
  const [typed, setTyped] = useState({ name: '', email: '', password: '' })
  const form = useForm({
    api,
    fields,
    check: (values) => checkNewAccount(values, settings, i18n),
    submit: async ({ name, email, password }) => {
      const callbackURL = afterVerification(query)
      const body = { name: name.trim(), email: email.trim(), password, callbackURL }
      const { token, user } = await api.accounts.signUpEmail({ body })
      if (token === null) location.assign(pageUrl('/check-email', query, { email: user.email }))
      else goTo(destinationOf(query))
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('signUp.working')} foot={<SignInLink />}>
      <Field
        name="name"
        label={t('field.name')}
        autoComplete="name"
        autoFocus
        error={form.errors.name}
        onValue={(name) => setTyped({ ...typed, name })}
      />
      <Field
        name="email"
        type="email"
        label={t('field.email')}
        autoComplete="email"
        error={form.errors.email}
        onValue={(email) => setTyped({ ...typed, email })}
      />
      <PasswordField
        name="password"
        label={t('field.password')}
        autoComplete="new-password"
        sending={form.pending}
        error={form.errors.password}
        hint={<PasswordHint password={typed.password} min={settings.passwordMinLength} personal={[typed.name, typed.email]} />}
        onValue={(password) => setTyped({ ...typed, password })}
      />
      <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
        {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('signUp.submit')}
      </Button>
    </Form>
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
