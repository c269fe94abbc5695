import { use, useState } from 'react'
import type { Settings } from '../../shared/api.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { checkNewAccount } from '../../shared/rules.ts'
import { PasswordHint } from '../../shared/strength.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { Card, Heading } from '../shell.tsx'

const fields = ['name', 'email', 'password'] as const

const NoLink = ({ missing }: { readonly missing: boolean }) => {
  const { t } = useI18n()
  return (
    <Card>
      <span className="emblem">
        <Icon name="key" size={26} />
      </span>
      <Heading title={t(missing ? 'setup.missingTitle' : 'setup.usedTitle')}>
        {t(missing ? 'setup.missing' : 'setup.used')}
      </Heading>
      <pre className="command">
        <code>gatehouse create-setup-link</code>
      </pre>
      <p className="card-foot">
        <a href="/sign-in">{t('common.toSignIn')}</a>
      </p>
    </Card>
  )
}

const SetupForm = ({ token, settings }: { readonly token: string; readonly settings: Settings }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [typed, setTyped] = useState({ name: '', email: '', password: '' })
  const form = useForm({
    api,
    fields,
    check: (values) => checkNewAccount(values, settings, i18n),
    submit: async ({ name, email, password }) => {
      await api.setup.complete({ body: { token, name: name.trim(), email: email.trim(), password } })
      location.replace('/account')
      return 'leaving'
    },
  })
  return (
    <Form state={form} working={t('setup.working')}>
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
        {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('setup.submit')}
      </Button>
    </Form>
  )
}

export const SetupPage = () => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const link = use(resources.setupLink())
  const settings = use(resources.settings())
  useTitle(t('setup.title'))
  if (link === 'none' || !link.valid) return <NoLink missing={link === 'none'} />
  return (
    <Card>
      <Heading title={t('setup.title')}>{t('setup.lead')}</Heading>
      <SetupForm token={link.token} settings={settings} />
    </Card>
  )
}
